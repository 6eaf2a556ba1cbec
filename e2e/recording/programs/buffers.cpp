// Buffers with memory of their own, with the host's, and with final data; a sub-buffer, accessors to a part, a host
// accessor in the midst of the work (the lock holds the next command back), and buffers that are gone before the end.
#include "work.hpp"

namespace {

constexpr std::size_t count = 1 << 12;
using Write = sycl::accessor<int, 1, sycl::access_mode::write>;
using Read = sycl::accessor<int, 1, sycl::access_mode::read>;
using ReadWrite = sycl::accessor<int, 1, sycl::access_mode::read_write>;

}  // namespace

int main() {
  sycl::queue queue;
  std::vector<int> written(count, 0), used(count, 7), result(count, 0);
  {
    sycl::buffer<int, 1> own{sycl::range<1>(count)};
    sycl::buffer<int, 1> back{written.data(), sycl::range<1>(count)};
    sycl::buffer<int, 1> in_place{used.data(), sycl::range<1>(count), {sycl::property::buffer::use_host_ptr{}}};
    back.set_final_data(result.data());

    queue.submit([&](sycl::handler& handler) {
      Write to(own, handler, sycl::no_init);
      handler.fill(to, 3);
    });
    {
      // Locks the buffer: what is submitted meanwhile waits.
      sycl::host_accessor<int, 1, sycl::access_mode::read_write> locked(own);
      queue.submit([&](sycl::handler& handler) {
        Read from(own, handler);
        Write to(back, handler, sycl::no_init);
        handler.copy(from, to);
      });
      for (std::size_t i = 0; i < count; ++i) locked[i] += 1;
    }
    queue.submit([&](sycl::handler& handler) {
      ReadWrite part(in_place, handler, sycl::range<1>(count / 4), sycl::id<1>(count / 4));
      handler.fill(part, 5);
    });
    // A part of a buffer as a buffer of its own; its place must suit the device.
    sycl::buffer<int, 1> half(own, sycl::id<1>(count / 2), sycl::range<1>(count / 2));
    queue.submit([&](sycl::handler& handler) {
      Write to(half, handler);
      handler.fill(to, 9);
    });
    sycl::buffer<float, 2> plate{sycl::range<2>(16, 32)};
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor<float, 2, sycl::access_mode::write> to(plate, handler, sycl::no_init);
      handler.fill(to, 1.5f);
    });
    sycl::host_accessor<int, 1, sycl::access_mode::read> all(own);
    if (all[0] != 4 || all[count - 1] != 9) return std::printf("buffers: WRONG\n"), 1;
  }
  if (result[0] != 4 || used[count / 4] != 5 || used[0] != 7) return std::printf("buffers: WRONG\n"), 1;
  std::printf("buffers: ok\n");
}

// Copies that are needed and copies that are not: USM sent to the device and read back once and again, sent and
// overwritten, sent and released; and a buffer that two contexts use by turns, which the runtime moves.
#include "work.hpp"

namespace {

constexpr std::size_t count = 1 << 20;

using Write = sycl::accessor<int, 1, sycl::access_mode::write>;
using Read = sycl::accessor<int, 1, sycl::access_mode::read>;

}  // namespace

int main() {
  sycl::queue queue{sycl::property::queue::in_order{}};
  std::vector<int> numbers(count, 7), back(count, 0);
  const std::size_t bytes = count * sizeof(int);

  int* const first = sycl::malloc_device<int>(count, queue);
  queue.memcpy(first, numbers.data(), bytes).wait();  // needed: read by the next one
  queue.memcpy(back.data(), first, bytes).wait();     // the result
  queue.memcpy(back.data(), first, bytes).wait();     // unchanged
  if (back != numbers) return std::printf("transfers: WRONG\n"), 1;

  int* const second = sycl::malloc_device<int>(count, queue);
  queue.memcpy(second, numbers.data(), bytes).wait();  // never read: overwritten
  queue.memset(second, 0, bytes).wait();

  int* const third = sycl::malloc_device<int>(count, queue);
  queue.memcpy(third, numbers.data(), bytes).wait();  // never read: released
  sycl::free(third, queue);
  sycl::free(second, queue);
  sycl::free(first, queue);

  const sycl::device device = queue.get_device();
  sycl::queue here{sycl::context{device}, device}, there{sycl::context{device}, device};
  {
    sycl::buffer<int, 1> moved{sycl::range<1>(count)};
    here.submit([&](sycl::handler& handler) {
      Write to(moved, handler, sycl::no_init);
      handler.fill(to, 3);
    });
    there.submit([&](sycl::handler& handler) {
      Read from(moved, handler);
      handler.copy(from, back.data());
    });
    there.wait();
    sycl::host_accessor<int, 1, sycl::access_mode::read> result(moved);
    if (back[5] != 3 || result[6] != 3) return std::printf("transfers: WRONG\n"), 1;
  }
  std::printf("transfers: ok\n");
}

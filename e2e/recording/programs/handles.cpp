// Handles of buffers change hands, which makes no buffer: swaps, copies, moves, another element type. And sub-buffers that
// are really there: one that is moved, and two of one size.
#include "work.hpp"

#include <utility>

namespace {

constexpr std::size_t count = 1 << 12;
using Buffer = sycl::buffer<int, 1>;

void fill(sycl::queue& queue, Buffer& buffer, int value) {
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor<int, 1, sycl::access_mode::write> to(buffer, handler);
    handler.fill(to, value);
  });
}

}  // namespace

int main() {
  sycl::queue queue;
  Buffer one{sycl::range<1>(count)}, other{sycl::range<1>(count)};
  for (int step = 0; step < 4; ++step) {
    fill(queue, one, step);
    std::swap(one, other);
  }
  std::vector<Buffer> copies(3, one);
  sycl::buffer<short, 1> shorts = one.reinterpret<short, 1>(sycl::range<1>(2 * count));

  Buffer half(one, sycl::id<1>(count / 2), sycl::range<1>(count / 2));
  Buffer moved = std::move(half);
  fill(queue, moved, 5);

  Buffer left(one, sycl::id<1>(0), sycl::range<1>(count / 4));
  Buffer right(one, sycl::id<1>(count / 4), sycl::range<1>(count / 4));
  std::swap(left, right);
  fill(queue, left, 6);
  fill(queue, right, 7);

  sycl::host_accessor<int, 1, sycl::access_mode::read> all(one);
  if (all[0] != 7 || all[count / 4] != 6 || all[count - 1] != 5) return std::printf("handles: WRONG\n"), 1;
  std::printf("handles: ok\n");
}

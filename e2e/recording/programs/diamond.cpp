// Four command groups on buffers whose dependences form a diamond: fill, two copies of it, and one that joins.
#include "work.hpp"

int main() {
  using Read = sycl::accessor<int, 1, sycl::access_mode::read>;
  using Write = sycl::accessor<int, 1, sycl::access_mode::write>;
  constexpr std::size_t count = 1 << 12;
  const sycl::range<1> all(count);
  sycl::queue queue;
  sycl::buffer<int, 1> top{all}, left{all}, right{all}, bottom{all};

  queue.submit([&](sycl::handler& handler) {
    Write to(top, handler, sycl::no_init);
    handler.fill(to, 3);
  });
  queue.submit([&](sycl::handler& handler) {
    Read from(top, handler);
    Write to(left, handler, sycl::no_init);
    handler.copy(from, to);
  });
  queue.submit([&](sycl::handler& handler) {
    Read from(top, handler);
    Write to(right, handler, sycl::no_init);
    handler.copy(from, to);
  });
  queue.submit([&](sycl::handler& handler) {
    Read from_right(right, handler);
    Read from_left(left, handler);
    Write to(bottom, handler, sycl::no_init);
    handler.copy(from_left, to);
  });
  sycl::host_accessor<int, 1, sycl::access_mode::read> result(bottom);
  for (std::size_t i = 0; i < count; ++i)
    if (result[i] != 3) return std::printf("diamond: WRONG\n"), 1;
  std::printf("diamond: ok\n");
}

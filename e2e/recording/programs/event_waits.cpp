// flags: -g
//
// Commands are submitted on one line and waited for on another; a chain waits where it is submitted.
#include "work.hpp"

int main() {
  constexpr std::size_t count = 1 << 16;
  std::vector<int> numbers(count, 1), back(count, 0);
  sycl::queue queue;
  sycl::queue ordered{sycl::property::queue::in_order()};
  int* const device = sycl::malloc_device<int>(count, queue);
  sycl::event in = queue.memcpy(device, numbers.data(), count * sizeof(int));
  in.wait();
  sycl::event out = queue.memcpy(back.data(), device, count * sizeof(int));
  sycl::event::wait({in, out});
  queue.memset(device, 0, count * sizeof(int)).wait();
  ordered.memset(device, 0, count * sizeof(int));
  ordered.wait();
  sycl::free(device, queue);
  std::printf("event waits: %s\n", back == numbers ? "ok" : "WRONG");
}

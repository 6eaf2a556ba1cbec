// Provokes three exceptions of the runtime and catches them all, so that the program ends well: two at once, and one from
// a host task, which comes to the queue's handler.
#include "work.hpp"

#include <stdexcept>

int main() {
  int caught = 0;
  sycl::queue queue{[&](const sycl::exception_list& exceptions) { caught += int(exceptions.size()); }};
  round_trip(queue);
  try {
    queue.memcpy(nullptr, nullptr, 16).wait();
  } catch (const sycl::exception&) {
    ++caught;
  }
  try {
    sycl::buffer<int, 1> buffer{sycl::range<1>(16)};
    sycl::buffer<int, 1> beyond(buffer, sycl::id<1>(8), sycl::range<1>(16));
  } catch (const sycl::exception&) {
    ++caught;
  }
  queue.submit([](sycl::handler& handler) {
    handler.host_task([] { throw std::runtime_error("the host task gives up"); });
  });
  queue.wait_and_throw();
  std::printf("caught %d exceptions\n", caught);
  return caught == 3 ? 0 : 1;
}

// Provokes two exceptions of the runtime and catches both, so that the program ends well.
#include "work.hpp"

int main() {
  sycl::queue queue;
  round_trip(queue);
  int caught = 0;
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
  std::printf("caught %d exceptions\n", caught);
  return caught == 2 ? 0 : 1;
}

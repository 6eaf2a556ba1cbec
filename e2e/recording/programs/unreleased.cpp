// Allocates each kind of USM memory twice and gives one of each back: 4096 bytes of device memory, 8192 of host
// and 16384 of shared memory stay.
#include "work.hpp"

int main() {
  sycl::queue queue;
  round_trip(queue);
  void* const kept[] = {sycl::malloc_device(4096, queue), sycl::malloc_host(8192, queue),
                        sycl::malloc_shared(16384, queue)};
  void* const given_back[] = {sycl::malloc_device(4096, queue), sycl::malloc_host(8192, queue),
                              sycl::malloc_shared(16384, queue)};
  for (void* const memory : given_back) sycl::free(memory, queue);
  for (void* const memory : kept)
    if (memory == nullptr) return std::printf("unreleased: no memory\n"), 1;
  std::printf("unreleased: ok\n");
}

// USM of the three kinds, on a queue out of order and on one in order: memset, fill, memcpy, also of rows, prefetch,
// advice, and barriers with and without events. Each queue does the same.
#include "work.hpp"

namespace {

constexpr std::size_t width = 64, height = 32, pitch = 96;

bool commands(sycl::queue queue) {
  unsigned char* const device = sycl::malloc_device<unsigned char>(pitch * height, queue);
  unsigned char* const shared = sycl::malloc_shared<unsigned char>(pitch * height, queue);
  unsigned char* const host = sycl::malloc_host<unsigned char>(pitch * height, queue);
  unsigned char* const aligned = sycl::aligned_alloc_device<unsigned char>(256, width, queue);

  const sycl::event cleared = queue.memset(device, 1, pitch * height);
  const sycl::event filled = queue.fill<unsigned char>(shared, 2, pitch * height, cleared);
  const sycl::event copied = queue.memcpy(host, device, pitch * height, {cleared, filled});
  const sycl::event typed = queue.copy(shared, aligned, width, copied);
  const sycl::event joined = queue.ext_oneapi_submit_barrier({typed, copied});
  queue.ext_oneapi_memcpy2d(host, pitch, shared, pitch, width, height, joined);
  queue.ext_oneapi_submit_barrier();
  queue.mem_advise(shared, pitch * height, 0);
  queue.prefetch(shared, pitch * height);
  queue.wait();

  const bool ok = host[0] == 2 && host[width] == 1 && shared[0] == 2;
  sycl::free(device, queue);
  sycl::free(shared, queue);
  sycl::free(host, queue);
  sycl::free(aligned, queue);
  return ok;
}

}  // namespace

int main() {
  const sycl::queue out_of_order, in_order{out_of_order.get_context(), out_of_order.get_device(),
                                           sycl::property::queue::in_order{}};
  if (!commands(out_of_order) || !commands(in_order)) return std::printf("usm: WRONG\n"), 1;
  std::printf("usm: ok\n");
}

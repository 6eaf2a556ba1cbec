// Ends while a kernel runs and a copy waits for it; a third command is done, and a command graph has run.
#include "faults/kernels.hpp"

namespace syclex = sycl::ext::oneapi::experimental;

int main() {
  // Never destroyed: that would wait.
  sycl::queue& queue = *new sycl::queue{sycl::property::queue::in_order{}};
  const sycl::kernel kernel = faults::build(queue.get_context()).ext_oneapi_get_kernel("grow_usm");
  constexpr std::size_t count = 1 << 10;
  float* const device = sycl::malloc_device<float>(count, queue);
  std::vector<float>& host = *new std::vector<float>(count);
  queue.fill(device, 1.0f, count).wait();

  syclex::command_graph recorded{queue.get_context(), queue.get_device()};
  recorded.begin_recording(queue);
  faults::grow(queue, kernel, device, count, 2);
  recorded.end_recording(queue);
  queue.ext_oneapi_graph(recorded.finalize()).wait();

  faults::grow(queue, kernel, device, count, 20'000'000);
  queue.memcpy(host.data(), device, count * sizeof(float));
  std::printf("unfinished: ok\n");
  std::fflush(stdout);
  std::exit(0);
}

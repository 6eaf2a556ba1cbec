// flags: -g
// Blurs a signal with wider and wider windows.
#include "../../kernels.hpp"

namespace {

constexpr std::size_t samples = 1 << 18, group = 256;

const char* const text = R"(
KERNEL blur(const float* from, float* to) {
  const size_t last = work_item().get_global_range(0) - 1;
  float sum = 0;
  for (int at = -WIDTH; at <= WIDTH; ++at) sum += from[sycl::clamp(long(item()) + at, 0l, long(last))];
  to[item()] = sum / (2 * WIDTH + 1);
}
)";

}  // namespace

int main() {
  sycl::queue queue{sycl::property::queue::in_order{}};
  float* from = sycl::malloc_device<float>(samples, queue);
  float* to = sycl::malloc_device<float>(samples, queue);
  queue.fill(from, 1.0f, samples);

  for (int width = 1; width <= 3; ++width) {
    const std::string constant = "constexpr int WIDTH = " + std::to_string(width) + ";";
    const sycl::kernel blur = problems::build(queue.get_context(), constant + text).ext_oneapi_get_kernel("blur");
    queue.submit([&](sycl::handler& handler) {
      handler.set_args(from, to);
      handler.parallel_for(sycl::nd_range<1>(samples, group), blur);
    });
    std::swap(from, to);
  }

  float result = 0;
  queue.memcpy(&result, from, sizeof(float)).wait();
  sycl::free(from, queue);
  sycl::free(to, queue);
  std::printf("blur: %s\n", result == 1.0f ? "ok" : "WRONG");
  return result == 1.0f ? 0 : 1;
}

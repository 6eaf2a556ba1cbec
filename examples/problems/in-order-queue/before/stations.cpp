// flags: -g
// Signals of four stations, each smoothed ten times: what is done with one has nothing to do with the others.
#include "../../kernels.hpp"

namespace {

constexpr std::size_t stations = 4, samples = 1 << 11, group = 1 << 10;
constexpr int rounds = 10;

const char* const text = R"(
KERNEL smooth(float* signal) {
  float* const own = signal + 2 * item();
  for (int step = 0; step < 4000; ++step) {
    const float mean = 0.5f * (own[0] + own[1]);
    own[0] += 0.001f * (mean - own[0]);
    own[1] += 0.001f * (mean - own[1]);
  }
}
)";

}  // namespace

int main() {
  sycl::queue queue{sycl::property::queue::in_order{}};
  const sycl::kernel smooth = problems::build(queue.get_context(), text).ext_oneapi_get_kernel("smooth");

  float* signals[stations];
  sycl::event last[stations];
  for (std::size_t i = 0; i < stations; ++i) {
    signals[i] = sycl::malloc_device<float>(samples, queue);
    last[i] = queue.fill(signals[i], float(i), samples);
  }
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < stations; ++i)
      last[i] = queue.submit([&](sycl::handler& handler) {
        handler.set_args(signals[i]);
        handler.parallel_for(sycl::nd_range<1>(samples / 2, group), smooth);
      });

  bool ok = true;
  for (std::size_t i = 0; i < stations; ++i) {
    std::vector<float> result(samples);
    queue.memcpy(result.data(), signals[i], samples * sizeof(float), last[i]).wait();
    for (const float sample : result) ok = ok && sample == float(i);
    sycl::free(signals[i], queue);
  }
  std::printf("stations: %s\n", ok ? "ok" : "WRONG");
  return ok ? 0 : 1;
}

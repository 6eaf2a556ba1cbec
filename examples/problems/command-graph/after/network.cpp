// flags: -g
// A small neural network, asked again and again: its eight layers are a command graph.
#include "../../kernels.hpp"

namespace {

namespace syclex = sycl::ext::oneapi::experimental;

constexpr std::size_t width = 1 << 12, group = 256;
constexpr int layers = 8, questions = 500;

const char* const text = R"(
KERNEL layer(const float* from, float* to) { to[item()] = sycl::fmax(0.5f * from[item()] + 1.0f, 0.0f); }
)";

}  // namespace

int main() {
  sycl::queue queue{sycl::property::queue::in_order{}};
  const sycl::kernel layer = problems::build(queue.get_context(), text).ext_oneapi_get_kernel("layer");
  float* const in = sycl::malloc_device<float>(width, queue);
  float* const out = sycl::malloc_device<float>(width, queue);

  const auto recorded = [&] {
    syclex::command_graph graph(queue);
    graph.begin_recording(queue);
    for (int number = 0; number < layers; ++number)
      queue.submit([&](sycl::handler& handler) {
        handler.set_args(number % 2 ? out : in, number % 2 ? in : out);
        handler.parallel_for(sycl::nd_range<1>(width, group), layer);
      });
    graph.end_recording();
    return graph.finalize();
  };

  const auto graph = recorded();
  std::vector<float> data(questions * width);
  for (int question = 0; question < questions; ++question) {
    float* const own = &data[question * width];
    std::fill_n(own, width, float(question));
    queue.memcpy(in, own, width * sizeof(float));
    queue.ext_oneapi_graph(graph);
    queue.memcpy(own, in, width * sizeof(float));
  }
  queue.wait();
  sycl::free(in, queue);
  sycl::free(out, queue);
  const bool ok = data.front() > 1.9f && data.front() < 2.0f && data.back() > 3.9f && data.back() < 4.0f;
  std::printf("network: %s\n", ok ? "ok" : "WRONG");
  return ok ? 0 : 1;
}

// flags: -g
// Two stages of a pipeline for pictures, each with its own queue as if it came from a library of its own.
#include "../../kernels.hpp"

namespace {

using problems::ReadWrite;

constexpr std::size_t pixels = 1 << 20, group = 256;
constexpr int pictures = 10;

const char* const text = R"(
KERNEL darken(ReadWrite pixels) { pixels[item()] *= 0.5f; }
KERNEL brighten(ReadWrite pixels) { pixels[item()] += 1.0f; }
)";

struct Stage {
  sycl::queue queue;
  sycl::kernel kernel;

  Stage(const sycl::context& context, const char* name)
      : queue(context, context.get_devices()[0]),
        kernel(problems::build(context, text).ext_oneapi_get_kernel(name)) {}

  void run(sycl::buffer<float, 1>& picture) {
    queue.submit([&](sycl::handler& handler) {
      ReadWrite changed(picture, handler);
      handler.set_args(changed);
      handler.parallel_for(sycl::nd_range<1>(pixels, group), kernel);
    });
  }
};

}  // namespace

int main() {
  const sycl::device device;
  const sycl::context shared(device);
  Stage darken(shared, "darken");
  Stage brighten(shared, "brighten");

  sycl::buffer<float, 1> picture{sycl::range<1>(pixels)};
  {
    sycl::host_accessor<float, 1, sycl::access_mode::write> black(picture, sycl::no_init);
    for (std::size_t i = 0; i < pixels; ++i) black[i] = 0;
  }
  for (int number = 0; number < pictures; ++number) {
    darken.run(picture);
    brighten.run(picture);
  }
  sycl::host_accessor<float, 1, sycl::access_mode::read> seen(picture);
  const bool ok = seen[0] > 1.99f && seen[pixels - 1] > 1.99f;
  std::printf("pipeline: %s\n", ok ? "ok" : "WRONG");
  return ok ? 0 : 1;
}

// A program that submits short commands without a pause, to see what recording adds to each (measure.py runs it).
//
//   short_commands ROUNDS COMMANDS [FILE]
//
// Prints for each round the nanoseconds that the submitting thread took for one kernel, and for one fill; the wait behind a round is
// not in them. Kernels are compiled at run time, or come as SYCLBIN from FILE, which is written where it does not exist: so a machine
// without the compiler's libraries can run what another one has compiled.
#include <sycl/sycl.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace syclex = sycl::ext::oneapi::experimental;

using Kernels = sycl::kernel_bundle<sycl::bundle_state::executable>;

static Kernels kernels(const sycl::context& context, const char* file) {
  if (file) {
    std::ifstream in(file, std::ios::binary);
    if (in) {
      const std::vector<char> bytes((std::istreambuf_iterator<char>(in)), {});
      return syclex::get_kernel_bundle<sycl::bundle_state::executable>(
          context, context.get_devices(), sycl::span<char>(const_cast<char*>(bytes.data()), bytes.size()));
    }
  }
  auto source = syclex::create_kernel_bundle_from_source(context, syclex::source_language::sycl, std::string(R"(
#include <sycl/sycl.hpp>
extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<1>))
void scale(float* numbers, float factor) {
  numbers[sycl::ext::oneapi::this_work_item::get_nd_item<1>().get_global_linear_id()] *= factor;
}
)"));
  Kernels built = syclex::build(source);
  if (file) {
    const auto bytes = built.ext_oneapi_get_content();
    std::ofstream(file, std::ios::binary).write(bytes.data(), bytes.size());
  }
  return built;
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
  const int commands = argc > 2 ? std::atoi(argv[2]) : 20000;
  const sycl::device device{sycl::default_selector_v};
  const sycl::context context{device};
  Kernels bundle = kernels(context, argc > 3 ? argv[3] : nullptr);
  const sycl::kernel scale = bundle.ext_oneapi_get_kernel("scale");
  sycl::queue queue{context, device, sycl::property::queue::in_order{}};
  float* const numbers = sycl::malloc_device<float>(1 << 10, queue);

  const auto kernel = [&] {
    queue.submit([&](sycl::handler& handler) {
      handler.set_args(numbers, 1.0f);
      handler.parallel_for(sycl::nd_range<1>(1024, 256), scale);
    });
  };
  const auto fill = [&] { queue.memset(numbers, 0, 4096); };
  const auto round = [&](const char* name, int count, const auto& command) {
    const auto begun = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) command();
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begun;
    queue.wait();
    if (name) std::printf("%s %.1f\n", name, taken.count() / count);
  };
  // What is done once, before the rounds count.
  round(nullptr, 1000, kernel);
  round(nullptr, 1000, fill);
  std::printf("device %s\n", device.get_info<sycl::info::device::name>().c_str());
  for (int i = 0; i < rounds; ++i) {
    round("kernel", commands, kernel);
    round("fill", commands, fill);
  }
  sycl::free(numbers, queue);
  return 0;
}

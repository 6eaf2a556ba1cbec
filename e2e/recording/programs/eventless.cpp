// An in-order queue and commands that return no event (sycl_ext_oneapi_enqueue_functions): 4 copies, 2
// memsets and 6 kernels, which only a recorder that asks for their events can time.
#include "work.hpp"

#include <string>

namespace syclex = sycl::ext::oneapi::experimental;

int main() {
  constexpr std::size_t count = 1 << 16;
  sycl::queue queue{sycl::property::queue::in_order{}};
  auto source = syclex::create_kernel_bundle_from_source(
      queue.get_context(), syclex::source_language::sycl, std::string(R"(
#include <sycl/sycl.hpp>
extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<1>))
void add(int* numbers, int what) {
  numbers[sycl::ext::oneapi::this_work_item::get_nd_item<1>().get_global_linear_id()] += what;
}
)"));
  // Kept until the process ends: libsycl may crash in its clean-up after main() if a command drops the last reference.
  static const auto kept = new auto(syclex::build(source));
  const sycl::kernel add = kept->ext_oneapi_get_kernel("add");

  std::vector<int> numbers(count, 100), back(count);
  int* const device = sycl::malloc_device<int>(count, queue);
  const std::size_t bytes = count * sizeof(int);
  const sycl::nd_range<1> all(count, 64);
  for (int round = 0; round < 2; ++round) {
    syclex::memset(queue, device, 0, bytes);
    syclex::memcpy(queue, device, numbers.data(), bytes);
    for (int i = 1; i <= 3; ++i) syclex::nd_launch(queue, all, add, device, i);
    syclex::memcpy(queue, back.data(), device, bytes);
  }
  queue.wait();
  sycl::free(device, queue);
  for (const int number : back)
    if (number != 106) return std::printf("eventless: WRONG\n"), 1;
  std::printf("eventless: ok\n");
}

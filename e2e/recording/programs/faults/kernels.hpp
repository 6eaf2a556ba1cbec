// The device code of the programs with faults, compiled by the runtime.
#pragma once

#include "../work.hpp"

#include <string>
#include <utility>

namespace faults {

using Executable = sycl::kernel_bundle<sycl::bundle_state::executable>;

// Two kernels that do the same as often as they are told: on USM, and on buffers. `salt` makes another program of it.
inline std::string source(int salt = 0) {
  return "constexpr float salt = " + std::to_string(salt) + ".0f;\n" + R"SYCL(
#include <sycl/sycl.hpp>

namespace syclex = sycl::ext::oneapi::experimental;
namespace work_item = sycl::ext::oneapi::this_work_item;

inline float grow(float value, int rounds) {
  for (int round = 0; round < rounds; ++round) value = value * 1.0001f + 0.5f + salt;
  return value;
}

extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::nd_range_kernel<1>))
void grow_usm(float* numbers, int rounds) {
  const size_t i = work_item::get_nd_item<1>().get_global_linear_id();
  numbers[i] = grow(numbers[i], rounds);
}

extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::nd_range_kernel<1>))
void grow_buffer(sycl::accessor<float, 1, sycl::access_mode::read_write> numbers, int rounds) {
  const size_t i = work_item::get_nd_item<1>().get_global_linear_id();
  numbers[i] = grow(numbers[i], rounds);
}
)SYCL";
}

inline Executable build(const sycl::context& context, int salt = 0) {
  namespace syclex = sycl::ext::oneapi::experimental;
  auto text = syclex::create_kernel_bundle_from_source(context, syclex::source_language::sycl, source(salt));
  // Kept until the process ends: commands that the runtime (2026.2) tidies up only after main() may hold the last
  // reference, and it crashes when they drop it then.
  return *new Executable(syclex::build(text));
}

// Runs grow_usm over `count` numbers.
inline sycl::event grow(sycl::queue& queue, const sycl::kernel& kernel, float* numbers, std::size_t count, int rounds) {
  return queue.submit([&](sycl::handler& handler) {
    handler.set_args(numbers, rounds);
    handler.parallel_for(sycl::nd_range<1>(sycl::range<1>(count), sycl::range<1>(64)), kernel);
  });
}

// Runs grow_buffer over all of a buffer.
inline sycl::event grow(sycl::queue& queue, const sycl::kernel& kernel, sycl::buffer<float, 1>& buffer, int rounds) {
  return queue.submit([&](sycl::handler& handler) {
    sycl::accessor<float, 1, sycl::access_mode::read_write> numbers(buffer, handler);
    handler.set_args(numbers, rounds);
    handler.parallel_for(sycl::nd_range<1>(buffer.get_range(), sycl::range<1>(64)), kernel);
  });
}

}  // namespace faults

// Kernels from their text, which the runtime compiles (sycl_ext_oneapi_kernel_compiler): so any C++17 compiler can build
// these programs.
#pragma once

#include <sycl/sycl.hpp>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace problems {

using Kernels = sycl::kernel_bundle<sycl::bundle_state::executable>;
using ReadWrite = sycl::accessor<float, 1, sycl::access_mode::read_write>;

// Compiles a text whose kernels begin with KERNEL and know their place by item().
inline Kernels& build(const sycl::context& context, const std::string& text) {
  namespace syclex = sycl::ext::oneapi::experimental;
  static const std::string head = R"(
#include <sycl/sycl.hpp>
#define KERNEL \
  extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<1>)) void
using ReadWrite = sycl::accessor<float, 1, sycl::access_mode::read_write>;
inline auto work_item() { return sycl::ext::oneapi::this_work_item::get_nd_item<1>(); }
inline size_t item() { return work_item().get_global_linear_id(); }
)";
  auto source = syclex::create_kernel_bundle_from_source(context, syclex::source_language::sycl, head + text);
  // Kept until the process ends: commands that the runtime (2026.2) tidies up only after main() may hold the last
  // reference, and it crashes when they drop it then.
  return *new Kernels(syclex::build(source));
}

}  // namespace problems

// The device code: real SYCL free-function kernels, compiled by the runtime when the program starts
// (sycl_ext_oneapi_kernel_compiler). That is why the host part needs no SYCL compiler.
#pragma once

#include <sycl/sycl.hpp>

#include <string>
#include <utility>

namespace heat {

// Side of a square work-group.
inline constexpr std::size_t tile = 16;

inline const char* kernel_source() {
  return R"SYCL(
#include <sycl/sycl.hpp>

namespace syclex = sycl::ext::oneapi::experimental;
namespace work_item = sycl::ext::oneapi::this_work_item;

using Plate = sycl::accessor<float, 2, sycl::access_mode::write>;
using ConstPlate = sycl::accessor<float, 2, sycl::access_mode::read>;

// One step over the whole plate; the rim keeps its temperature.
extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::nd_range_kernel<2>))
void diffuse(ConstPlate now, Plate next, float conduction) {
  const sycl::nd_item<2> item = work_item::get_nd_item<2>();
  const size_t row = item.get_global_id(0), column = item.get_global_id(1);
  const size_t last = item.get_global_range(0) - 1;
  const float here = now[row][column];
  if (row == 0 || column == 0 || row == last || column == last) {
    next[row][column] = here;
    return;
  }
  const float around = now[row - 1][column] + now[row + 1][column] + now[row][column - 1] + now[row][column + 1];
  next[row][column] = here + conduction * (around - 4.0f * here);
}

// How much each work-group's cells have changed from one plate to the other.
extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::nd_range_kernel<2>))
void change(ConstPlate before, ConstPlate after,
            sycl::accessor<float, 1, sycl::access_mode::write> change_of_group) {
  const sycl::nd_item<2> item = work_item::get_nd_item<2>();
  const sycl::id<2> cell = item.get_global_id();
  const float mine = sycl::fabs(after[cell] - before[cell]);
  const float all = sycl::reduce_over_group(item.get_group(), mine, sycl::plus<float>());
  if (item.get_local_linear_id() == 0) change_of_group[item.get_group_linear_id()] = all;
}

// One step over a band of rows that starts at first_row.
extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::nd_range_kernel<2>))
void diffuse_band(const float* now, float* next, size_t size, size_t first_row, float conduction) {
  const sycl::nd_item<2> item = work_item::get_nd_item<2>();
  const size_t row = first_row + item.get_global_id(0), column = item.get_global_id(1);
  const size_t cell = row * size + column;
  const float here = now[cell];
  if (row == 0 || column == 0 || row == size - 1 || column == size - 1) {
    next[cell] = here;
    return;
  }
  const float around = now[cell - size] + now[cell + size] + now[cell - 1] + now[cell + 1];
  next[cell] = here + conduction * (around - 4.0f * here);
}

// Temperatures to colours: 0 to 1000 degrees over a palette of 256.
extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::nd_range_kernel<1>))
void colour(const float* cells, const unsigned* palette, unsigned* pixels) {
  const size_t i = work_item::get_nd_item<1>().get_global_linear_id();
  const float step = sycl::clamp(cells[i] * (255.0f / 1000.0f), 0.0f, 255.0f);
  pixels[i] = palette[static_cast<int>(step)];
}
)SYCL";
}

class Kernels {
 public:
  explicit Kernels(const sycl::context& context) : Kernels(build(context)) {}

  const sycl::kernel diffuse, change, diffuse_band, colour;

 private:
  using Executable = sycl::kernel_bundle<sycl::bundle_state::executable>;

  explicit Kernels(Executable bundle)
      : diffuse(bundle.ext_oneapi_get_kernel("diffuse")),
        change(bundle.ext_oneapi_get_kernel("change")),
        diffuse_band(bundle.ext_oneapi_get_kernel("diffuse_band")),
        colour(bundle.ext_oneapi_get_kernel("colour")) {
    // Kept until the process ends, on purpose: commands that the runtime (2026.2) tidies up only after main() may
    // hold the last reference, and it crashes when they drop it then.
    new Executable(std::move(bundle));
  }

  static Executable build(const sycl::context& context) {
    namespace syclex = sycl::ext::oneapi::experimental;
    auto source = syclex::create_kernel_bundle_from_source(context, syclex::source_language::sycl,
                                                           std::string(kernel_source()));
    return syclex::build(source);
  }
};

}  // namespace heat

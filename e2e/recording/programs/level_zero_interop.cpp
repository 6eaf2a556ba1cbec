// Native handles of Level Zero that leave the runtime and enter it again, kept by the program; and how much of the device's
// memory is free, before and after an allocation.
#include "work.hpp"

#include <sycl/ext/intel/info/device.hpp>
#include <sycl/ext/oneapi/backend/level_zero.hpp>

int main() {
  constexpr auto level_zero = sycl::backend::ext_oneapi_level_zero;
  constexpr std::size_t bytes = 1 << 24;
  sycl::queue queue{sycl::property::queue::in_order{}};
  const sycl::device device = queue.get_device();

  const auto native_device = sycl::get_native<level_zero>(device);
  const auto native_context = sycl::get_native<level_zero>(queue.get_context());
  const sycl::device same = sycl::make_device<level_zero>(native_device);
  sycl::context context = sycl::make_context<level_zero>(
      {native_context, {same}, sycl::ext::oneapi::level_zero::ownership::keep});
  sycl::queue other{context, same, sycl::property::queue::in_order{}};

  using sycl::ext::intel::info::device::free_memory;
  const auto before = device.get_info<free_memory>();
  void* const memory = sycl::malloc_device(bytes, other);
  const auto after = device.get_info<free_memory>();
  other.memset(memory, 1, bytes).wait();
  sycl::free(memory, other);
  const bool ok = same == device && before - after >= bytes;
  std::printf("level zero interop: %s\n", ok ? "ok" : "WRONG");
  return ok ? 0 : 1;
}

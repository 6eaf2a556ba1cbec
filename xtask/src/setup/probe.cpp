// Lists the devices that a SYCL program sees; fails if there are none.
#include <sycl/detail/core.hpp>

#include <cstdio>

int main() {
  auto const devices = sycl::device::get_devices();
  for (auto const &device : devices)
    std::printf("%s\n", device.get_info<sycl::info::device::name>().c_str());
  return devices.empty() ? 1 : 0;
}

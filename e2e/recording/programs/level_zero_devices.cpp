// Every device of the platform in one context: each works on memory of its own, and what it has goes on to the next one, once
// from device to device and once through the host. With `--idle`, the last device is asked for, and left without work.
#include "work.hpp"

#include <cstring>

namespace {

constexpr std::size_t count = 1 << 16;
constexpr std::size_t bytes = count * sizeof(int);

}  // namespace

int main(int argc, char** argv) {
  const bool idle = argc > 1 && std::strcmp(argv[1], "--idle") == 0;
  const std::vector<sycl::device> devices = sycl::platform{sycl::default_selector_v}.get_devices();
  const sycl::context context{devices};
  std::vector<sycl::queue> queues;
  std::vector<int*> memory;
  for (const sycl::device& device : devices) {
    queues.emplace_back(context, device, sycl::property_list{sycl::property::queue::in_order{}});
    memory.push_back(sycl::malloc_device<int>(count, queues.back()));
  }
  const std::size_t busy = devices.size() - (idle ? 1 : 0);
  std::vector<int> numbers(count, 3), back(count, 0);
  queues[0].memcpy(memory[0], numbers.data(), bytes).wait();
  for (std::size_t next = 1; next < busy; ++next) {
    queues[next].memset(memory[next], 0, bytes).wait();
    queues[next - 1].memcpy(memory[next], memory[next - 1], bytes).wait();  // from device to device
    queues[next].memcpy(back.data(), memory[next], bytes).wait();           // and back, through the host
    queues[next - 1].memcpy(memory[next - 1], back.data(), bytes).wait();
  }
  queues[busy - 1].memcpy(back.data(), memory[busy - 1], bytes).wait();
  for (std::size_t i = 0; i < devices.size(); ++i) sycl::free(memory[i], queues[i]);
  std::printf("%zu devices: %s\n", devices.size(), back == numbers ? "ok" : "WRONG");
  return back == numbers ? 0 : 1;
}

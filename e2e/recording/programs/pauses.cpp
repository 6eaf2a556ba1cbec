// Pauses its own recording, as docs/RECORDING.md says: three fills are recorded, five are not, two are.
#include "work.hpp"

#include <dlfcn.h>
#include <xpti/xpti_trace_framework.h>

static void recording(const char* what) {
  const char* path = std::getenv("XPTI_FRAMEWORK_DISPATCHER");
  void* framework = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : nullptr;
  if (!framework) return;
  auto stream = reinterpret_cast<decltype(&xptiRegisterStream)>(dlsym(framework, "xptiRegisterStream"));
  auto notify = reinterpret_cast<decltype(&xptiNotifySubscribers)>(dlsym(framework, "xptiNotifySubscribers"));
  notify(stream("syclscope.control"), uint16_t(xpti::trace_point_type_t::function_begin), nullptr, nullptr, 0, what);
}

int main() {
  sycl::queue queue{sycl::property::queue::in_order{}};
  int* const numbers = sycl::malloc_device<int>(256, queue);
  const auto fill = [&](int times) {
    for (int i = 0; i < times; ++i) queue.fill(numbers, i, 256);
    queue.wait();
  };
  fill(3);
  recording("pause");
  fill(5);
  int* const more = sycl::malloc_device<int>(512, queue);
  recording("resume");
  fill(2);
  sycl::free(more, queue);
  sycl::free(numbers, queue);
  std::printf("ok\n");
}

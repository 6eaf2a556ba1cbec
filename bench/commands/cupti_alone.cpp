// Enables CUPTI's records of kernels, copies and fills, and discards them. CUDA_INJECTION64_PATH names this library,
// and CUPTI_LIBRARY names CUPTI's own, which is loaded at run time, so that the build needs nothing of CUDA.
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

using Request = void (*)(std::uint8_t**, std::size_t*, std::size_t*);
using Complete = void (*)(void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t);

static constexpr std::size_t bytes = 1 << 20;

static void request(std::uint8_t** buffer, std::size_t* size, std::size_t* records) {
  *buffer = static_cast<std::uint8_t*>(std::malloc(bytes));
  *size = bytes;
  *records = 0;
}

static void complete(void*, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t) { std::free(buffer); }

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  const char* path = std::getenv("CUPTI_LIBRARY");
  void* library = dlopen(path ? path : "libcupti.so", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::fprintf(stderr, "CUPTI can't be loaded: %s\n", dlerror());
    return 0;
  }
  const auto callbacks = reinterpret_cast<int (*)(Request, Complete)>(dlsym(library, "cuptiActivityRegisterCallbacks"));
  const auto enable = reinterpret_cast<int (*)(std::uint32_t)>(dlsym(library, "cuptiActivityEnable"));
  if (!callbacks || !enable || callbacks(request, complete)) return 0;
  // CUPTI_ACTIVITY_KIND_MEMCPY, MEMSET, CONCURRENT_KERNEL, MEMCPY2
  for (const std::uint32_t kind : {1u, 2u, 10u, 22u}) enable(kind);
  return 1;
}

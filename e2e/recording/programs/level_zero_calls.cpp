// flags: -ldl
// Copies and fills on several threads, each with a queue of its own: what they call of Level Zero depends on nothing but the
// adapter. `--loader-first`: Level Zero is there before SYCL is. `--fork`: forks between two rounds of that; the child
// allocates memory and ends with 4. `--announce`: before the second round there is a stream of calls of Level Zero, as of an
// adapter that sends them itself, with one call on it.
#include "work.hpp"

#include <xpti/xpti_trace_framework.h>

#include <cstring>
#include <dlfcn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

constexpr std::size_t bytes = 1 << 14;

bool work(const sycl::context& context, const sycl::device& device) {
  sycl::queue queue{context, device, sycl::property::queue::in_order{}};
  char* const memory = sycl::malloc_device<char>(bytes, queue);
  std::vector<char> back(bytes, 0);
  queue.memset(memory, 7, bytes);
  queue.memcpy(back.data(), memory, bytes).wait();
  sycl::free(memory, queue);
  return back == std::vector<char>(bytes, 7);
}

bool round(const sycl::context& context, const sycl::device& device) {
  bool good[3] = {};
  std::vector<std::thread> threads;
  for (bool& is_good : good) threads.emplace_back([&] { is_good = work(context, device); });
  for (std::thread& thread : threads) thread.join();
  return good[0] && good[1] && good[2];
}

template <typename Function>
Function* function(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

void announce() {
  constexpr const char* name = "sycl.experimental.level_zero.debug";
  const char* const path = std::getenv("XPTI_FRAMEWORK_DISPATCHER");
  void* const library = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : nullptr;
  if (!library) return;
  function<decltype(xptiInitialize)>(library, "xptiInitialize")(name, 1, 0, "1.0");
  const std::uint8_t stream = function<decltype(xptiRegisterStream)>(library, "xptiRegisterStream")(name);
  const auto notify = function<decltype(xptiNotifySubscribers)>(library, "xptiNotifySubscribers");
  std::uint64_t instance = 0;
  xpti::payload_t payload("adapter");
  xpti::trace_event_data_t* const event = function<decltype(xptiMakeEvent)>(library, "xptiMakeEvent")(
      "adapter", &payload, std::uint16_t(xpti::trace_event_type_t::algorithm), xpti::trace_activity_type_t::active, &instance);
  notify(stream, std::uint16_t(xpti::trace_point_type_t::function_begin), nullptr, event, 1, "zeOfTheAdapter");
  notify(stream, std::uint16_t(xpti::trace_point_type_t::function_end), nullptr, event, 1, "zeOfTheAdapter");
}

}  // namespace

int main(int argc, char** argv) {
  const auto has = [&](const char* word) {
    for (int i = 1; i < argc; ++i)
      if (std::strcmp(argv[i], word) == 0) return true;
    return false;
  };
  if (has("--loader-first"))
    if (void* const loader = dlopen("libze_loader.so.1", RTLD_NOW)) std::printf("init: %d\n", function<int(unsigned)>(loader, "zeInit")(0));
  const sycl::device device{sycl::default_selector_v};
  const sycl::context context{device};
  if (!round(context, device)) return std::printf("level zero calls: WRONG\n"), 1;
  std::fflush(stdout);
  if (has("--fork")) {
    const pid_t child = fork();
    if (child == 0) {
      sycl::free(sycl::malloc_host<int>(16, context), context);
      _exit(4);
    }
    int status = 0;
    waitpid(child, &status, 0);
    std::printf("child ended with %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  }
  if (has("--announce")) announce();
  if (!round(context, device)) return std::printf("level zero calls: WRONG\n"), 1;
  std::printf("level zero calls: ok\n");
}

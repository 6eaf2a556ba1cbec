// Notifies the stand-in for the runtime of waits from nested, recursive, inlined and unloaded code. Prints the calls
// that led to each wait, as function and line, the innermost call first.
//
// Usage: stacks STAND_IN PLUGIN, with the recorder's settings in the environment.
#include <cstdint>
#include <cstdio>
#include <dlfcn.h>
#include <string>
#include <thread>
#include <vector>

struct Payload { const char *name, *stack, *file; uint32_t rest[14]; };
struct Event { uint64_t ids[3]; uint16_t kinds[4]; uint64_t ends[2]; Payload *payload; uint64_t rest[8]; };
using Notify = void (*)(uint8_t, uint8_t, uint16_t, void *, void *, uint64_t, const char *);
using Plugin = void (*)(void (*)(void *), void *);

static constexpr uint16_t WAIT_BEGIN = 22, WAIT_END = 23;
static Notify notify;
static uint8_t stream;
static thread_local std::vector<std::string> calls;
static Payload payload{"", nullptr, "", {}};
static Event event{{1}, {}, {}, &payload, {}};

/// Makes a call, and adds its function and line to `calls` meanwhile.
#define AT(call) do { calls.push_back(std::string(__func__) + ":" + std::to_string(__LINE__)); call; calls.pop_back(); } while (0)

static void say() {
  std::string line;
  for (auto call = calls.rbegin(); call != calls.rend(); ++call) line += *call + " ";
  static uint64_t instance = 0;
  std::puts(line.c_str());
  notify(stream, 0, WAIT_BEGIN, nullptr, &event, ++instance, "queue.wait[0x7]");
  notify(stream, 0, WAIT_END, nullptr, &event, instance, nullptr);
}

__attribute__((noinline)) void wait_here(void *) { AT(say()); }
__attribute__((noinline)) void recursive(int level) {
  if (level) AT(recursive(level - 1)); else AT(wait_here(nullptr));
}
static inline __attribute__((always_inline)) void inlined(int level) { AT(recursive(level)); }
__attribute__((noinline)) void step(int level) { AT(inlined(level)); }
/// A function with an aligned frame of variable size.
__attribute__((noinline)) void aligned(int bytes) {
  alignas(64) volatile char first[64];
  volatile char *room = static_cast<volatile char *>(__builtin_alloca(bytes));
  room[bytes - 1] = first[0] = 1;
  AT(step(1));
}

int main(int, char **arguments) {
  void *runtime = dlopen(arguments[1], RTLD_NOW | RTLD_GLOBAL);
  notify = reinterpret_cast<Notify>(dlsym(runtime, "fake_notify"));
  stream = reinterpret_cast<uint8_t (*)(const char *)>(dlsym(runtime, "fake_stream"))("sycl");
  reinterpret_cast<void (*)()>(dlsym(runtime, "fake_load"))();
  reinterpret_cast<void (*)(const char *)>(dlsym(runtime, "fake_announce"))("sycl");
  AT(wait_here(nullptr));
  for (int round = 0; round < 3; ++round) AT(step(round));
  AT(step(60));
  for (int bytes : {100, 5000}) AT(aligned(bytes));
  // A library without symbols is loaded and unloaded.
  for (int round = 0; round < 3; ++round) {
    void *library = dlopen(arguments[2], RTLD_NOW);
    Plugin plugin = reinterpret_cast<Plugin>(dlsym(library, "plugin"));
    AT(plugin(wait_here, nullptr));
    dlclose(library);
    AT(step(round));
  }
  std::thread([] { AT(step(2)); }).join();
  reinterpret_cast<void (*)(const char *)>(dlsym(runtime, "fake_finish"))("sycl");
}

// flags: -g
//
// Copies, waits and allocations below nested, recursive and inlined functions. For each the program prints the calls that led to it,
// the innermost one first.
#include <string>

#include "work.hpp"

static std::vector<std::string> calls;

/// Makes a call, and says where it is made.
#define AT(call) do { calls.push_back(std::string(__func__) + ":" + std::to_string(__LINE__)); call; calls.pop_back(); } while (0)

static void say(const char* what, std::size_t bytes) {
  std::printf("%s %zu", what, bytes);
  for (auto call = calls.rbegin(); call != calls.rend(); ++call) std::printf(" %s", call->c_str());
  std::puts("");
}

/// Each copy has a size of its own.
static std::size_t bytes = 0;

__attribute__((noinline)) void exchange(sycl::queue& queue, char* device, std::vector<char>& host) {
  bytes += 8;
  AT(say("copy", bytes); queue.memcpy(device, host.data(), bytes));
  AT(say("wait", bytes); queue.wait());
  AT(say("wait", bytes); queue.memset(device, 0, 4).wait());
}

static inline __attribute__((always_inline)) void step(sycl::queue& queue, char* device, std::vector<char>& host) {
  AT(exchange(queue, device, host));
}

__attribute__((noinline)) void refine(int level, sycl::queue& queue, char* device, std::vector<char>& host) {
  if (level) AT(refine(level - 1, queue, device, host));
  else AT(step(queue, device, host));
}

__attribute__((noinline)) char* allocate(std::size_t size, sycl::queue& queue) {
  char* made;
  AT(say("allocation", size); made = sycl::malloc_device<char>(size, queue));
  return made;
}

int main() {
  sycl::queue queue{sycl::property::queue::in_order()};
  std::vector<char> host(1 << 12);
  char* device;
  AT(device = allocate(1 << 12, queue));
  for (int level = 0; level < 4; ++level) AT(refine(level, queue, device, host));
  for (int round = 0; round < 3; ++round) AT(step(queue, device, host));
  sycl::free(device, queue);
}

// Submits fills, about two a millisecond, until a signal ends it (or ten minutes have passed), and says of each when it
// had been submitted: a line with CLOCK_MONOTONIC in nanoseconds. Before the first it prints "ready".
#include "work.hpp"

#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

static std::int64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

// At once: what a killed program has buffered is lost.
static void say(const char* text) { (void)!write(1, text, std::strlen(text)); }

int main() {
  sycl::queue queue{sycl::property::queue::in_order{}};
  int* const numbers = sycl::malloc_device<int>(256, queue);
  queue.wait();
  say("ready\n");
  for (const std::int64_t end = now() + 600'000'000'000; now() < end;) {
    queue.fill(numbers, 7, 256);
    char line[32];
    std::snprintf(line, sizeof line, "%lld\n", static_cast<long long>(now()));
    say(line);
    usleep(500);
  }
  sycl::free(numbers, queue);
}

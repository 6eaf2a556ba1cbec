// Works until a signal ends it (or ten minutes have passed), a few hundred rounds a second: so few that a recorder keeps
// up with them on a busy machine, too. Prints "ready" after the first round and then a line a second with the number of
// rounds so far. With `--polite` SIGTERM is caught: the program says
// "terminated" and exits with 7.
#include "work.hpp"

#include <chrono>
#include <csignal>
#include <string>
#include <thread>

namespace {
volatile std::sig_atomic_t terminated = 0;
}

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "--polite") std::signal(SIGTERM, [](int) { terminated = 1; });

  sycl::queue queue;
  round_trip(queue);
  std::printf("ready\n");
  std::fflush(stdout);

  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  Clock::time_point next_line = start + std::chrono::seconds(1);
  for (unsigned long rounds = 1; Clock::now() - start < std::chrono::minutes(10); ++rounds) {
    round_trip(queue, 1 << 12);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (terminated) {
      std::printf("terminated\n");
      return 7;
    }
    if (Clock::now() >= next_line) {
      std::printf("%lu\n", rounds);
      std::fflush(stdout);
      next_line += std::chrono::seconds(1);
    }
  }
  return 0;
}

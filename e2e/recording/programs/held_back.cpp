// flags: -pthread
// In-order queues of two threads whose commands host tasks hold back: the runtime hands them over later, on a thread of its own or on one
// that waits. The commands of a queue write 1, 2, 3, … numbers, so that their sizes say in which order they were submitted.
#include "work.hpp"

#include <thread>

constexpr int rounds = 12;

static bool run(int seed) {
  sycl::queue queue{sycl::property::queue::in_order{}};
  constexpr std::size_t most = rounds * 4 + 4;
  int* const shared = sycl::malloc_shared<int>(most, queue);
  int* const other = sycl::malloc_shared<int>(most, queue);
  std::vector<int> numbers(most), back(most, -1);
  std::size_t size = 0;
  bool ok = true;
  for (int round = 0; round < rounds; ++round) {
    for (int& number : numbers) number = seed + round;
    ++size;
    queue.memcpy(shared, numbers.data(), size * sizeof(int));
    queue.submit([&](sycl::handler& handler) { handler.host_task([=] { shared[0] += 1; }); });
    ++size;
    queue.memcpy(back.data(), shared, size * sizeof(int));
    ++size;
    queue.memcpy(other, shared, size * sizeof(int));
    if (round % 3 == 0) queue.submit([&](sycl::handler& handler) { handler.host_task([=] { other[0] += 1; }); });
    if (round % 4 == 3) {
      ++size;
      queue.memcpy(back.data(), other, size * sizeof(int)).wait();
    }
    if (round % 2 == 1) queue.wait();
    const int first = seed + round + 1, second = first + (round % 3 == 0);
    if (round % 2 == 1) ok = ok && other[0] == second && back[0] == (round % 4 == 3 ? second : first);
  }
  queue.wait();
  sycl::free(shared, queue);
  sycl::free(other, queue);
  return ok;
}

int main() {
  bool first = false, second = false;
  std::thread one([&] { first = run(100); });
  std::thread other([&] { second = run(1000); });
  one.join();
  other.join();
  if (!first || !second) return std::printf("held back: WRONG\n"), 1;
  std::printf("held back: ok\n");
}

// flags: -pthread
// Eight threads submit at once, each to a queue of its own: four in-order and four out-of-order ones, all on one
// device and context. Only the main thread waits. (When many threads wait at once, Intel's OpenCL CPU device can
// hang on a machine with few cores, recorded or not.)
#include "work.hpp"

#include <thread>

namespace {

struct Lane {
  sycl::queue queue;
  int* memory;
};

constexpr std::size_t count = 1 << 8;

// A chain of commands on the lane's memory: after it every number is `rounds`.
void submit(Lane& lane, int rounds) {
  sycl::event last;
  for (int round = 1; round <= rounds; ++round) {
    const sycl::event filled = lane.queue.fill(lane.memory, round, count, last);
    last = lane.queue.memcpy(lane.memory + count, lane.memory, count * sizeof(int), filled);
  }
}

}  // namespace

int main() {
  constexpr int rounds = 500;
  const sycl::device device{sycl::default_selector_v};
  const sycl::context context{device};

  std::vector<Lane> lanes;
  for (int i = 0; i < 8; ++i) {
    sycl::property_list properties;
    if (i % 2 == 0) properties = {sycl::property::queue::in_order{}};
    sycl::queue queue{context, device, properties};
    lanes.push_back({queue, sycl::malloc_device<int>(2 * count, queue)});
  }

  std::vector<std::thread> threads;
  for (Lane& lane : lanes) threads.emplace_back([&lane] { submit(lane, rounds); });
  for (std::thread& thread : threads) thread.join();

  bool ok = true;
  for (Lane& lane : lanes) {
    std::vector<int> back(count);
    lane.queue.wait();
    lane.queue.memcpy(back.data(), lane.memory + count, count * sizeof(int)).wait();
    for (const int number : back) ok = ok && number == rounds;
    sycl::free(lane.memory, lane.queue);
  }
  std::printf("8 threads, %d rounds each: %s\n", rounds, ok ? "ok" : "WRONG");
  return ok ? 0 : 1;
}

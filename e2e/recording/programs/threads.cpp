// flags: -pthread
// Eight threads submit at once: four to a queue of their own, four to one that they share.
#include "work.hpp"

#include <thread>

int main() {
  constexpr int rounds = 500;
  const sycl::device device{sycl::default_selector_v};
  const sycl::context context{device};
  sycl::queue shared{context, device};

  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      sycl::queue own{context, device};
      sycl::queue& queue = i % 2 == 0 ? shared : own;
      for (int round = 0; round < rounds; ++round) round_trip(queue, 1 << 10);
    });
  for (std::thread& thread : threads) thread.join();
  std::printf("8 threads, %d round trips each: ok\n", rounds);
}

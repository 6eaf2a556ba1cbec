// A crowd, as libraries make it: hundreds of queues of which two run anything, and a pool of threads that do the like.
#include "work.hpp"
#include <thread>
#include <vector>

int main() {
  constexpr int queues = 400, threads = 12;
  constexpr std::size_t count = 1 << 10;
  std::vector<sycl::queue> crowd;
  for (int i = 0; i < queues; ++i) crowd.emplace_back(sycl::property::queue::in_order{});
  std::vector<int*> parts;
  for (int i = 0; i < threads; ++i) parts.push_back(sycl::malloc_shared<int>(count, crowd[0]));
  std::vector<std::thread> pool;
  for (int i = 0; i < threads; ++i)
    pool.emplace_back([&, i] { crowd[i % 2].fill(parts[i], i, count).wait(); });
  for (std::thread& thread : pool) thread.join();
  bool right = true;
  for (int i = 0; i < threads; ++i) {
    right = right && parts[i][0] == i && parts[i][count - 1] == i;
    sycl::free(parts[i], crowd[0]);
  }
  std::printf("crowd: %s\n", right ? "ok" : "WRONG");
  return right ? 0 : 1;
}

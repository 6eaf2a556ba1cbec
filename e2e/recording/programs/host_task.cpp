// A host task between two copies, and a queue that is destroyed before the program ends.
// The host task ends after the submission of the second copy, which would not depend on a task that is over.
#include "work.hpp"

#include <atomic>
#include <thread>

static std::atomic<bool> is_submitted{false};

int main() {
  constexpr std::size_t count = 1 << 12;
  std::vector<int> numbers(count, 1), back(count, 0);
  {
    sycl::queue queue;
    int* const shared = sycl::malloc_shared<int>(count, queue);
    const sycl::event in = queue.memcpy(shared, numbers.data(), count * sizeof(int));
    const sycl::event task = queue.submit([&](sycl::handler& handler) {
      handler.depends_on(in);
      handler.host_task([=] {
        while (!is_submitted) std::this_thread::yield();
        for (std::size_t i = 0; i < count; ++i) shared[i] += 1;
      });
    });
    sycl::event out = queue.memcpy(back.data(), shared, count * sizeof(int), task);
    is_submitted = true;
    out.wait();
    sycl::free(shared, queue);
  }
  for (const int number : back)
    if (number != 2) return std::printf("host task: WRONG\n"), 1;
  std::printf("host task: ok\n");
}

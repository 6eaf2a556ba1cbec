// A host task between two copies, and a queue that is destroyed before the program ends.
#include "work.hpp"

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
        for (std::size_t i = 0; i < count; ++i) shared[i] += 1;
      });
    });
    queue.memcpy(back.data(), shared, count * sizeof(int), task).wait();
    sycl::free(shared, queue);
  }
  for (const int number : back)
    if (number != 2) return std::printf("host task: WRONG\n"), 1;
  std::printf("host task: ok\n");
}

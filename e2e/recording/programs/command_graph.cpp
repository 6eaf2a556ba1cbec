// A command graph (sycl_ext_oneapi_graph), recorded from a queue once and submitted five times.
#include "work.hpp"

namespace syclex = sycl::ext::oneapi::experimental;

int main() {
  constexpr std::size_t count = 1 << 12;
  sycl::queue queue{sycl::property::queue::in_order{}};
  std::vector<int> in(count, 5), out(count, 0);
  int* const a = sycl::malloc_device<int>(count, queue);
  int* const b = sycl::malloc_device<int>(count, queue);

  syclex::command_graph graph{queue.get_context(), queue.get_device()};
  graph.begin_recording(queue);
  queue.fill(b, 1, count);
  queue.memcpy(a, in.data(), count * sizeof(int));
  queue.memcpy(b, a, count / 2 * sizeof(int));
  queue.memcpy(out.data(), b, count * sizeof(int));
  graph.end_recording();
  auto executable = graph.finalize();

  for (int i = 0; i < 5; ++i) queue.ext_oneapi_graph(executable).wait();
  sycl::free(a, queue);
  sycl::free(b, queue);
  if (out[0] != 5 || out[count - 1] != 1) return std::printf("command graph: WRONG\n"), 1;
  std::printf("command graph: ok\n");
}

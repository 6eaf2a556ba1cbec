// Command graphs on a GPU: one that is recorded from a queue and runs three times, one that is made by hand and changed between
// its runs. Results are of copies and fills only, so it runs on a driver whose kernels compute nothing, too.
#include "work.hpp"

#include <string>

namespace syclex = sycl::ext::oneapi::experimental;
using Graph = syclex::command_graph<syclex::graph_state::modifiable>;

namespace {

constexpr std::size_t count = 1 << 14;
constexpr std::size_t bytes = count * sizeof(int);
const sycl::nd_range<1> all(count, 64), half(count / 2, 64);

bool recorded(sycl::queue& queue, const sycl::kernel& kernel, int* left, int* right) {
  std::vector<int> numbers(count, 9), back(count, 0);
  Graph graph{queue};
  graph.begin_recording(queue);
  const sycl::event cleared = queue.memset(left, 0, bytes);
  const sycl::event sent = queue.memcpy(right, numbers.data(), bytes);
  const sycl::event worked = queue.submit([&](sycl::handler& handler) {
    handler.depends_on({cleared, sent});
    handler.set_args(left, 2);
    handler.parallel_for(all, kernel);
  });
  queue.memcpy(left, right, bytes, worked);
  graph.end_recording();
  auto executable = graph.finalize();
  for (int run = 0; run < 3; ++run) queue.ext_oneapi_graph(executable).wait();
  queue.memcpy(back.data(), left, bytes).wait();
  return back == numbers;
}

bool changed(sycl::queue& queue, const sycl::kernel& kernel, int* left) {
  Graph graph{queue};
  syclex::dynamic_parameter<int*> memory(left);
  auto node = graph.add([&](sycl::handler& handler) {
    handler.set_arg(0, memory);
    handler.set_arg(1, 1);
    handler.parallel_for(all, kernel);
  });
  auto executable = graph.finalize(syclex::property::graph::updatable{});
  queue.ext_oneapi_graph(executable).wait();
  node.update_nd_range(half);
  memory.update(left + count / 2);
  executable.update(node);
  queue.ext_oneapi_graph(executable).wait();
  return true;
}

}  // namespace

int main() {
  sycl::queue queue;
  auto source = syclex::create_kernel_bundle_from_source(queue.get_context(), syclex::source_language::sycl, std::string(R"(
#include <sycl/sycl.hpp>
extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<1>))
void add(int* numbers, int what) {
  numbers[sycl::ext::oneapi::this_work_item::get_nd_item<1>().get_global_linear_id()] += what;
}
)"));
  // Kept until the process ends: libsycl may crash in its clean-up after main() if a command drops the last reference.
  static const auto kept = new auto(syclex::build(source));
  const sycl::kernel add = kept->ext_oneapi_get_kernel("add");
  int* const left = sycl::malloc_device<int>(count, queue);
  int* const right = sycl::malloc_device<int>(count, queue);
  const bool ok = recorded(queue, add, left, right) && changed(queue, add, left);
  sycl::free(left, queue);
  sycl::free(right, queue);
  std::printf("level zero graph: %s\n", ok ? "ok" : "WRONG");
  return ok ? 0 : 1;
}

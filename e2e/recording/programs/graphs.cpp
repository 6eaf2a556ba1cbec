// Command graphs of every kind that the device can have; each is printed beside its name as `NAME.dot` (print_graph), and
// the number of its nodes and dependences as a line. Kernels from source, kept until the process ends.
#include "work.hpp"

#include <string>

namespace syclex = sycl::ext::oneapi::experimental;
using Graph = syclex::command_graph<syclex::graph_state::modifiable>;
using Executable = syclex::command_graph<syclex::graph_state::executable>;

namespace {

constexpr std::size_t count = 1 << 12;
const sycl::nd_range<1> all(count, 64);

struct Work {
  sycl::queue queue;
  sycl::kernel add;
  int* left;
  int* right;
  std::vector<int> back;

  // What the memory holds; it must be the same number everywhere.
  int number(const int* memory) {
    queue.memcpy(back.data(), memory, count * sizeof(int)).wait();
    for (const int found : back)
      if (found != back[0]) return -1;
    return back[0];
  }
};

void print(const Graph& graph, const std::string& name) {
  graph.print_graph(name + ".dot", true);
  std::size_t edges = 0;
  const auto nodes = graph.get_nodes();
  for (const auto& node : nodes) edges += node.get_predecessors().size();
  std::printf("%s: %zu nodes, %zu edges\n", name.c_str(), nodes.size(), edges);
}

// A diamond that names its dependences.
bool explicit_graph(Work& work) {
  Graph graph{work.queue};
  const auto top = graph.add([&](sycl::handler& handler) { handler.memset(work.left, 0, count * sizeof(int)); });
  const auto left = graph.add([&](sycl::handler& handler) {
    handler.set_args(work.left, 2);
    handler.parallel_for(all, work.add);
  }, {syclex::property::node::depends_on(top)});
  const auto right = graph.add([&](sycl::handler& handler) { handler.fill(work.right, 5, count); },
                               {syclex::property::node::depends_on(top)});
  graph.add([&](sycl::handler& handler) { handler.memcpy(work.right, work.left, count / 2 * sizeof(int)); },
            {syclex::property::node::depends_on(left, right)});
  graph.add([&](sycl::handler& handler) { handler.memcpy(work.right + count / 2, work.left, count / 2 * sizeof(int)); },
            {syclex::property::node::depends_on(left), syclex::property::node::depends_on(right)});
  print(graph, "explicit");
  Executable executable = graph.finalize();
  for (int i = 0; i < 3; ++i) work.queue.ext_oneapi_graph(executable).wait();
  return work.number(work.right) == 2;
}

// The same, recorded from a queue by its events.
bool recorded_graph(Work& work) {
  Graph graph{work.queue};
  graph.begin_recording(work.queue);
  const sycl::event top = work.queue.fill(work.left, 1, count);
  const sycl::event one = work.queue.submit([&](sycl::handler& handler) {
    handler.depends_on(top);
    handler.set_args(work.left, 3);
    handler.parallel_for(all, work.add);
  });
  const sycl::event two = work.queue.fill(work.right, 5, count, top);
  work.queue.memcpy(work.right, work.left, count * sizeof(int), {one, two});
  graph.end_recording(work.queue);
  print(graph, "recorded");
  Executable executable = graph.finalize();
  const sycl::event first = work.queue.ext_oneapi_graph(executable);
  work.queue.ext_oneapi_graph(executable, first).wait();
  return work.number(work.right) == 4;
}

// A host task cuts it into partitions.
bool with_host_task(Work& work) {
  int* const shared = sycl::malloc_shared<int>(count, work.queue);
  Graph graph{work.queue};
  const auto before = graph.add([&](sycl::handler& handler) { handler.fill(shared, 1, count); });
  const auto task = graph.add([&](sycl::handler& handler) {
    handler.host_task([=] { for (std::size_t i = 0; i < count; ++i) shared[i] += 10; });
  }, {syclex::property::node::depends_on(before)});
  graph.add([&](sycl::handler& handler) {
    handler.set_args(shared, 100);
    handler.parallel_for(all, work.add);
  }, {syclex::property::node::depends_on(task)});
  print(graph, "host_task");
  Executable executable = graph.finalize();
  for (int i = 0; i < 2; ++i) work.queue.ext_oneapi_graph(executable).wait();
  const bool ok = work.number(shared) == 111;
  sycl::free(shared, work.queue);
  return ok;
}

// Recorded from an in-order queue: every command waits for the one before.
bool in_order_graph(Work& work) {
  sycl::queue queue{work.queue.get_context(), work.queue.get_device(), sycl::property::queue::in_order{}};
  Graph graph{queue};
  graph.begin_recording(queue);
  queue.memset(work.left, 0, count * sizeof(int));
  for (int i = 0; i < 3; ++i)
    queue.submit([&](sycl::handler& handler) {
      handler.set_args(work.left, 7);
      handler.parallel_for(all, work.add);
    });
  graph.end_recording(queue);
  print(graph, "in_order");
  Executable executable = graph.finalize();
  queue.ext_oneapi_graph(executable);
  queue.ext_oneapi_graph(executable).wait();
  return work.number(work.left) == 21;
}

// Finalized so that it can be changed: a parameter of one command, then the whole graph for another of the same shape.
// Not every device can; the program says so.
bool updated_graph(Work& work) {
  if (!work.queue.get_device().has(sycl::aspect::ext_oneapi_graph)) return std::printf("updated: not on this device\n"), true;
  const auto make = [&](int what, syclex::dynamic_parameter<int>* parameter) {
    Graph graph{work.queue};
    graph.begin_recording(work.queue);
    const sycl::event cleared = work.queue.memset(work.left, 0, count * sizeof(int));
    graph.end_recording(work.queue);
    auto add = graph.add([&](sycl::handler& handler) {
      handler.set_arg(0, work.left);
      if (parameter) handler.set_arg(1, *parameter);
      else handler.set_arg(1, what);
      handler.parallel_for(all, work.add);
    }, {syclex::property::node::depends_on_all_leaves()});
    return std::pair{graph, add};
  };
  Graph first{work.queue};
  syclex::dynamic_parameter<int> parameter{1};
  auto [graph, add] = make(0, &parameter);
  print(graph, "updated");
  Executable executable = graph.finalize({syclex::property::graph::updatable{}});
  work.queue.ext_oneapi_graph(executable).wait();
  if (work.number(work.left) != 1) return false;
  parameter.update(20);
  executable.update(add);
  work.queue.ext_oneapi_graph(executable).wait();
  if (work.number(work.left) != 20) return false;
  auto [other, unused] = make(300, nullptr);
  executable.update(other);
  work.queue.ext_oneapi_graph(executable).wait();
  return work.number(work.left) == 300;
}

// Several command groups' data on buffers; the buffer outlives the graph.
bool buffer_graph(Work& work) {
  sycl::buffer<int, 1> from{sycl::range<1>(count)}, to{sycl::range<1>(count)};
  from.set_write_back(false);
  to.set_write_back(false);
  {
    Graph graph{work.queue, {syclex::property::graph::assume_buffer_outlives_graph{}}};
    graph.begin_recording(work.queue);
    work.queue.submit([&](sycl::handler& handler) {
      sycl::accessor<int, 1, sycl::access_mode::write> written(from, handler, sycl::no_init);
      handler.fill(written, 6);
    });
    work.queue.submit([&](sycl::handler& handler) {
      sycl::accessor<int, 1, sycl::access_mode::read> read(from, handler);
      sycl::accessor<int, 1, sycl::access_mode::write> written(to, handler, sycl::no_init);
      handler.copy(read, written);
    });
    graph.end_recording(work.queue);
    print(graph, "buffers");
    Executable executable = graph.finalize();
    work.queue.ext_oneapi_graph(executable).wait();
  }
  sycl::host_accessor<int, 1, sycl::access_mode::read> result(to);
  return result[0] == 6 && result[count - 1] == 6;
}

// A graph that is ready and never executed.
bool unused_graph(Work& work) {
  Graph graph{work.queue};
  const auto first = graph.add([&](sycl::handler& handler) { handler.fill(work.left, 1, count); });
  graph.add([&](sycl::handler& handler) { handler.fill(work.right, 2, count); }, {syclex::property::node::depends_on(first)});
  print(graph, "unused");
  Executable executable = graph.finalize();
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
  static const auto kept = new auto(syclex::build(source));
  Work work{queue, kept->ext_oneapi_get_kernel("add"), sycl::malloc_device<int>(count, queue),
            sycl::malloc_device<int>(count, queue), std::vector<int>(count)};
  const struct { const char* name; bool (*run)(Work&); } kinds[] = {
      {"explicit", explicit_graph}, {"recorded", recorded_graph}, {"host_task", with_host_task},
      {"in_order", in_order_graph}, {"updated", updated_graph}, {"buffers", buffer_graph}, {"unused", unused_graph},
  };
  for (const auto& [name, run] : kinds)
    if (!run(work)) return std::printf("%s: WRONG\n", name), 1;
  sycl::free(work.left, queue);
  sycl::free(work.right, queue);
  std::printf("graphs: ok\n");
}

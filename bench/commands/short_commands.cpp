// A program that submits short commands without a pause, to measure the cost of recording (measure.py runs it).
//
//   short_commands ROUNDS COMMANDS [FILE]
//
// Prints a line for each kind of command and round: the kind, and the submitting thread's nanoseconds for one command.
// They exclude the wait after a round, unless the name contains it. Kernels are compiled at run time, or read as
// SYCLBIN from FILE. If FILE does not exist, the program writes it, so that a machine without the compiler's libraries
// can run kernels that another machine compiled. If sampler.cpp is loaded too, the submitting threads pass it the names
// of their work.
#include <sycl/ext/oneapi/experimental/enqueue_functions.hpp>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <sycl/sycl.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace syclex = sycl::ext::oneapi::experimental;

using Kernels = sycl::kernel_bundle<sycl::bundle_state::executable>;

static Kernels kernels(const sycl::context& context, const char* file) {
  if (file) {
    std::ifstream in(file, std::ios::binary);
    if (in) {
      const std::vector<char> bytes((std::istreambuf_iterator<char>(in)), {});
      const Kernels read = syclex::get_kernel_bundle<sycl::bundle_state::executable>(
          context, context.get_devices(), sycl::span<char>(const_cast<char*>(bytes.data()), bytes.size()));
      // Runtime 2026.2 does not find its own kernels for CUDA again.
      if (!read.empty()) return read;
    }
  }
  auto source = syclex::create_kernel_bundle_from_source(context, syclex::source_language::sycl, std::string(R"(
#include <sycl/sycl.hpp>
extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<1>))
void scale(float* numbers, float factor) {
  numbers[sycl::ext::oneapi::this_work_item::get_nd_item<1>().get_global_linear_id()] *= factor;
}
)"));
  Kernels built = syclex::build(source);
  if (file) {
    const auto bytes = built.ext_oneapi_get_content();
    std::ofstream(file, std::ios::binary).write(bytes.data(), bytes.size());
  }
  return built;
}

/// Returns the duration of `work` in nanoseconds.
template <typename Work>
static double timed(const Work& work) {
  const auto begun = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begun).count();
}

/// Returns a function of sampler.cpp, or null if the library is not loaded.
template <typename Function>
static Function* sampler(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

/// Like `timed`, for `count` commands of the kind `name`, and samples this thread meanwhile.
template <typename Work>
static double sampled(const char* name, int count, const Work& work) {
  static const auto begins = sampler<void(const char*)>("sampling_begins");
  static const auto ends = sampler<void(std::size_t)>("sampling_ends");
  const bool is_sampled = name && begins && ends;
  if (is_sampled) begins(name);
  const double taken = timed(work);
  if (is_sampled) ends(count);
  return taken;
}

static void print(const char* name, double nanoseconds) { std::printf("%s %.1f\n", name, nanoseconds); }

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
  const int commands = argc > 2 ? std::atoi(argv[2]) : 20000;
  const int few = std::max(1, commands / 100);
  const sycl::device device{sycl::default_selector_v};
  const sycl::context context{device};
  Kernels bundle = kernels(context, argc > 3 ? argv[3] : nullptr);
  const sycl::kernel scale = bundle.ext_oneapi_get_kernel("scale");
  const sycl::property::queue::in_order in_order;
  sycl::queue queue{context, device, in_order};
  sycl::queue unordered{context, device};
  float* const numbers = sycl::malloc_device<float>(1 << 10, queue);
  float* const pinned = sycl::malloc_host<float>(16, queue);
  const sycl::nd_range<1> range{1024, 256};

  const auto kernel_on = [&](sycl::queue& on) {
    on.submit([&](sycl::handler& handler) {
      handler.set_args(numbers, 1.0f);
      handler.parallel_for(range, scale);
    });
  };
  const auto kernel = [&] { kernel_on(queue); };
  const auto fill = [&] { queue.memset(numbers, 0, 4096); };
  const auto copy = [&] { queue.memcpy(numbers, pinned, 64); };
  const auto kernel_out_of_order = [&] { kernel_on(unordered); };
  const auto kernel_without_event = [&] { syclex::nd_launch(queue, range, scale, numbers, 1.0f); };
  const auto new_queue = [&] {
    sycl::queue own{context, device, in_order};
    kernel_on(own);
    own.wait();
  };
  const auto allocation = [&] { sycl::free(sycl::malloc_device<float>(1 << 10, queue), queue); };
  const auto round = [&](const char* name, int count, const auto& command) {
    const double taken = sampled(name, count, [&] {
      for (int i = 0; i < count; ++i) command();
    });
    queue.wait();
    unordered.wait();
    if (name) print(name, taken / count);
  };
  // Prints the time of the slowest thread.
  const auto threads = [&](const char* name, int count, int at_once) {
    std::vector<double> taken(at_once);
    std::vector<sycl::queue> queues;
    for (int i = 0; i < at_once; ++i) queues.emplace_back(context, device, in_order);
    std::vector<std::thread> running;
    for (int i = 0; i < at_once; ++i) {
      running.emplace_back([&, i] {
        taken[i] = sampled(name, count, [&] {
          for (int command = 0; command < count; ++command) kernel_on(queues[i]);
        });
        queues[i].wait();
      });
    }
    for (std::thread& one : running) one.join();
    print(name, *std::max_element(taken.begin(), taken.end()) / count);
  };
  syclex::command_graph modifiable{context, device};
  for (int i = 0; i < 200; ++i) {
    modifiable.add([&](sycl::handler& handler) {
      handler.set_args(numbers, 1.0f);
      handler.parallel_for(range, scale);
    });
  }
  auto graph = modifiable.finalize();
  const auto graphs = [&](const char* submitted, const char* waited, int count) {
    double submission = 0;
    const double whole = timed([&] {
      for (int i = 0; i < count; ++i) {
        submission += sampled(submitted, 1, [&] { queue.ext_oneapi_graph(graph); });
        queue.wait();
      }
    });
    if (!submitted) return;
    print(submitted, submission / count);
    print(waited, whole / count);
  };

  // Warm-up, so that no round includes work that happens only once.
  for (int i = 0; i < 1000; ++i) kernel(), fill(), copy(), kernel_out_of_order(), kernel_without_event();
  queue.wait();
  unordered.wait();
  round(nullptr, 10, new_queue);
  graphs(nullptr, nullptr, 10);
  std::printf("device %s\n", device.get_info<sycl::info::device::name>().c_str());
  for (int i = 0; i < rounds; ++i) {
    round("kernel", commands, kernel);
    round("fill", commands, fill);
    round("kernel, out-of-order", commands, kernel_out_of_order);
    round("copy of 64 B", commands, copy);
    round("kernel without event", commands, kernel_without_event);
    round("new queue, kernel, wait", few, new_queue);
    round("malloc and free", commands / 10, allocation);
    threads("2 threads, a kernel each", commands / 2, 2);
    threads("4 threads, a kernel each", commands / 4, 4);
    threads("8 threads, a kernel each", commands / 8, 8);
    graphs("graph of 200 kernels", "graph of 200 kernels, with wait", few);
  }
  if (const auto written = sampler<void()>("sampling_written")) written();
  sycl::free(pinned, queue);
  sycl::free(numbers, queue);
  return 0;
}

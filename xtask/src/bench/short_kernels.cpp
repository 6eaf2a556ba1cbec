// A program that does little but submit: rounds of short kernels on each of several threads. Only the rounds
// are measured, without the runtime's one-time work (finding devices, compiling).
//
//   short_kernels ROUNDS KERNELS THREADS [unchecked]
//
// `unchecked` is for a device whose kernels compute nothing: the tests' Level Zero driver.
//
// Prints one line a round: nanoseconds of wall time, of the submitting threads, and of the whole process, for
// one kernel. A round ends with a wait on every thread's queue.
#include <sycl/sycl.hpp>

#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace syclex = sycl::ext::oneapi::experimental;

static double nanoseconds(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return double(now.tv_sec) * 1e9 + double(now.tv_nsec);
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 30;
  const int kernels = argc > 2 ? std::atoi(argv[2]) : 500;
  const int threads = argc > 3 ? std::atoi(argv[3]) : 1;

  const sycl::device device{sycl::default_selector_v};
  const sycl::context context{device};
  auto source = syclex::create_kernel_bundle_from_source(context, syclex::source_language::sycl, std::string(R"(
#include <sycl/sycl.hpp>
extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<1>))
void increment(int* numbers) {
  numbers[sycl::ext::oneapi::this_work_item::get_nd_item<1>().get_global_linear_id()] += 1;
}
)"));
  const sycl::kernel increment = syclex::build(source).ext_oneapi_get_kernel("increment");

  struct Worker {
    sycl::queue queue;
    int* numbers;
    double cpu;
  };
  std::vector<Worker> workers;
  for (int i = 0; i < threads; ++i) {
    sycl::queue queue{context, device, sycl::property::queue::in_order{}};
    int* const numbers = sycl::malloc_device<int>(64, queue);
    queue.memset(numbers, 0, 64 * sizeof(int)).wait();
    workers.push_back({queue, numbers, 0});
  }
  const auto work = [&](Worker& worker) {
    const double before = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < kernels; ++i)
      worker.queue.submit([&](sycl::handler& handler) {
        handler.set_args(worker.numbers);
        handler.parallel_for(sycl::nd_range<1>(64, 64), increment);
      });
    worker.queue.wait();
    worker.cpu = nanoseconds(CLOCK_THREAD_CPUTIME_ID) - before;
  };
  for (int round = 0; round < rounds; ++round) {
    const double wall = nanoseconds(CLOCK_MONOTONIC), process = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
    if (threads == 1) {
      work(workers[0]);
    } else {
      std::vector<std::thread> running;
      for (Worker& worker : workers) running.emplace_back([&] { work(worker); });
      for (std::thread& thread : running) thread.join();
    }
    const double all = double(kernels) * threads;
    double cpu = 0;
    for (const Worker& worker : workers) cpu += worker.cpu;
    std::printf("%.0f %.0f %.0f\n", (nanoseconds(CLOCK_MONOTONIC) - wall) / all, cpu / all,
                (nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - process) / all);
  }
  int last = 0;
  workers[0].queue.memcpy(&last, workers[0].numbers + 63, sizeof(int)).wait();
  for (const Worker& worker : workers) sycl::free(worker.numbers, worker.queue);
  const bool is_checked = argc <= 4;
  return !is_checked || last == rounds * kernels ? 0 : 1;
}

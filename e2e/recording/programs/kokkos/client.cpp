// A program of Kokkos, on the host, and of SYCL. It prints a line of each range, in the order of their begins: the name and
// four times of the machine's clock, before the begin, after it, before the end and after that.
#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ProfileSection.hpp>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <sycl/sycl.hpp>
#include <thread>
#include <vector>

namespace {

long long now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

struct Range {
  std::string name;
  long long before, begun, ending, after;
};
std::vector<Range> ranges;
// The range whose begin and end the running kernel's own code sees.
size_t inner = 0;

void inside() {
  const long long time = now();
  if (!ranges[inner].begun) ranges[inner].begun = time;
  ranges[inner].ending = time;
}

/// A range that one call begins and ends: what runs in it says `inside`.
template <typename Work>
void called(const char *name, Work work) {
  inner = ranges.size();
  ranges.push_back({name, now(), 0, 0, 0});
  const size_t own = inner;
  work();
  ranges[own].after = now();
}

template <typename Work>
void region(const char *name, Work work) {
  const size_t own = ranges.size();
  ranges.push_back({name, now(), 0, 0, 0});
  Kokkos::Profiling::pushRegion(name);
  ranges[own].begun = now();
  work();
  ranges[own].ending = now();
  Kokkos::Profiling::popRegion();
  ranges[own].after = now();
}

constexpr int size = 64;
using Vector = Kokkos::View<double *>;

}  // namespace

namespace app {

struct Tag {};

struct Scale {
  Vector data;
  void operator()(const Tag &, int index) const {
    inside();
    data(index) *= 0.5;
  }
};

}  // namespace app

namespace {

void step(const Vector &x, const Vector &y, sycl::queue &queue, double *memory) {
  region("step", [&] {
    called("axpy", [&] {
      Kokkos::parallel_for("axpy", size, [=](int index) {
        inside();
        y(index) += 2 * x(index);
      });
    });
    region("reduce", [&] {
      double sum = 0;
      called("dot", [&] {
        Kokkos::parallel_reduce("dot", size, [=](int index, double &part) {
          inside();
          part += x(index) * y(index);
        }, sum);
      });
    });
    region("exchange", [&] { queue.fill(memory, 1.0, size).wait(); });
  });
}

void run() {
  sycl::queue queue;
  double *memory = sycl::malloc_device<double>(size, queue);
  Kokkos::Tools::declareMetadata("mesh", "64 x 1");
  Vector x("x", size), y("y", size);
  Kokkos::Profiling::ProfilingSection section("from the second step on");
  for (int number = 0; number < 3; ++number) {
    if (number == 1) section.start();
    step(x, y, queue, memory);
  }
  section.stop();
  called("prefix", [&] {
    Kokkos::parallel_scan("prefix", size, [=](int index, double &part, bool is_last) {
      inside();
      part += x(index);
      if (is_last) y(index) = part;
    });
  });
  called("app::Scale/app::Tag", [&] { Kokkos::parallel_for(Kokkos::RangePolicy<app::Tag>(0, size), app::Scale{x}); });
  Kokkos::Profiling::markEvent("converged");
  called("deep_copy", [&] { Kokkos::deep_copy(y, x); });
  std::thread([&] {
    region("another thread", [&] {
      called("elsewhere", [&] { Kokkos::parallel_for("elsewhere", 1, [=](int) { inside(); }); });
    });
  }).join();
  sycl::free(memory, queue);
}

}  // namespace

int main() {
  // Kokkos before 3.7 reads the older name only.
  if (const char *tool = std::getenv("KOKKOS_TOOLS_LIBS")) setenv("KOKKOS_PROFILE_LIBRARY", tool, 1);
  Kokkos::initialize();
  run();
  Kokkos::finalize();
  for (const Range &range : ranges)
    std::printf("%s\t%lld\t%lld\t%lld\t%lld\n", range.name.c_str(), range.before, range.begun, range.ending, range.after);
}

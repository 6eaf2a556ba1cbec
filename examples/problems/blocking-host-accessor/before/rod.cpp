// flags: -g
// The steady temperature of a heated rod, by Jacobi's method: relaxes until a step changes hardly anything.
#include "../../kernels.hpp"

namespace {

using problems::ReadWrite;

constexpr std::size_t cells = 1 << 16, group = 256;
constexpr float tolerance = 1e-3f;

const char* const text = R"(
KERNEL relax(ReadWrite now, ReadWrite next) {
  const size_t i = item(), last = work_item().get_global_range(0) - 1;
  const float around = now[i == 0 ? last : i - 1] + now[i == last ? 0 : i + 1];
  next[i] = 0.45f * around + (i % 4096 == 0 ? 10.0f : 0.0f);
}
KERNEL compare(ReadWrite before, ReadWrite after, size_t cells, ReadWrite largest) {
  float change = 0;
  for (size_t i = item(); i < cells; i += work_item().get_global_range(0))
    change = sycl::fmax(change, sycl::fabs(after[i] - before[i]));
  change = sycl::reduce_over_group(work_item().get_group(), change, sycl::maximum<float>());
  if (item() == 0) largest[0] = change;
}
)";

// How much the last step changed: holds the host until the device knows.
float change(sycl::buffer<float, 1>& largest) {
  sycl::host_accessor<float, 1, sycl::access_mode::read> seen(largest);
  return seen[0];
}

}  // namespace

int main() {
  sycl::queue queue;
  problems::Kernels& kernels = problems::build(queue.get_context(), text);
  const sycl::kernel relax = kernels.ext_oneapi_get_kernel("relax"), compare = kernels.ext_oneapi_get_kernel("compare");

  std::vector<float> cold(cells, 0.0f), work(cells, 0.0f);
  sycl::buffer<float, 1> one(cold.data(), sycl::range<1>(cells)), other(work.data(), sycl::range<1>(cells));
  sycl::buffer<float, 1> largest{sycl::range<1>(1)};
  one.set_write_back(false);
  other.set_write_back(false);

  int steps = 0;
  for (; steps < 1000; ++steps) {
    sycl::buffer<float, 1>&from = steps % 2 ? other : one, &to = steps % 2 ? one : other;
    queue.submit([&](sycl::handler& handler) {
      ReadWrite now(from, handler), next(to, handler);
      handler.set_args(now, next);
      handler.parallel_for(sycl::nd_range<1>(cells, group), relax);
    });
    queue.submit([&](sycl::handler& handler) {
      ReadWrite before(from, handler), after(to, handler), result(largest, handler);
      handler.set_args(before, after, cells, result);
      handler.parallel_for(sycl::nd_range<1>(group, group), compare);
    });
    if (change(largest) < tolerance) break;
  }
  std::printf("rod: %s\n", change(largest) < tolerance ? "steady" : "WRONG");
  return change(largest) < tolerance ? 0 : 1;
}

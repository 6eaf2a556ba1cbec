// flags: -g
// Two species of a plasma: each step pushes the ions and the electrons, by kernels that have nothing to do with each other.
#include "../../kernels.hpp"

namespace {

using problems::ReadWrite;

constexpr std::size_t count = 1 << 10;  // particles of a species
constexpr int steps = 20;

const char* const text = R"(
KERNEL push_ions(ReadWrite ions, int rounds) {
  for (int round = 0; round < rounds; ++round) ions[item()] += 1e-4f * sycl::cos(ions[item()]);
}
KERNEL push_electrons(ReadWrite electrons, int rounds) {
  for (int round = 0; round < rounds; ++round) electrons[item()] -= 1e-4f * sycl::sin(electrons[item()]);
}
)";

float sum(sycl::buffer<float, 1>& species) {
  sycl::host_accessor<float, 1, sycl::access_mode::read> seen(species);
  float sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += seen[i];
  return sum;
}

}  // namespace

int main() {
  sycl::queue queue;
  problems::Kernels& kernels = problems::build(queue.get_context(), text);
  const sycl::kernel push_ions = kernels.ext_oneapi_get_kernel("push_ions");
  const sycl::kernel push_electrons = kernels.ext_oneapi_get_kernel("push_electrons");

  std::vector<float> start(2 * count, 0.5f);
  sycl::buffer<float, 1> particles(start.data(), sycl::range<1>(2 * count));
  sycl::buffer<float, 1> ions(particles, sycl::id<1>(0), sycl::range<1>(count));
  sycl::buffer<float, 1> electrons(particles, sycl::id<1>(count), sycl::range<1>(count));

  for (int step = 0; step < steps; ++step) {
    queue.submit([&](sycl::handler& handler) {
      ReadWrite pushed(ions, handler);
      handler.set_args(pushed, 400);
      handler.parallel_for(sycl::nd_range<1>(count, count), push_ions);
    });
    queue.submit([&](sycl::handler& handler) {
      ReadWrite pushed(electrons, handler);
      handler.set_args(pushed, 400);
      handler.parallel_for(sycl::nd_range<1>(count, count), push_electrons);
    });
  }
  const float of_ions = sum(ions), of_electrons = sum(electrons);
  std::printf("plasma: ions %.3f, electrons %.3f\n", of_ions, of_electrons);
}

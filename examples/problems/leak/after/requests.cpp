// flags: -g
// Answers requests: doubles the numbers of each, on the device. Some requests have no numbers.
#include "../../kernels.hpp"

namespace {

constexpr std::size_t numbers = 1 << 16, group = 256;
constexpr int requests = 40;

const char* const text = R"(
KERNEL twice(float* numbers) { numbers[item()] *= 2; }
)";

// The numbers of a request; every fourth is empty.
std::vector<float> receive(int request) { return std::vector<float>(request % 4 == 3 ? 0 : numbers, 1.0f); }

}  // namespace

int main() {
  sycl::queue queue{sycl::property::queue::in_order{}};
  const sycl::kernel twice = problems::build(queue.get_context(), text).ext_oneapi_get_kernel("twice");

  int answered = 0;
  for (int request = 0; request < requests; ++request) {
    std::vector<float> received = receive(request);
    if (received.empty()) continue;
    float* const work = sycl::malloc_device<float>(numbers, queue);
    queue.memcpy(work, received.data(), received.size() * sizeof(float));
    queue.submit([&](sycl::handler& handler) {
      handler.set_args(work);
      handler.parallel_for(sycl::nd_range<1>(received.size(), group), twice);
    });
    queue.memcpy(received.data(), work, received.size() * sizeof(float)).wait();
    answered += received[0] == 2.0f;
    sycl::free(work, queue);
  }
  std::printf("requests: %d of %d answered\n", answered, requests);
  return answered == requests - requests / 4 ? 0 : 1;
}

// One computation, done in different ways: `pairs WAY [ROUNDS [WORK]]`. What two ways have in common and what not is known.
//   usm           device memory, an in-order queue
//   out_of_order  the same on an out-of-order queue, with events
//   buffers       buffers and accessors
#include "faults/kernels.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr std::size_t inner = 1 << 16, border = 1 << 12;

// A round: the inside, the border, and the inside again.
void usm(bool in_order, int rounds, int work) {
  sycl::queue queue = in_order ? sycl::queue{sycl::property::queue::in_order{}} : sycl::queue{};
  const sycl::kernel kernel = faults::build(queue.get_context()).ext_oneapi_get_kernel("grow_usm");
  std::vector<float> numbers(inner, 1.0f);
  float* const field = sycl::malloc_device<float>(inner, queue);
  float* const rim = sycl::malloc_device<float>(border, queue);
  sycl::event last = queue.memcpy(field, numbers.data(), inner * sizeof(float));
  last = queue.memcpy(rim, numbers.data(), border * sizeof(float), last);
  // The runtime takes the line of each submission.
#define GROW(part, size, times)                                                                   \
  last = queue.submit([&](sycl::handler& handler) {                                               \
    handler.depends_on(last);                                                                     \
    handler.set_args(part, times);                                                                \
    handler.parallel_for(sycl::nd_range<1>(sycl::range<1>(size), sycl::range<1>(64)), kernel);    \
  })
  for (int round = 0; round < rounds; ++round) {
    GROW(field, inner, work);
    GROW(rim, border, 8);
    GROW(field, inner, 4);
  }
#undef GROW
  queue.memcpy(numbers.data(), field, inner * sizeof(float), last).wait();
  std::printf("%f\n", numbers[7]);
  sycl::free(field, queue);
  sycl::free(rim, queue);
}

void buffers(int rounds, int work) {
  sycl::queue queue;
  const sycl::kernel kernel = faults::build(queue.get_context()).ext_oneapi_get_kernel("grow_buffer");
  std::vector<float> numbers(inner, 1.0f), small(border, 1.0f);
  {
    sycl::buffer<float, 1> field(numbers.data(), sycl::range<1>(inner));
    sycl::buffer<float, 1> rim(small.data(), sycl::range<1>(border));
#define GROW(buffer, times)                                                                               \
  queue.submit([&](sycl::handler& handler) {                                                              \
    sycl::accessor<float, 1, sycl::access_mode::read_write> part(buffer, handler);                        \
    handler.set_args(part, times);                                                                        \
    handler.parallel_for(sycl::nd_range<1>(buffer.get_range(), sycl::range<1>(64)), kernel);              \
  })
    for (int round = 0; round < rounds; ++round) {
      GROW(field, work);
      GROW(rim, 8);
      GROW(field, 4);
    }
  }
  std::printf("%f\n", numbers[7]);
}

}  // namespace

int main(int count, char** words) {
  const char* way = count > 1 ? words[1] : "usm";
  const int rounds = count > 2 ? std::atoi(words[2]) : 20;
  const int work = count > 3 ? std::atoi(words[3]) : 200;
  if (std::strcmp(way, "buffers") == 0) buffers(rounds, work);
  else usm(std::strcmp(way, "usm") == 0, rounds, work);
}

// What the small programs share: some device work with a result that can be checked.
#pragma once

#include <sycl/sycl.hpp>

#include <cstdio>
#include <cstdlib>
#include <vector>

// Sends numbers to the device and back through device memory, with events between the commands. Ends the
// program with 1 if they come back changed.
inline void round_trip(sycl::queue& queue, std::size_t count = 1 << 16) {
  std::vector<int> numbers(count), back(count, -1);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = int(i * 7);
  int* const device = sycl::malloc_device<int>(count, queue);
  const sycl::event clear = queue.fill(device, 0, count);
  const sycl::event in = queue.memcpy(device, numbers.data(), count * sizeof(int), clear);
  queue.memcpy(back.data(), device, count * sizeof(int), in).wait();
  sycl::free(device, queue);
  if (back != numbers) {
    std::printf("round trip WRONG\n");
    std::exit(1);
  }
}

// Ends by an exception that nobody catches.
#include "work.hpp"

#include <stdexcept>

int main() {
  sycl::queue queue;
  round_trip(queue);
  std::printf("about to throw\n");
  std::fflush(stdout);
  throw std::runtime_error("nobody catches this");
}

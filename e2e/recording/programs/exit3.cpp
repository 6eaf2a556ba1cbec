// Ends with exit(3) in the middle of main, with a queue still alive.
#include "work.hpp"

int main() {
  sycl::queue queue;
  round_trip(queue);
  std::printf("about to exit with 3\n");
  std::exit(3);
}

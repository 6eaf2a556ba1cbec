// Ends by abort(), that is by SIGABRT: no exit handler runs.
#include "work.hpp"

int main() {
  sycl::queue queue;
  round_trip(queue);
  std::printf("about to abort\n");
  std::fflush(stdout);
  std::abort();
}

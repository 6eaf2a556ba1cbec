// flags: -g
//
// Between two kernels the host computes until the file that is its argument exists.
#include "work.hpp"

#include <unistd.h>

static volatile unsigned long sum = 0;

__attribute__((noinline)) void assemble(const char* until) {
  for (unsigned long i = 0; i % 1000000 || access(until, F_OK); ++i) sum = sum * 3 + i;
}

int main(int, char** argv) {
  sycl::queue queue;
  round_trip(queue);
  assemble(argv[1]);
  round_trip(queue);
  return 0;
}

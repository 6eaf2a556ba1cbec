// Uses SYCL, forks, uses it again on both sides. The child ends with 4 and the parent with 0.
#include "work.hpp"

#include <sys/wait.h>
#include <unistd.h>

int main() {
  sycl::queue queue;
  round_trip(queue);
  std::printf("before the fork: ok\n");
  std::fflush(stdout);

  const pid_t child = fork();
  if (child < 0) return 1;
  if (child == 0) {
    {
      sycl::queue own;
      for (int i = 0; i < 3; ++i) round_trip(own);
    }
    std::printf("child: ok\n");
    std::exit(4);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("child ended with %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  for (int i = 0; i < 5; ++i) round_trip(queue);
  std::printf("parent: ok\n");
}

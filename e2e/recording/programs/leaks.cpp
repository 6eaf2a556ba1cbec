// Memory used wrongly: a loop that leaves a block behind in each round, one leak of its own, a block that is released
// twice, an address that was never allocated, and an address within a block. The runtime survives all of it or throws.
#include "work.hpp"

#include <sycl/usm.hpp>

namespace {

constexpr std::size_t rounds = 8, block = 4096;

// Releases an address that must not be; whatever the runtime says about it.
void release_wrongly(void* pointer, const sycl::queue& queue, const char* what) {
  try {
    sycl::free(pointer, queue);
    std::printf("leaks: %s returned\n", what);
  } catch (const sycl::exception& error) {
    std::printf("leaks: %s threw\n", what);
  }
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  sycl::queue queue{sycl::property::queue::in_order{}};
  unsigned char* kept = sycl::malloc_device<unsigned char>(3 * block, queue);
  for (std::size_t round = 0; round < rounds; ++round) {
    unsigned char* const work = sycl::malloc_device<unsigned char>(2 * block, queue);
    unsigned char* const lost = sycl::malloc_host<unsigned char>(block, queue);
    queue.memset(work, static_cast<int>(round), 2 * block);
    queue.memcpy(lost, work, block);
    queue.wait();
    if (lost[0] != round) return std::printf("leaks: WRONG\n"), 1;
    sycl::free(work, queue);
  }
  queue.memset(kept, 1, block).wait();
  if (what == "twice") {
    unsigned char* const gone = sycl::malloc_shared<unsigned char>(block, queue);
    sycl::free(gone, queue);
    release_wrongly(gone, queue, "a second release");
  }
  if (what == "unknown") {
    static unsigned char own[64];
    release_wrongly(own, queue, "the release of an unknown address");
  }
  if (what == "inner") {
    release_wrongly(kept + 64, queue, "the release of an inner address");
  }
  if (what == "after") {
    unsigned char* const gone = sycl::malloc_device<unsigned char>(block, queue);
    unsigned char* const back = sycl::malloc_host<unsigned char>(block, queue);
    sycl::free(gone, queue);
    try {
      queue.memcpy(back, gone, 16).wait();
    } catch (const sycl::exception&) {
    }
    sycl::free(back, queue);
  }
  std::printf("leaks: ok\n");
}

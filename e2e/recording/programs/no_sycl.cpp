// A program that has nothing to do with SYCL. (It is not even linked with it: nothing of it is used.)
#include <cstdio>

int main() {
  std::printf("no SYCL here\n");
  return 5;
}

// Calls back from a function without a symbol, which an exported function calls.
__attribute__((noinline)) static void hidden(void (*call)(void *), void *argument) {
  call(argument);
  asm volatile("" ::: "memory");
}

extern "C" __attribute__((visibility("default"))) void plugin(void (*call)(void *), void *argument) {
  hidden(call, argument);
  asm volatile("" ::: "memory");
}

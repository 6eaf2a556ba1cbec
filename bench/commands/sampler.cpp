// Samples the threads of a program that names its work (short_commands.cpp), without privileges and without perf. A
// timer interrupts each such thread, and the handler stores the addresses of its stack. LD_PRELOAD names this library,
// and SAMPLER_FILE names the output file, which has two kinds of lines with tabs between the fields:
//
//   case  NAME   COMMANDS  NANOSECONDS    work of a thread: number of commands, and time outside the handler
//   stack NAME   SAMPLES   frame;frame;…  outermost frame first: `library!function`, or `library` if not exported
//
// The timer counts elapsed time, not processor time, so that waits count too. A timer of processor time would also tick
// no more often than the scheduler. A tick while the thread has no processor becomes a frame `not running`.
#include <cxxabi.h>
#include <dlfcn.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#define VISIBLE extern "C" __attribute__((visibility("default")))

namespace {

constexpr long period = 211'000;
constexpr std::size_t most_words = 1 << 18;

struct Samples {
  std::string name;
  // For each stack: number of missed ticks before it, its depth, and its addresses, innermost first.
  std::vector<std::uintptr_t> words;
  std::size_t used = 0;
  double in_handler = 0;
  double begun = 0;
  double taken = 0;
  std::size_t commands = 0;
  timer_t timer{};
};

thread_local Samples* volatile current = nullptr;
std::mutex mutex;
std::vector<std::unique_ptr<Samples>> all;

double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return double(time.tv_sec) * 1e9 + double(time.tv_nsec);
}

struct Walk {
  Samples* samples;
  std::size_t first;
  std::uintptr_t interrupted;
};

_Unwind_Reason_Code step(_Unwind_Context* context, void* argument) {
  Walk& walk = *static_cast<Walk*>(argument);
  Samples& samples = *walk.samples;
  int before = 0;
  std::uintptr_t address = _Unwind_GetIPInfo(context, &before);
  // Frames before the interrupted function are the handler's own.
  if (samples.used == walk.first && address != walk.interrupted) return _URC_NO_REASON;
  if (samples.used == samples.words.size() || !address) return _URC_END_OF_STACK;
  samples.words[samples.used++] = before ? address : address - 1;
  return _URC_NO_REASON;
}

void sample(int, siginfo_t* signal, void* given) {
  Samples* const samples = current;
  if (!samples || samples->used + 3 >= samples->words.size()) return;
  const int error = errno;
  const double begun = now();
  const std::uintptr_t interrupted = static_cast<ucontext_t*>(given)->uc_mcontext.gregs[REG_RIP];
  samples->words[samples->used++] = signal->si_overrun;
  const std::size_t depth = samples->used++;
  Walk walk{samples, samples->used, interrupted};
  _Unwind_Backtrace(step, &walk);
  if (samples->used == walk.first) samples->words[samples->used++] = interrupted;
  samples->words[depth] = samples->used - walk.first;
  samples->in_handler += now() - begun;
  errno = error;
}

std::string frame(std::uintptr_t address) {
  Dl_info info{};
  if (!dladdr(reinterpret_cast<void*>(address), &info) || !info.dli_fname) return "unknown";
  const char* const slash = std::strrchr(info.dli_fname, '/');
  std::string text = slash ? slash + 1 : info.dli_fname;
  if (!info.dli_sname) return text;
  int status = 0;
  char* const readable = abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status);
  std::string name = status == 0 ? readable : info.dli_sname;
  std::free(readable);
  for (char& character : name)
    if (character == ';' || character == '\n' || character == '\t') character = ',';
  return text + "!" + name.substr(0, 120);
}

/// Creates the storage for this thread's stacks during the work `name`, and the thread's timer.
Samples* begun_by_this_thread(const char* name) {
  auto samples = std::make_unique<Samples>();
  samples->name = name;
  samples->words.resize(most_words);
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGPROF;
  event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
  if (timer_create(CLOCK_MONOTONIC, &event, &samples->timer)) return nullptr;
  // The first walk may load code, which must not happen in the handler.
  _Unwind_Backtrace([](_Unwind_Context*, void*) { return _URC_NO_REASON; }, nullptr);
  const std::lock_guard<std::mutex> lock(mutex);
  all.push_back(std::move(samples));
  return all.back().get();
}

}  // namespace

VISIBLE void sampling_begins(const char* name) {
  static const bool is_handled = [] {
    struct sigaction action {};
    action.sa_sigaction = sample;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    return sigaction(SIGPROF, &action, nullptr) == 0;
  }();
  thread_local std::map<std::string, Samples*> own;
  thread_local std::minstd_rand random(std::random_device{}());
  Samples*& samples = own[name];
  if (!samples) {
    samples = begun_by_this_thread(name);
    if (!samples) return;
  }
  if (!is_handled) return;
  current = samples;
  samples->begun = now();
  // The first tick is at a random time within the period. Otherwise shorter work would always be sampled at the same
  // place.
  const itimerspec every{{0, period}, {0, 1 + long(random()) % period}};
  timer_settime(samples->timer, 0, &every, nullptr);
}

VISIBLE void sampling_ends(std::size_t commands) {
  Samples* const samples = current;
  if (!samples) return;
  samples->taken += now() - samples->begun;
  timer_settime(samples->timer, 0, std::array<itimerspec, 1>{}.data(), nullptr);
  current = nullptr;
  samples->commands += commands;
}

VISIBLE void sampling_written() {
  const char* const path = std::getenv("SAMPLER_FILE");
  std::FILE* const file = path ? std::fopen(path, "w") : nullptr;
  if (!file) return;
  std::map<std::uintptr_t, std::string> names;
  std::map<std::string, std::size_t> stacks;
  const std::lock_guard<std::mutex> lock(mutex);
  for (const auto& samples : all) {
    std::fprintf(file, "case\t%s\t%zu\t%.0f\n", samples->name.c_str(), samples->commands, samples->taken - samples->in_handler);
    const auto& words = samples->words;
    for (std::size_t at = 0; at < samples->used; at += 2 + words[at + 1]) {
      std::string stack, before;
      for (std::size_t depth = words[at + 1]; depth > 0; --depth) {
        const std::uintptr_t address = words[at + 1 + depth];
        auto [name, is_new] = names.try_emplace(address);
        if (is_new) name->second = frame(address);
        // Successive unnamed functions of one library are one frame.
        if (name->second == before && before.find('!') == std::string::npos) continue;
        before = name->second;
        stack += (stack.empty() ? "" : ";") + before;
      }
      ++stacks[samples->name + "\t" + stack];
      if (words[at]) stacks[samples->name + "\t" + stack + ";not running"] += words[at];
    }
  }
  for (const auto& [stack, count] : stacks) {
    const std::size_t tab = stack.find('\t');
    std::fprintf(file, "stack\t%s\t%zu\t%s\n", stack.substr(0, tab).c_str(), count, stack.c_str() + tab + 1);
  }
  std::fclose(file);
}

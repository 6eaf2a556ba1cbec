// What a GPU is given: kernels, copies and fills of device memory, on a queue in order and on one out of order, with events
// between them. Results are of copies and fills only, so it runs on a driver whose kernels compute nothing, too. With
// `--profiling`, a line of JSON for each command with the times that SYCL itself gives; with `--rounds N`, each queue does
// the same N times, with a pause of `--pause MILLISECONDS` behind each. With `--until FILE` it ends once there is such a file.
#include "work.hpp"

#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

namespace syclex = sycl::ext::oneapi::experimental;

namespace {

constexpr std::size_t count = 1 << 16;
constexpr std::size_t bytes = count * sizeof(int);

struct Told {
  const char* kind;
  sycl::event event;
};

bool commands(sycl::queue& queue, const sycl::kernel& kernel, std::vector<Told>& told) {
  int* const left = sycl::malloc_device<int>(count, queue);
  int* const right = sycl::malloc_device<int>(count, queue);
  std::vector<int> numbers(count, 7), back(count, 0);

  const sycl::event cleared = queue.memset(left, 0, bytes);
  const sycl::event sent = queue.memcpy(right, numbers.data(), bytes);
  const sycl::event worked = queue.submit([&](sycl::handler& handler) {
    handler.depends_on({cleared, sent});
    handler.set_args(left, 2);
    handler.parallel_for(sycl::nd_range<1>(count, 64), kernel);
  });
  const sycl::event moved = queue.memcpy(left, right, bytes, worked);
  const sycl::event read = queue.memcpy(back.data(), left, bytes, moved);
  queue.wait();

  for (const auto& [kind, event] : {Told{"fill", cleared}, Told{"copy", sent}, Told{"kernel", worked}, Told{"copy", moved}, Told{"copy", read}})
    told.push_back({kind, event});
  sycl::free(left, queue);
  sycl::free(right, queue);
  return back == numbers;
}

}  // namespace

int main(int argc, char** argv) {
  int rounds = 1, pause = 0;
  bool profiling = false;
  const char* until = nullptr;
  for (int i = 1; i < argc; ++i) {
    profiling = profiling || std::strcmp(argv[i], "--profiling") == 0;
    if (i + 1 < argc && std::strcmp(argv[i], "--rounds") == 0) rounds = std::atoi(argv[i + 1]);
    if (i + 1 < argc && std::strcmp(argv[i], "--pause") == 0) pause = std::atoi(argv[i + 1]);
    if (i + 1 < argc && std::strcmp(argv[i], "--until") == 0) until = argv[i + 1];
  }
  const sycl::device device{sycl::default_selector_v};
  const sycl::context context{device};
  const auto made = [&](sycl::property_list properties) { return sycl::queue{context, device, properties}; };
  using sycl::property::queue::enable_profiling, sycl::property::queue::in_order;
  sycl::queue ordered = profiling ? made({in_order{}, enable_profiling{}}) : made({in_order{}});
  sycl::queue free_order = profiling ? made({enable_profiling{}}) : made({});

  auto source = syclex::create_kernel_bundle_from_source(context, syclex::source_language::sycl, std::string(R"(
#include <sycl/sycl.hpp>
extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<1>))
void add(int* numbers, int what) {
  numbers[sycl::ext::oneapi::this_work_item::get_nd_item<1>().get_global_linear_id()] += what;
}
)"));
  // Kept until the process ends: libsycl may crash in its clean-up after main() if a command drops the last reference.
  static const auto kept = new auto(syclex::build(source));
  const sycl::kernel add = kept->ext_oneapi_get_kernel("add");

  std::printf("device: %s\n", device.get_info<sycl::info::device::name>().c_str());
  std::vector<Told> told;
  for (int round = 0; round < rounds; ++round) {
    if (!commands(ordered, add, told) || !commands(free_order, add, told)) return std::printf("level zero: WRONG\n"), 1;
    std::this_thread::sleep_for(std::chrono::milliseconds(pause));
  }
  while (until && !std::filesystem::exists(until)) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  using namespace sycl::info::event_profiling;
  if (profiling)
    for (const auto& [kind, event] : told)
      std::printf("{\"kind\":\"%s\",\"start\":%llu,\"end\":%llu}\n", kind,
                  static_cast<unsigned long long>(event.get_profiling_info<command_start>()),
                  static_cast<unsigned long long>(event.get_profiling_info<command_end>()));
  std::printf("level zero: ok\n");
}

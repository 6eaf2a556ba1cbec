// flags: -ldl
// Tracepoints of the program's own, on a stream of its own: regions, functions and an event of a type that nobody knows.
// Untraced it does the same work without them.
#include "work.hpp"

#include <xpti/xpti_trace_framework.h>

#include <dlfcn.h>

namespace {

// What is needed of the framework, from the library that the runtime has loaded.
struct Tracing {
  decltype(&xptiInitialize) initialize;
  decltype(&xptiRegisterStream) register_stream;
  decltype(&xptiMakeEvent) make_event;
  decltype(&xptiAddMetadata) add_metadata;
  decltype(&xptiRegisterObject) register_object;
  decltype(&xptiNotifySubscribers) notify;
  decltype(&xptiRegisterUserDefinedTracePoint) register_trace_type;
  decltype(&xptiFinalize) finalize;
  explicit operator bool() const { return initialize && notify; }
};

Tracing find() {
  const char* const path = std::getenv("XPTI_FRAMEWORK_DISPATCHER");
  void* const library = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : nullptr;
  Tracing tracing{};
  if (!library) return tracing;
  const auto look = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
  };
  look(tracing.initialize, "xptiInitialize");
  look(tracing.register_stream, "xptiRegisterStream");
  look(tracing.make_event, "xptiMakeEvent");
  look(tracing.add_metadata, "xptiAddMetadata");
  look(tracing.register_object, "xptiRegisterObject");
  look(tracing.notify, "xptiNotifySubscribers");
  look(tracing.register_trace_type, "xptiRegisterUserDefinedTracePoint");
  look(tracing.finalize, "xptiFinalize");
  return tracing;
}

constexpr const char* stream_name = "my.lib";

}  // namespace

int main() {
  sycl::queue queue;
  round_trip(queue);
  const Tracing tracing = find();
  if (!tracing) return std::printf("user streams: ok\n"), 0;

  tracing.initialize(stream_name, 1, 0, "1.0");
  const std::uint8_t stream = tracing.register_stream(stream_name);
  std::uint64_t instance = 0;
  xpti::payload_t payload("solve", "solver.cpp", 42, 7, nullptr);
  xpti::trace_event_data_t* const region =
      tracing.make_event("solve", &payload, std::uint16_t(xpti::trace_event_type_t::algorithm), xpti::trace_activity_type_t::active, &instance);
  const int rounds = 3;
  tracing.add_metadata(region, "rounds", tracing.register_object(reinterpret_cast<const char*>(&rounds), sizeof rounds, 2));

  const auto begin_end = [&](xpti::trace_point_type_t begin, xpti::trace_point_type_t end, const char* name, auto&& work) {
    const std::uint64_t visit = ++instance;
    tracing.notify(stream, std::uint16_t(begin), nullptr, region, visit, name);
    work();
    tracing.notify(stream, std::uint16_t(end), nullptr, region, visit, name);
  };
  begin_end(xpti::trace_point_type_t::region_begin, xpti::trace_point_type_t::region_end, "solve", [&] {
    for (int i = 0; i < rounds; ++i)
      begin_end(xpti::trace_point_type_t::function_begin, xpti::trace_point_type_t::function_end, "my_step", [&] { round_trip(queue, 1 << 10); });
  });
  const std::uint16_t own = tracing.register_trace_type("my_tool", 1);
  tracing.notify(stream, own, nullptr, region, ++instance, "converged");
  tracing.finalize(stream_name);
  std::printf("user streams: ok\n");
}

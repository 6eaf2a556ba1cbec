// What SYCL itself says about when commands ran: the yardstick for any recorder.
#pragma once

#include <sycl/sycl.hpp>

#include <cinttypes>
#include <cstdio>
#include <utility>
#include <vector>

namespace heat {

class EventLog {
 public:
  // An EventLog that is not `enabled` keeps and prints nothing, and queues are made without profiling.
  explicit EventLog(bool enabled) : enabled_(enabled) {}

  sycl::property_list queue_properties() const {
    if (enabled_) return {sycl::property::queue::enable_profiling{}};
    return {};
  }

  sycl::property_list in_order_queue_properties() const {
    if (enabled_) return {sycl::property::queue::in_order{}, sycl::property::queue::enable_profiling{}};
    return {sycl::property::queue::in_order{}};
  }

  // Remembers a device command; `name` and `kind` must be string literals.
  sycl::event add(const char* name, const char* kind, sycl::event event) {
    if (enabled_) entries_.push_back({name, kind, event});
    return event;
  }

  // One JSON object a line, in the order of submission. Times are the device's, in nanoseconds. Waits.
  void print() {
    using namespace sycl::info::event_profiling;
    for (Entry& entry : entries_) {
      entry.event.wait();
      std::printf("{\"name\":\"%s\",\"kind\":\"%s\",\"submit\":%" PRIu64 ",\"start\":%" PRIu64 ",\"end\":%" PRIu64 "}\n",
                  entry.name, entry.kind, std::uint64_t(entry.event.get_profiling_info<command_submit>()),
                  std::uint64_t(entry.event.get_profiling_info<command_start>()),
                  std::uint64_t(entry.event.get_profiling_info<command_end>()));
    }
  }

 private:
  struct Entry {
    const char* name;
    const char* kind;
    sycl::event event;
  };

  bool enabled_;
  std::vector<Entry> entries_;
};

}  // namespace heat

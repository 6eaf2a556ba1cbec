// flags: -shared -fPIC -Wl,--as-needed
// A Kokkos tool that writes what Kokkos calls, a line a call, to the file that KOKKOS_LOG names. Pointers, which differ from
// run to run, are left out.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

namespace {

FILE *file = nullptr;
std::map<uint32_t, std::string> sections;
uint64_t begun = 0;

void write(const char *kind, const std::string &name, const std::string &more = "") {
  if (file) std::fprintf(file, "%s\t%s\t%s\n", kind, name.c_str(), more.c_str());
}

}  // namespace

extern "C" {

struct Space {
  char name[64];
};

void kokkosp_init_library(int, uint64_t, uint32_t, void *) {
  if (const char *path = std::getenv("KOKKOS_LOG")) file = std::fopen(path, "w");
}

void kokkosp_finalize_library() {
  if (file) std::fclose(file);
  file = nullptr;
}

// As the recorder does: Kokkos is not to wait for its kernels, which newer versions report as fences.
void kokkosp_request_tool_settings(uint32_t, bool *settings) { *settings = false; }

#define KERNEL(KIND)                                                                 \
  void kokkosp_begin_##KIND(const char *name, uint32_t device, uint64_t *kernel) {   \
    *kernel = ++begun;                                                               \
    write(#KIND, name, std::to_string(device));                                      \
  }                                                                                  \
  void kokkosp_end_##KIND(uint64_t) { write("end", #KIND); }

KERNEL(parallel_for)
KERNEL(parallel_reduce)
KERNEL(parallel_scan)
KERNEL(fence)

void kokkosp_push_profile_region(const char *name) { write("region", name); }
void kokkosp_pop_profile_region() { write("end", "region"); }

void kokkosp_create_profile_section(const char *name, uint32_t *section) {
  *section = static_cast<uint32_t>(sections.size());
  sections[*section] = name;
}
void kokkosp_destroy_profile_section(uint32_t) {}
void kokkosp_start_profile_section(uint32_t section) { write("section", sections[section]); }
void kokkosp_stop_profile_section(uint32_t section) { write("stop", sections[section]); }

void kokkosp_profile_event(const char *name) { write("event", name); }
void kokkosp_declare_metadata(const char *name, const char *value) { write("metadata", name, value); }

void kokkosp_begin_deep_copy(Space target_space, const char *target, const void *, Space source_space, const char *source,
                             const void *, uint64_t bytes) {
  const std::string from = std::string(source) + " " + source_space.name;
  const std::string to = std::string(target) + " " + target_space.name;
  write("deep_copy", "deep_copy", std::to_string(bytes) + " " + from + " " + to);
}
void kokkosp_end_deep_copy() { write("end", "deep_copy"); }

void kokkosp_allocate_data(Space space, const char *label, const void *, uint64_t bytes) {
  write("allocate", label, std::to_string(bytes) + " " + space.name);
}
void kokkosp_deallocate_data(Space space, const char *label, const void *, uint64_t bytes) {
  write("deallocate", label, std::to_string(bytes) + " " + space.name);
}
}

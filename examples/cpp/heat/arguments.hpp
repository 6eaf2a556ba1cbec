// The command line.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

namespace heat {

struct Arguments {
  std::size_t size = 1024;  // cells along one side of the plate
  std::size_t steps = 60;
  bool profiling = false;  // ask SYCL for device times and print them
  std::string image;       // where to write the picture, empty for nowhere
};

struct ParsedArguments {
  Arguments arguments;
  std::optional<int> exit_code;  // set when the program shall end at once
};

inline const char* usage() {
  return "usage: heat [--size CELLS] [--steps COUNT] [--profiling] [--image FILE.ppm]\n"
         "  --size CELLS      side of the plate, a multiple of 64 from 64 to 8192 (default 1024)\n"
         "  --steps COUNT     steps to compute, 1 to 100000 (default 60)\n"
         "  --profiling       print the device times that SYCL itself reports, one JSON object a line\n"
         "  --image FILE.ppm  write the cooled plate as a picture\n";
}

namespace detail {

// A whole number from `low` to `high`, or nothing.
inline std::optional<std::size_t> number(const std::string& text, std::size_t low, std::size_t high) {
  if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string::npos) return {};
  const std::size_t value = std::strtoull(text.c_str(), nullptr, 10);
  if (value < low || value > high) return {};
  return value;
}

inline ParsedArguments refuse(const std::string& why) {
  std::fprintf(stderr, "heat: %s\n%s", why.c_str(), usage());
  return {{}, 2};
}

}  // namespace detail

inline ParsedArguments parse_arguments(int argc, char** argv) {
  ParsedArguments parsed;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--help" || option == "-h") {
      std::fputs(usage(), stdout);
      parsed.exit_code = 0;
      return parsed;
    }
    if (option == "--profiling") {
      parsed.arguments.profiling = true;
      continue;
    }
    if (option != "--size" && option != "--steps" && option != "--image")
      return detail::refuse("unknown option '" + option + "'");
    if (++i == argc) return detail::refuse("'" + option + "' needs a value");
    const std::string value = argv[i];
    if (option == "--image") {
      parsed.arguments.image = value;
      continue;
    }
    if (option == "--size") {
      const auto size = detail::number(value, 64, 8192);
      if (!size || *size % 64 != 0)
        return detail::refuse("--size must be a multiple of 64 from 64 to 8192, not '" + value + "'");
      parsed.arguments.size = *size;
    } else {
      const auto steps = detail::number(value, 1, 100000);
      if (!steps) return detail::refuse("--steps must be a whole number from 1 to 100000, not '" + value + "'");
      parsed.arguments.steps = *steps;
    }
  }
  return parsed;
}

}  // namespace heat

// flags: -pthread -g
//
// heat: how a hot plate cools, computed twice and drawn once.
//
// A square plate has a cold rim and a few hot spots. Every step moves each cell towards the mean of its four
// neighbours. The program does the same physics in the two styles that SYCL 2020 offers, so that a recording
// of it shows both side by side:
//
//   part 1  buffers and accessors   the runtime finds the dependences             heat/with_buffers.hpp
//   part 2  USM and events          the program names them, band by band          heat/with_usm.hpp
//   part 3  in-order queue          a second thread has part 1 drawn meanwhile        heat/picture.hpp
//
// Both results are compared with a plain C++ computation. The program prints the same text in every run.
//
// The kernels are compiled while the program runs (heat/kernels.hpp), so any C++17 compiler can build it:
//   g++ -std=c++17 -O1 -g -w -pthread -I "$SYCL/include" heat.cpp -L "$SYCL/lib" -lsycl -Wl,-rpath,"$SYCL/lib" -o heat

#include <sycl/sycl.hpp>

#include <cstdio>
#include <exception>
#include <future>
#include <memory>

#include "heat/arguments.hpp"
#include "heat/event_log.hpp"
#include "heat/kernels.hpp"
#include "heat/picture.hpp"
#include "heat/plate.hpp"
#include "heat/with_buffers.hpp"
#include "heat/with_usm.hpp"

namespace {

int run(const heat::Arguments& arguments) {
  // One device and one context for every queue, so that USM memory can be used on all of them.
  const sycl::device device{sycl::default_selector_v};
  const sycl::context context{device};
  std::printf("heat: %zu x %zu cells, %zu steps on %s\n", arguments.size, arguments.size, arguments.steps,
              device.get_info<sycl::info::device::name>().c_str());

  const heat::Kernels kernels{context};
  heat::EventLog log{arguments.profiling};

  const heat::Plate start = heat::hot_plate(arguments.size);
  const heat::Plate expected = heat::cool_on_host(start, arguments.steps);

  const heat::Plate by_buffers = heat::cool_with_buffers(device, context, kernels, log, start, arguments.steps);

  // Another thread submits the picture while this one submits part 2.
  std::future<std::unique_ptr<heat::Drawing>> drawing = std::async(std::launch::async, [&] {
    return std::make_unique<heat::Drawing>(device, context, kernels, by_buffers);
  });
  const heat::Plate by_usm = heat::cool_with_usm(device, context, kernels, log, start, arguments.steps);
  const heat::Picture drawn = drawing.get()->finish();

  if (!arguments.image.empty()) heat::write_ppm(drawn, arguments.image);
  log.print();

  const bool buffers_ok = heat::compare("buffers", by_buffers, expected);
  const bool usm_ok = heat::compare("usm    ", by_usm, expected);
  const bool picture_ok = heat::check_picture(drawn, expected);
  if (!(buffers_ok && usm_ok && picture_ok)) {
    std::printf("heat: checksum WRONG\n");
    return 1;
  }
  std::printf("heat: checksum %.3f ok\n", heat::checksum(by_usm));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const heat::ParsedArguments parsed = heat::parse_arguments(argc, argv);
  if (parsed.exit_code) return *parsed.exit_code;
  try {
    return run(parsed.arguments);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "heat: %s\n", problem.what());
    return 1;
  }
}

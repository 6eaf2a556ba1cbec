// Part 1: buffers and accessors on an out-of-order queue. Nothing here says what must wait for what: each
// command states what it reads and writes, and the runtime draws the graph.
#pragma once

#include <sycl/sycl.hpp>

#include <utility>

#include "event_log.hpp"
#include "kernels.hpp"
#include "plate.hpp"

namespace heat {

inline Plate cool_with_buffers(const sycl::device& device, const sycl::context& context, const Kernels& kernels,
                               EventLog& log, const Plate& start, std::size_t steps) {
  // After so many steps the host looks whether the plate still changes.
  constexpr std::size_t look_every = 20;

  const std::size_t n = start.size;
  const sycl::range<2> cells(n, n);
  const sycl::nd_range<2> all_cells(cells, sycl::range<2>(tile, tile));
  const std::size_t groups = (n / tile) * (n / tile);

  sycl::queue queue{context, device, log.queue_properties()};

  // Buffers without host memory of their own: what goes in and out is copied by command groups.
  sycl::buffer<float, 2> now{cells};
  sycl::buffer<float, 2> next{cells};
  sycl::buffer<float, 1> change{sycl::range<1>(groups)};

  log.add("copy", "copy", queue.submit([&](sycl::handler& handler) {
    sycl::accessor<float, 2, sycl::access_mode::write> plate(now, handler, sycl::no_init);
    handler.copy(start.cells.data(), plate);
  }));
  log.add("fill", "fill", queue.submit([&](sycl::handler& handler) {
    sycl::accessor<float, 2, sycl::access_mode::write> plate(next, handler, sycl::no_init);
    handler.fill(plate, 0.0f);
  }));

  for (std::size_t step = 1; step <= steps; ++step) {
    log.add("diffuse", "kernel", queue.submit([&](sycl::handler& handler) {
      sycl::accessor<float, 2, sycl::access_mode::read> from(now, handler);
      sycl::accessor<float, 2, sycl::access_mode::write> to(next, handler);
      handler.set_args(from, to, conduction);
      handler.parallel_for(all_cells, kernels.diffuse);
    }));

    if (step % look_every == 0) {
      log.add("change", "kernel", queue.submit([&](sycl::handler& handler) {
        sycl::accessor<float, 2, sycl::access_mode::read> before(now, handler);
        sycl::accessor<float, 2, sycl::access_mode::read> after(next, handler);
        sycl::accessor<float, 1, sycl::access_mode::write> sums(change, handler, sycl::no_init);
        handler.set_args(before, after, sums);
        handler.parallel_for(all_cells, kernels.change);
      }));

      // A host accessor blocks until the kernel above is done and its result is visible to the host.
      sycl::host_accessor<float, 1, sycl::access_mode::read> sums(change);
      double total = 0;
      for (std::size_t group = 0; group < groups; ++group) total += sums[group];
      std::printf("heat: buffers step %3zu, mean change %.4f\n", step, total / (n * n));
    }
    std::swap(now, next);
  }

  Plate result{n, std::vector<float>(n * n)};
  sycl::event copied = queue.submit([&](sycl::handler& handler) {
    sycl::accessor<float, 2, sycl::access_mode::read> from(now, handler);
    handler.copy(from, result.cells.data());
  });
  log.add("copy", "copy", copied).wait();
  return result;
}

}  // namespace heat

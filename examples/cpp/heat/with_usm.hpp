// Part 2: unified shared memory and events. The plate is cut into bands of rows, each band is a kernel of its
// own, and every dependence is named: a band may take its next step as soon as it and its two neighbours have
// taken the last one. There is no barrier between the steps.
#pragma once

#include <sycl/sycl.hpp>

#include <cstdio>
#include <stdexcept>
#include <utility>
#include <vector>

#include "event_log.hpp"
#include "kernels.hpp"
#include "plate.hpp"

namespace heat {

// Gives USM memory back at the end of its scope.
template <typename T>
class UsmArray {
 public:
  UsmArray(std::size_t count, const sycl::queue& queue, sycl::usm::alloc kind)
      : queue_(queue), data_(sycl::malloc<T>(count, queue, kind)) {
    if (data_ == nullptr) throw std::runtime_error("the device has no memory left; try a smaller --size");
  }
  ~UsmArray() { sycl::free(data_, queue_); }
  UsmArray(const UsmArray&) = delete;
  UsmArray& operator=(const UsmArray&) = delete;

  T* get() const { return data_; }

 private:
  sycl::queue queue_;
  T* data_;
};

inline Plate cool_with_usm(const sycl::device& device, const sycl::context& context, const Kernels& kernels,
                           EventLog& log, const Plate& start, std::size_t steps) {
  constexpr std::size_t bands = 4;
  constexpr std::size_t snapshot_every = 15;

  const std::size_t n = start.size;
  const std::size_t rows = n / bands;
  const sycl::nd_range<2> band_cells(sycl::range<2>(rows, n), sycl::range<2>(tile, tile));

  sycl::queue compute{context, device, log.queue_properties()};
  sycl::queue copies{context, device, log.in_order_queue_properties()};

  UsmArray<float> first(start.count(), compute, sycl::usm::alloc::device);
  UsmArray<float> second(start.count(), compute, sycl::usm::alloc::device);
  UsmArray<float> snapshot(start.count(), compute, sycl::usm::alloc::host);
  UsmArray<double> means(steps / snapshot_every + 1, compute, sycl::usm::alloc::shared);

  // A plate in device memory, and the command after which its cells may be overwritten.
  struct Half {
    float* cells;
    sycl::event free_to_write;
  };
  Half now{first.get(), {}};
  Half next{second.get(), log.add("fill", "fill", compute.fill(second.get(), 0.0f, start.count()))};

  // done[band] is the band's last step: after it the band's rows in `now` are ready.
  const sycl::event in = log.add("memcpy", "copy", compute.memcpy(now.cells, start.cells.data(), start.bytes()));
  std::vector<sycl::event> done(bands, in);
  std::size_t snapshots = 0;

  for (std::size_t step = 1; step <= steps; ++step) {
    std::vector<sycl::event> stepped(bands);
    for (std::size_t band = 0; band < bands; ++band) {
      stepped[band] = log.add("diffuse_band", "kernel", compute.submit([&](sycl::handler& handler) {
        handler.depends_on(next.free_to_write);
        handler.depends_on(done[band]);
        if (band > 0) handler.depends_on(done[band - 1]);
        if (band + 1 < bands) handler.depends_on(done[band + 1]);
        handler.set_args(now.cells, next.cells, n, band * rows, conduction);
        handler.parallel_for(band_cells, kernels.diffuse_band);
      }));
    }
    done = std::move(stepped);
    std::swap(now, next);

    if (step % snapshot_every == 0) {
      // The in-order queue keeps these two apart from those of the next snapshot without any event.
      now.free_to_write = log.add("memcpy", "copy", copies.submit([&](sycl::handler& handler) {
        handler.depends_on(done);
        handler.memcpy(snapshot.get(), now.cells, start.bytes());
      }));
      copies.submit([&](sycl::handler& handler) {
        handler.host_task([cells = snapshot.get(), count = start.count(), mean = means.get() + snapshots] {
          double sum = 0;
          for (std::size_t i = 0; i < count; ++i) sum += cells[i];
          *mean = sum / count;
        });
      });
      ++snapshots;
    }
  }

  Plate result{n, std::vector<float>(n * n)};
  sycl::event out = compute.submit([&](sycl::handler& handler) {
    handler.depends_on(done);
    handler.memcpy(result.cells.data(), now.cells, result.bytes());
  });
  log.add("memcpy", "copy", out).wait();
  copies.wait();  // the last host task, too
  for (std::size_t i = 0; i < snapshots; ++i)
    std::printf("heat: usm     step %3zu, mean %.4f\n", (i + 1) * snapshot_every, means.get()[i]);
  return result;
}

}  // namespace heat

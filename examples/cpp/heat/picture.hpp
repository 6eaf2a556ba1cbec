// Part 3: an in-order queue with commands that return no event (sycl_ext_oneapi_enqueue_functions), the
// leanest way to submit. The queue alone keeps them in order.
#pragma once

#include <sycl/sycl.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kernels.hpp"
#include "plate.hpp"

namespace heat {

struct Picture {
  std::size_t size = 0;
  std::vector<std::uint32_t> pixels;  // 0x00RRGGBB
};

// Black over red and yellow to white.
inline std::vector<std::uint32_t> palette() {
  std::vector<std::uint32_t> colours(256);
  for (int i = 0; i < 256; ++i) {
    const std::uint32_t red = std::min(255, i * 3), green = std::clamp(i * 3 - 255, 0, 255),
                        blue = std::clamp(i * 3 - 510, 0, 255);
    colours[i] = red << 16 | green << 8 | blue;
  }
  return colours;
}

// A picture that the device is drawing. The constructor only submits; `finish` waits.
class Drawing {
 public:
  Drawing(const sycl::device& device, const sycl::context& context, const Kernels& kernels, const Plate& plate)
      : queue_{context, device, {sycl::property::queue::in_order{}}},
        picture_{plate.size, std::vector<std::uint32_t>(plate.count())} {
    namespace syclex = sycl::ext::oneapi::experimental;

    // The palette is kept for as long as the program runs and never freed, on purpose: a recording names this
    // line as the owner of memory that was not given back.
    static std::uint32_t* const palette_on_device = sycl::malloc_device<std::uint32_t>(256, queue_);
    cells_ = sycl::malloc_device<float>(plate.count(), queue_);
    pixels_ = sycl::malloc_device<std::uint32_t>(plate.count(), queue_);
    if (!palette_on_device || !cells_ || !pixels_)
      throw std::runtime_error("the device has no memory left; try a smaller --size");

    const std::size_t bytes = plate.count() * sizeof(std::uint32_t);
    syclex::memcpy(queue_, palette_on_device, colours_.data(), colours_.size() * sizeof(std::uint32_t));
    syclex::memcpy(queue_, cells_, plate.cells.data(), plate.bytes());
    syclex::memset(queue_, pixels_, 0, bytes);
    syclex::nd_launch(queue_, sycl::nd_range<1>(plate.count(), tile * tile), kernels.colour, cells_,
                      palette_on_device, pixels_);
    syclex::memcpy(queue_, picture_.pixels.data(), pixels_, bytes);
  }
  Drawing(const Drawing&) = delete;
  Drawing& operator=(const Drawing&) = delete;

  Picture finish() {
    queue_.wait();
    sycl::free(cells_, queue_);
    sycl::free(pixels_, queue_);
    return std::move(picture_);
  }

 private:
  sycl::queue queue_;
  Picture picture_;
  const std::vector<std::uint32_t> colours_ = palette();
  float* cells_;
  std::uint32_t* pixels_;
};

// Whether the picture shows the plate: a colour may be one step off where the temperature is between two.
inline bool check_picture(const Picture& picture, const Plate& plate) {
  const std::vector<std::uint32_t> colours = palette();
  for (std::size_t i = 0; i < plate.count(); ++i) {
    const int step = int(std::clamp(plate.cells[i] * (255.0f / 1000.0f), 0.0f, 255.0f));
    const std::uint32_t pixel = picture.pixels[i];
    if (pixel != colours[step] && pixel != colours[std::max(step - 1, 0)] && pixel != colours[std::min(step + 1, 255)]) {
      std::printf("heat: picture is wrong at pixel %zu\n", i);
      return false;
    }
  }
  std::printf("heat: picture shows the plate\n");
  return true;
}

// A portable pixmap, which most viewers open.
inline void write_ppm(const Picture& picture, const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) throw std::runtime_error("cannot write '" + path + "'; choose another --image file");
  std::fprintf(file, "P6\n%zu %zu\n255\n", picture.size, picture.size);
  std::vector<unsigned char> bytes;
  bytes.reserve(picture.pixels.size() * 3);
  for (const std::uint32_t pixel : picture.pixels)
    bytes.insert(bytes.end(), {(unsigned char)(pixel >> 16), (unsigned char)(pixel >> 8), (unsigned char)pixel});
  const bool whole = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  if (std::fclose(file) != 0 || !whole)
    throw std::runtime_error("'" + path + "' could not be written whole; is the disk full?");
}

}  // namespace heat

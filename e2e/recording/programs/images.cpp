// Images on a device that has none: they can be made and read on the host, but not used by a
// command. One of each kind that the interface has.
#include "work.hpp"

int main() {
  sycl::queue queue;
  std::vector<float> pixels(4 * 8 * 16, 0.5f);
  const sycl::image_sampler sampler{sycl::addressing_mode::clamp_to_edge, sycl::coordinate_normalization_mode::unnormalized,
                                    sycl::filtering_mode::linear};
  int refused = 0;
  {
    sycl::image<2> plain{sycl::image_channel_order::rgba, sycl::image_channel_type::fp32, sycl::range<2>(16, 8)};
    sycl::unsampled_image<2> unsampled{pixels.data(), sycl::image_format::r32g32b32a32_sfloat, sycl::range<2>(16, 8)};
    sycl::sampled_image<3> sampled{pixels.data(), sycl::image_format::r8g8b8a8_unorm, sampler, sycl::range<3>(4, 4, 2)};
    try {
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor<sycl::float4, 2, sycl::access_mode::read, sycl::target::image> from(plain, handler);
        handler.host_task([] {});
      });
    } catch (const sycl::exception&) {
      ++refused;
    }
    try {
      queue.submit([&](sycl::handler& handler) {
        sycl::unsampled_image_accessor<sycl::float4, 2, sycl::access_mode::read> from(unsampled, handler);
        handler.host_task([] {});
      });
    } catch (const sycl::exception&) {
      ++refused;
    }
    sycl::host_unsampled_image_accessor<sycl::float4, 2, sycl::access_mode::read> on_host(unsampled);
    if (on_host.read(sycl::int2(0, 0)).x() != 0.5f) return std::printf("images: WRONG\n"), 1;
  }
  std::printf("images: %d refused\n", refused);
}

// flags: -lOpenCL
// Native OpenCL handles that leave SYCL (get_native) and enter it (make_*): platform, device, context, queue, event,
// buffer, kernel bundle, kernel. OpenCL handles are counted: what enters is retained, what leaves is to be released.
#define CL_TARGET_OPENCL_VERSION 300
#include "work.hpp"

#include <sycl/backend/opencl.hpp>

namespace {

constexpr auto opencl = sycl::backend::opencl;
constexpr std::size_t count = 1 << 10;
const char* const source = "kernel void twice(global int *numbers) { numbers[get_global_id(0)] *= 2; }";

void expect(bool ok, const char* what) {
  if (ok) return;
  std::printf("interop: %s WRONG\n", what);
  std::exit(1);
}

// Handles of SYCL's own objects.
void leave(sycl::queue& queue) {
  const sycl::context context = queue.get_context();
  const cl_platform_id platform = sycl::get_native<opencl>(context.get_platform());
  const cl_device_id device = sycl::get_native<opencl>(queue.get_device());
  const cl_context native_context = sycl::get_native<opencl>(context);
  const cl_command_queue native_queue = sycl::get_native<opencl>(queue);
  const sycl::event event = queue.memset(sycl::malloc_device<int>(count, queue), 0, count * sizeof(int));
  const std::vector<cl_event> events = sycl::get_native<opencl>(event);
  queue.wait();
  expect(platform && device && native_context && native_queue && events.size() == 1, "get_native");
  clReleaseEvent(events[0]);
  clReleaseCommandQueue(native_queue);
  clReleaseContext(native_context);
  clReleaseDevice(device);
}

// Objects made from OpenCL's handles: platform, device, context, queue, buffer, program and kernel.
void enter(cl_platform_id platform, cl_device_id device) {
  const sycl::platform sycl_platform = sycl::make_platform<opencl>(platform);
  const sycl::device sycl_device = sycl::make_device<opencl>(device);
  expect(sycl_device.get_platform() == sycl_platform, "make_device");
  const cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  const cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, nullptr, nullptr);
  const sycl::context sycl_context = sycl::make_context<opencl>(context);
  sycl::queue sycl_queue = sycl::make_queue<opencl>(queue, sycl_context);

  std::vector<int> numbers(count, 21);
  const cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, count * sizeof(int), nullptr, nullptr);
  cl_event written{};
  clEnqueueWriteBuffer(queue, memory, CL_FALSE, 0, count * sizeof(int), numbers.data(), 0, nullptr, &written);
  const sycl::event sycl_event = sycl::make_event<opencl>({written}, sycl_context);

  std::size_t length = std::strlen(source);
  const char* text = source;
  const cl_program program = clCreateProgramWithSource(context, 1, &text, &length, nullptr);
  expect(clBuildProgram(program, 1, &device, "", nullptr, nullptr) == CL_SUCCESS, "clBuildProgram");
  const cl_kernel kernel = clCreateKernel(program, "twice", nullptr);
  const auto bundle = sycl::make_kernel_bundle<opencl, sycl::bundle_state::executable>(program, sycl_context);
  const sycl::kernel sycl_kernel = sycl::make_kernel<opencl>(kernel, sycl_context);
  {
    sycl::buffer<int, 1> buffer = sycl::make_buffer<opencl, int, 1>(memory, sycl_context, sycl_event);
    sycl_queue.submit([&](sycl::handler& handler) {
      sycl::accessor<int, 1, sycl::access_mode::read_write> all(buffer, handler);
      handler.set_args(all);
      handler.parallel_for(sycl::range<1>(count), sycl_kernel);
    });
    // A native handle of a buffer, in a host task.
    sycl_queue.submit([&](sycl::handler& handler) {
      sycl::accessor<int, 1, sycl::access_mode::read_write> all(buffer, handler);
      handler.host_task([=](const sycl::interop_handle& handle) {
        expect(handle.get_native_mem<opencl>(all).size() == 1, "get_native_mem");
        expect(handle.get_native_queue<opencl>() != nullptr, "get_native_queue");
      });
    });
    sycl::host_accessor<int, 1, sycl::access_mode::read> result(buffer);
    expect(result[0] == 42 && result[count - 1] == 42, "result");
  }
  expect(sycl::get_native<opencl>(sycl_kernel) != nullptr, "get_native of a kernel");
  expect(!sycl::get_native<opencl>(bundle).empty(), "get_native of a kernel bundle");
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseEvent(written);
  clReleaseMemObject(memory);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
}

}  // namespace

int main() {
  sycl::queue queue;
  round_trip(queue);
  leave(queue);
  enter(sycl::get_native<opencl>(queue.get_device().get_platform()), sycl::get_native<opencl>(queue.get_device()));
  std::printf("interop: ok\n");
}

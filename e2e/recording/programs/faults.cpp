// Programs that do one thing badly, and the same done well: `faults NAME bad`, `faults NAME good`.
#include "faults/kernels.hpp"

#include <chrono>
#include <cstring>
#include <thread>

namespace {

using sycl::property::queue::in_order;

constexpr std::size_t many = 1 << 20, some = 1 << 14, few = 1 << 10;

// Data go to the device and come back although nothing there has changed them.
void copies(bool bad) {
  sycl::queue queue{in_order{}};
  const sycl::kernel kernel = faults::build(queue.get_context()).ext_oneapi_get_kernel("grow_usm");
  std::vector<float> numbers(many, 1.0f);
  float* const device = sycl::malloc_device<float>(many, queue);
  queue.memcpy(device, numbers.data(), many * sizeof(float));
  for (int step = 0; step < 48; ++step) {
    faults::grow(queue, kernel, device, many, 8);
    if (bad) {
      queue.memcpy(numbers.data(), device, many * sizeof(float)).wait();
      queue.memcpy(device, numbers.data(), many * sizeof(float));
    }
  }
  queue.memcpy(numbers.data(), device, many * sizeof(float)).wait();
  sycl::free(device, queue);
}

// Data go to the device, and others take their place before anything reads them.
void unread(bool bad) {
  sycl::queue queue{in_order{}};
  const sycl::kernel kernel = faults::build(queue.get_context()).ext_oneapi_get_kernel("grow_usm");
  const std::vector<float> zeros(many, 0.0f), ones(many, 1.0f);
  float* const device = sycl::malloc_device<float>(many, queue);
  for (int step = 0; step < 24; ++step) {
    if (bad) queue.memcpy(device, zeros.data(), many * sizeof(float));
    queue.memcpy(device, ones.data(), many * sizeof(float));
    faults::grow(queue, kernel, device, many, 8);
  }
  queue.wait();
  sycl::free(device, queue);
}

// The program has nothing for the device for a while after its start.
void start(bool bad) {
  sycl::queue queue{in_order{}};
  int* const device = sycl::malloc_device<int>(some, queue);
  if (bad) std::this_thread::sleep_for(std::chrono::milliseconds(5000));
  queue.fill(device, 1, some).wait();
  sycl::free(device, queue);
}

// The host waits for each kernel before it submits the next.
void waits(bool bad) {
  sycl::queue queue{in_order{}};
  const sycl::kernel kernel = faults::build(queue.get_context()).ext_oneapi_get_kernel("grow_usm");
  float* const device = sycl::malloc_device<float>(some, queue);
  queue.fill(device, 1.0f, some).wait();
  for (int step = 0; step < 200; ++step) {
    faults::grow(queue, kernel, device, some, 8);
    if (bad) queue.wait();
  }
  queue.wait();
  sycl::free(device, queue);
}

// Kernels on memory of their own run one after the other.
void order(bool bad) {
  sycl::queue queue = bad ? sycl::queue{in_order{}} : sycl::queue{};
  const sycl::kernel kernel = faults::build(queue.get_context()).ext_oneapi_get_kernel("grow_usm");
  float* parts[4];
  sycl::event last[4];
  for (int part = 0; part < 4; ++part) {
    parts[part] = sycl::malloc_device<float>(few, queue);
    last[part] = queue.fill(parts[part], 1.0f, few);
  }
  for (int step = 0; step < 8; ++step)
    for (int part = 0; part < 4; ++part)
      last[part] = queue.submit([&](sycl::handler& handler) {
        handler.depends_on(last[part]);
        handler.set_args(parts[part], 20000);
        handler.parallel_for(sycl::nd_range<1>(sycl::range<1>(few), sycl::range<1>(few)), kernel);
      });
  queue.wait();
  for (float* part : parts) sycl::free(part, queue);
}

// Each kernel does less than its launch costs.
void launches(bool bad) {
  sycl::queue queue{in_order{}};
  const sycl::kernel kernel = faults::build(queue.get_context()).ext_oneapi_get_kernel("grow_usm");
  const std::size_t pieces = bad ? 4096 : 4, piece = many / pieces;
  float* const device = sycl::malloc_device<float>(many, queue);
  queue.fill(device, 1.0f, many);
  for (std::size_t i = 0; i < pieces; ++i) faults::grow(queue, kernel, device + i * piece, piece, bad ? 1 : 64);
  queue.wait();
  sycl::free(device, queue);
}

// Programs are built between the kernels.
void builds(bool bad) {
  sycl::queue queue{in_order{}};
  std::vector<sycl::kernel> kernels;
  const auto add = [&] {
    const int salt = 1 + int(kernels.size());
    kernels.push_back(faults::build(queue.get_context(), salt).ext_oneapi_get_kernel("grow_usm"));
  };
  for (int salt = 0; !bad && salt < 3; ++salt) add();
  float* const device = sycl::malloc_device<float>(many, queue);
  queue.fill(device, 1.0f, many).wait();
  for (int step = 0; step < 3; ++step) {
    if (bad) add();
    faults::grow(queue, kernels[step], device, many, 8).wait();
  }
  sycl::free(device, queue);
}

// Buffers that live for a step: their destructors wait for the step.
void destructors(bool bad) {
  sycl::queue queue;
  const sycl::kernel kernel = faults::build(queue.get_context()).ext_oneapi_get_kernel("grow_buffer");
  std::vector<float> numbers(some, 1.0f);
  // So many steps that their gaps are a good part of the run, however long a busy machine takes to start it.
  if (bad) {
    for (int step = 0; step < 400; ++step) {
      sycl::buffer<float, 1> buffer(numbers.data(), sycl::range<1>(some));
      faults::grow(queue, kernel, buffer, 64);
    }
  } else {
    sycl::buffer<float, 1> buffer(numbers.data(), sycl::range<1>(some));
    for (int step = 0; step < 400; ++step) faults::grow(queue, kernel, buffer, 64);
  }
}

// A host accessor in each step holds the host until the device is done.
void host_accessors(bool bad) {
  sycl::queue queue;
  const sycl::kernel kernel = faults::build(queue.get_context()).ext_oneapi_get_kernel("grow_buffer");
  sycl::buffer<float, 1> buffer{sycl::range<1>(many)};
  float sum = 0;
  // Many more than have to be found: a machine that is busy with others may hold up the host until the device is done.
  for (int step = 0; step < 40; ++step) {
    faults::grow(queue, kernel, buffer, 16);
    if (bad || step == 39) {
      sycl::host_accessor<float, 1, sycl::access_mode::read> seen(buffer);
      sum += seen[0];
    }
  }
  std::printf("%f\n", sum);
}

// A buffer that is used in two contexts by turns: the runtime carries it from one to the other.
void implicit(bool bad) {
  sycl::queue first;
  const sycl::context other = bad ? sycl::context(first.get_device()) : first.get_context();
  sycl::queue second{other, first.get_device()};
  const sycl::kernel in_first = faults::build(first.get_context()).ext_oneapi_get_kernel("grow_buffer");
  const sycl::kernel in_second = faults::build(other).ext_oneapi_get_kernel("grow_buffer");
  sycl::buffer<float, 1> buffer{sycl::range<1>(many)};
  for (int step = 0; step < 10; ++step) {
    faults::grow(first, in_first, buffer, 8);
    faults::grow(second, in_second, buffer, 8);
  }
  sycl::host_accessor<float, 1, sycl::access_mode::read> seen(buffer);
  std::printf("%f\n", seen[0]);
}

// Small memory is allocated and freed again in each step.
void allocations(bool bad) {
  sycl::queue queue{in_order{}};
  const sycl::kernel kernel = faults::build(queue.get_context()).ext_oneapi_get_kernel("grow_usm");
  float* const kept = sycl::malloc_device<float>(few, queue);
  for (int step = 0; step < 200; ++step) {
    // So many for a wait that they are a part of the run where each wait takes milliseconds, on a machine that is busy with others.
    for (int block = 0; bad && block < 40; ++block) {
      float* const numbers = sycl::malloc_device<float>(few, queue);
      sycl::free(numbers, queue);
    }
    queue.fill(kept, 1.0f, few);
    faults::grow(queue, kernel, kept, few, 16);
    if (bad) queue.wait();
  }
  queue.wait();
  sycl::free(kept, queue);
}

// All work goes to one half of the machine.
void devices(bool bad) {
  const sycl::device whole = sycl::queue().get_device();
  const auto halves = whole.create_sub_devices<sycl::info::partition_property::partition_equally>(
      whole.get_info<sycl::info::device::max_compute_units>() / 2);
  const sycl::context context(halves);
  const sycl::kernel kernel = faults::build(context).ext_oneapi_get_kernel("grow_usm");
  std::vector<sycl::queue> queues;
  for (std::size_t half = 0; half < 2; ++half) queues.emplace_back(context, halves[half], in_order{});
  float* parts[2];
  for (std::size_t part = 0; part < 2; ++part) {
    sycl::queue& queue = queues[bad ? 0 : part];
    parts[part] = sycl::malloc_host<float>(many, queue);
    queue.fill(parts[part], 1.0f, many);
    for (int step = 0; step < 10; ++step) faults::grow(queue, kernel, parts[part], many, 64);
  }
  for (sycl::queue& queue : queues) queue.wait();
  for (float* part : parts) sycl::free(part, context);
}

// Two parts of one buffer: the runtime makes commands on them wait for each other.
void sub_buffers(bool bad) {
  sycl::queue queue;
  const sycl::kernel kernel = faults::build(queue.get_context()).ext_oneapi_get_kernel("grow_buffer");
  sycl::buffer<float, 1> whole{sycl::range<1>(some)}, other{sycl::range<1>(some / 2)};
  sycl::buffer<float, 1> left(whole, sycl::id<1>(0), sycl::range<1>(some / 2));
  sycl::buffer<float, 1> right(whole, sycl::id<1>(some / 2), sycl::range<1>(some / 2));
  for (int step = 0; step < 8; ++step) {
    faults::grow(queue, kernel, left, 4000);
    faults::grow(queue, kernel, bad ? right : other, 4000);
  }
  queue.wait();
}

// The host waits between commands that have nothing to do with one another.
void host_waits(bool bad) {
  sycl::queue queues[2] = {sycl::queue{in_order{}}, sycl::queue{in_order{}}};
  const sycl::kernel kernel = faults::build(queues[0].get_context()).ext_oneapi_get_kernel("grow_usm");
  float* parts[2];
  for (int part = 0; part < 2; ++part) {
    parts[part] = sycl::malloc_device<float>(some, queues[0]);
    queues[part].fill(parts[part], 1.0f, some);
  }
  for (int step = 0; step < 8; ++step)
    for (int part = 0; part < 2; ++part) {
      sycl::event done = faults::grow(queues[part], kernel, parts[part], some, 2000);
      if (bad) done.wait();
    }
  for (sycl::queue& queue : queues) queue.wait();
  for (float* part : parts) sycl::free(part, queues[0]);
}

// Several faults at once, in the same moments: small memory comes and goes, the host waits after each short kernel, and a
// host accessor blocks.
void several(bool bad) {
  sycl::queue queue{in_order{}};
  faults::Executable kernels = faults::build(queue.get_context());
  const sycl::kernel on_usm = kernels.ext_oneapi_get_kernel("grow_usm");
  const sycl::kernel on_buffer = kernels.ext_oneapi_get_kernel("grow_buffer");
  float* const kept = sycl::malloc_device<float>(few, queue);
  sycl::buffer<float, 1> buffer{sycl::range<1>(some)};
  for (int step = 0; step < 200; ++step) {
    float* const numbers = bad ? sycl::malloc_device<float>(few, queue) : kept;
    faults::grow(queue, on_usm, numbers, few, 8);
    if (!bad) continue;
    queue.wait();
    sycl::free(numbers, queue);
    if (step % 10 == 9) {
      faults::grow(queue, on_buffer, buffer, 64);
      sycl::host_accessor<float, 1, sycl::access_mode::read> seen(buffer);
    }
  }
  queue.wait();
  sycl::free(kept, queue);
}

// After each kernel the host looks at one number, by which it decides whether to go on.
void reads(bool bad) {
  sycl::queue queue{in_order{}};
  const sycl::kernel kernel = faults::build(queue.get_context()).ext_oneapi_get_kernel("grow_usm");
  float* const device = sycl::malloc_device<float>(some, queue);
  queue.fill(device, 1.0f, some);
  for (int step = 0; step < 60; ++step) {
    faults::grow(queue, kernel, device, some, 64);
    if (!bad && step % 20 != 19) continue;
    float first = 0;
    queue.memcpy(&first, device, sizeof(first)).wait();
    if (first < 0) break;
  }
  queue.wait();
  sycl::free(device, queue);
}

// A command graph is made for each of its runs.
void graphs(bool bad) {
  namespace syclex = sycl::ext::oneapi::experimental;
  using Graph = syclex::command_graph<syclex::graph_state::executable>;
  sycl::queue queue{in_order{}};
  const sycl::kernel kernel = faults::build(queue.get_context()).ext_oneapi_get_kernel("grow_usm");
  float* const device = sycl::malloc_device<float>(few, queue);
  std::vector<float> numbers(few, 1.0f);
  const auto recorded = [&] {
    syclex::command_graph graph(queue);
    graph.begin_recording(queue);
    for (int layer = 0; layer < 128; ++layer) faults::grow(queue, kernel, device, few, 8);
    graph.end_recording();
    return graph.finalize();
  };
  std::vector<Graph> kept;
  for (int run = 0; run < 160; ++run) {
    queue.memcpy(device, numbers.data(), few * sizeof(float));
    if (bad || kept.empty()) kept.push_back(recorded());
    // Nothing is waited for meanwhile: a machine that is busy with others holds up the making of graphs as much as the run.
    queue.ext_oneapi_graph(kept.back());
  }
  queue.wait();
  sycl::free(device, queue);
}

// One launch takes as long as all others together, and longer.
void long_kernel(bool bad) {
  sycl::queue queue{in_order{}};
  const sycl::kernel kernel = faults::build(queue.get_context()).ext_oneapi_get_kernel("grow_usm");
  float* const device = sycl::malloc_device<float>(many, queue);
  queue.fill(device, 1.0f, many);
  const int launches = 16, rounds = 1 << 15;
  for (int i = 0; i < launches; ++i) faults::grow(queue, kernel, device, many, bad ? 8 : rounds / launches);
  if (bad) faults::grow(queue, kernel, device, many, rounds);
  queue.wait();
  sycl::free(device, queue);
}

const struct {
  const char* name;
  void (*run)(bool bad);
} programs[] = {{"copies", copies},         {"waits", waits},
                {"order", order},           {"launches", launches},
                {"builds", builds},         {"destructors", destructors},
                {"host_accessors", host_accessors}, {"implicit", implicit},
                {"allocations", allocations}, {"devices", devices},
                {"sub_buffers", sub_buffers}, {"host_waits", host_waits},
                {"several", several},       {"reads", reads},
                {"graphs", graphs},         {"long_kernel", long_kernel},
                {"unread", unread},         {"start", start}};

}  // namespace

int main(int count, char** words) {
  for (const auto& program : programs)
    if (count == 3 && !std::strcmp(words[1], program.name)) {
      program.run(!std::strcmp(words[2], "bad"));
      std::printf("%s: ok\n", program.name);
      return 0;
    }
  std::printf("usage: faults NAME bad|good\n");
  return 2;
}

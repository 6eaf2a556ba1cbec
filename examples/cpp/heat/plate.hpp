// The plate, its physics in plain C++, and how results are compared.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

namespace heat {

// How far a cell moves towards its neighbours in one step; up to 0.25 is stable.
inline constexpr float conduction = 0.2f;

struct Plate {
  std::size_t size = 0;
  std::vector<float> cells;  // row by row, degrees

  std::size_t count() const { return cells.size(); }
  std::size_t bytes() const { return cells.size() * sizeof(float); }
};

// A cold plate with three round hot spots.
inline Plate hot_plate(std::size_t size) {
  Plate plate{size, std::vector<float>(size * size, 20.0f)};
  const struct { float row, column, radius, degrees; } spots[] = {
      {0.30f, 0.30f, 0.12f, 900.0f}, {0.65f, 0.55f, 0.20f, 600.0f}, {0.25f, 0.75f, 0.07f, 1000.0f}};
  for (std::size_t row = 0; row < size; ++row)
    for (std::size_t column = 0; column < size; ++column)
      for (const auto& spot : spots) {
        const float dy = (row + 0.5f) / size - spot.row, dx = (column + 0.5f) / size - spot.column;
        if (dx * dx + dy * dy < spot.radius * spot.radius) plate.cells[row * size + column] = spot.degrees;
      }
  return plate;
}

// What both SYCL parts must come to.
inline Plate cool_on_host(const Plate& start, std::size_t steps) {
  Plate now = start, next = start;
  const std::size_t n = start.size;
  for (std::size_t step = 0; step < steps; ++step) {
    for (std::size_t row = 1; row + 1 < n; ++row)
      for (std::size_t column = 1; column + 1 < n; ++column) {
        const std::size_t i = row * n + column;
        const float here = now.cells[i];
        const float around = now.cells[i - n] + now.cells[i + n] + now.cells[i - 1] + now.cells[i + 1];
        next.cells[i] = here + conduction * (around - 4.0f * here);
      }
    std::swap(now.cells, next.cells);
  }
  return now;
}

// Mean temperature in degrees.
inline double checksum(const Plate& plate) {
  double sum = 0;
  for (const float cell : plate.cells) sum += cell;
  return sum / plate.count();
}

// Prints how far a plate is from the expected one, and says whether it is close enough. A device may contract
// multiply and add, hence not the same bits.
inline bool compare(const char* name, const Plate& plate, const Plate& expected) {
  double worst = 0;
  for (std::size_t i = 0; i < expected.count(); ++i) {
    const double off = std::fabs(double(plate.cells[i]) - double(expected.cells[i]));
    if (!(off <= worst)) worst = off;  // a NaN counts as worst
  }
  const bool ok = plate.count() == expected.count() && worst <= 0.01;
  std::printf("heat: %s mean %.3f, farthest cell %s\n", name, checksum(plate), ok ? "within 0.01" : "is off");
  return ok;
}

}  // namespace heat

// Loops over few actions.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_COMMON_WITH_COUNT_H_
#define NASH_ISMCTS_SPIEL_NATIVE_COMMON_WITH_COUNT_H_

#include <cstdint>
#include <type_traits>

namespace nash_ismcts {

// Calls `task` with a count, as a constant where it is small: then loops over so many actions are
// straight code and their sums stay in registers.
template <typename Task>
void with_count(int32_t count, Task task) {
  switch (count) {
    case 1: return task(std::integral_constant<int32_t, 1>());
    case 2: return task(std::integral_constant<int32_t, 2>());
    case 3: return task(std::integral_constant<int32_t, 3>());
    case 4: return task(std::integral_constant<int32_t, 4>());
    case 5: return task(std::integral_constant<int32_t, 5>());
    case 6: return task(std::integral_constant<int32_t, 6>());
    case 7: return task(std::integral_constant<int32_t, 7>());
    case 8: return task(std::integral_constant<int32_t, 8>());
    case 9: return task(std::integral_constant<int32_t, 9>());
    default: return task(count);
  }
}

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_COMMON_WITH_COUNT_H_

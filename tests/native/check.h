// All that the C++ tests need of a test framework.
//
//   TEST(a_map_finds_what_was_inserted) { CHECK_EQ(map.find(3), 4); }
//
// Every test runs, also after others failed; main.cc prints what failed and where.

#ifndef NASH_ISMCTS_SPIEL_TESTS_NATIVE_CHECK_H_
#define NASH_ISMCTS_SPIEL_TESTS_NATIVE_CHECK_H_

#include <sstream>
#include <string>
#include <vector>

namespace checks {

struct Test {
  const char* name;
  void (*run)();
};

inline std::vector<Test>& all_tests() {
  static std::vector<Test> tests;
  return tests;
}

inline bool add(const char* name, void (*run)()) {
  all_tests().push_back({name, run});
  return true;
}

// Notes a failure of the test that runs.
void fail(const char* file, int line, const std::string& what);

template <typename Left, typename Right>
void check_equal(const char* file, int line, const char* text, const Left& left,
                 const Right& right) {
  if (left == right) return;
  std::ostringstream what;
  what.precision(17);
  what << text << ": " << left << " is not " << right;
  fail(file, line, what.str());
}

}  // namespace checks

#define TEST(name)                                           \
  static void name();                                        \
  static const bool added_##name = checks::add(#name, name); \
  static void name()

#define CHECK(condition)                                            \
  do {                                                              \
    if (!(condition)) checks::fail(__FILE__, __LINE__, #condition); \
  } while (false)

#define CHECK_EQ(left, right) \
  checks::check_equal(__FILE__, __LINE__, #left " == " #right, left, right)

#define CHECK_THROWS(expression, exception)                                      \
  try {                                                                          \
    expression;                                                                  \
    checks::fail(__FILE__, __LINE__, #expression " does not throw " #exception); \
  } catch (const exception&) {                                                   \
  }

#endif  // NASH_ISMCTS_SPIEL_TESTS_NATIVE_CHECK_H_

// Runs the tests whose names contain the first argument, or all.

#include <cstdio>
#include <cstring>
#include <exception>

#include "check.h"

namespace checks {
namespace {

int failures = 0;
const char* running = "";

}  // namespace

void fail(const char* file, int line, const std::string& what) {
  ++failures;
  std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, running, what.c_str());
}

}  // namespace checks

int main(int count, char** arguments) {
  const char* wanted = count > 1 ? arguments[1] : "";
  int ran = 0;
  for (const checks::Test& test : checks::all_tests()) {
    if (std::strstr(test.name, wanted) == nullptr) continue;
    checks::running = test.name;
    ++ran;
    try {
      test.run();
    } catch (const std::exception& error) {
      checks::fail("an exception", 0, error.what());
    }
  }
  std::printf("%d tests, %d failures\n", ran, checks::failures);
  return ran == 0 || checks::failures > 0;
}

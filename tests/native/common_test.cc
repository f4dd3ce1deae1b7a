// Maps, hashes, random numbers and draws.

#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "check.h"
#include "common/draw.h"
#include "common/flat_map.h"
#include "common/grouped.h"
#include "common/hash.h"
#include "common/proportional.h"
#include "common/random.h"

namespace nash_ismcts {
namespace {

TEST(an_empty_map_finds_nothing) {
  FlatMap map;
  CHECK_EQ(map.size(), 0);
  CHECK_EQ(map.find(0), FlatMap::kAbsent);
  map.clear();
  CHECK_EQ(map.find(7), FlatMap::kAbsent);
}

TEST(the_key_of_free_places_is_never_found) {
  FlatMap map;
  map.insert(3, 5);
  CHECK_EQ(map.find(~uint64_t{0}), FlatMap::kAbsent);
  bool refused = false;
  try {
    map.insert(~uint64_t{0}, 1);
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  CHECK(refused);
}

TEST(a_map_agrees_with_the_standard_one) {
  FlatMap map;
  std::unordered_map<uint64_t, int32_t> wanted;
  Random random(1);
  for (int round = 0; round < 3; ++round) {
    for (int32_t step = 0; step < 5000; ++step) {
      // Small keys come again, large ones differ in their high bits only.
      const uint64_t key = step % 2 ? random.next() % 1000 : random.next() << 40;
      map.insert(key, step);
      wanted[key] = step;
    }
    CHECK_EQ(map.size(), static_cast<int64_t>(wanted.size()));
    for (const auto& [key, value] : wanted) CHECK_EQ(map.find(key), value);
    CHECK_EQ(map.find(1001), FlatMap::kAbsent);
    map.clear();
    wanted.clear();
    CHECK_EQ(map.find(5), FlatMap::kAbsent);
  }
}

TEST(entries_are_grouped_by_keys_and_those_without_are_left_out) {
  const Grouped grouped({2, 0, -1, 2, 0, 2}, 4);
  CHECK(grouped.first == std::vector<int64_t>({0, 2, 2, 5, 5}));
  CHECK(grouped.members == std::vector<int32_t>({1, 4, 0, 3, 5}));
}

TEST(rows_that_have_no_number_are_refused) {
  CHECK_EQ(next_row(int64_t{2147483647}), 2147483647);
  bool refused = false;
  try {
    next_row(int64_t{2147483648});
  } catch (const std::length_error&) {
    refused = true;
  }
  CHECK(refused);
}

TEST(policies_are_proportional_to_positive_weights_or_uniform) {
  std::vector<double> weights = {-1.0, 1.0, 3.0, 0.0};
  std::vector<double> policy(4);
  make_proportional(weights.data(), 4, policy.data());
  CHECK(policy == std::vector<double>({0.0, 0.25, 0.75, 0.0}));
  weights = {-1.0, 0.0, -2.0, 0.0};
  make_proportional(weights.data(), 4, weights.data());
  CHECK(weights == std::vector<double>({0.25, 0.25, 0.25, 0.25}));
}

TEST(hashes_tell_contents_lengths_and_order) {
  std::set<uint64_t> hashes;
  const std::string text = "the quick brown fox";
  for (size_t size = 0; size <= text.size(); ++size) {
    for (size_t start = 0; start + size <= text.size(); ++start) {
      hashes.insert(hash_bytes(0, text.data() + start, size));  // at odd addresses too
    }
  }
  std::set<std::string> words;
  for (size_t size = 0; size <= text.size(); ++size) {
    for (size_t start = 0; start + size <= text.size(); ++start) {
      words.insert(text.substr(start, size));
    }
  }
  CHECK_EQ(hashes.size(), words.size());
  const std::string zeros(3, '\0');
  CHECK(hash_bytes(0, zeros.data(), 1) != hash_bytes(0, zeros.data(), 2));
  CHECK(hash_bytes(1, text.data(), 4) != hash_bytes(2, text.data(), 4));
  CHECK(hash_combine(hash_combine(0, 1), 2) != hash_combine(hash_combine(0, 2), 1));
}

TEST(random_numbers_are_those_of_splitmix64) {
  // Vigna's splitmix64.c, seed 1234567, as listed by Rosetta Code.
  Random random(1234567);
  for (const uint64_t wanted :
       {6457827717110365317ULL, 3203168211198807973ULL, 9817491932198370423ULL,
        4593380528125082431ULL, 16408922859458223821ULL}) {
    CHECK_EQ(random.next(), wanted);
  }
}

TEST(random_numbers_stay_in_range_and_spread) {
  Random random(3);
  std::vector<int> counts(7);
  double sum = 0.0;
  constexpr int kDraws = 70000;
  for (int step = 0; step < kDraws; ++step) {
    const double number = random.uniform();
    CHECK(number >= 0.0 && number < 1.0);
    sum += number;
    const int64_t index = random.below(7);
    CHECK(index >= 0 && index < 7);
    if (index >= 0 && index < 7) ++counts[static_cast<size_t>(index)];
  }
  // Six standard deviations: sqrt(1 / 12 / 70000) = .0011 and sqrt(70000 * 1/7 * 6/7) = 93.
  CHECK(sum / kDraws > 0.4934 && sum / kDraws < 0.5066);
  for (const int count : counts) CHECK(count > 10000 - 560 && count < 10000 + 560);
}

TEST(streams_of_one_seed_differ) {
  std::set<uint64_t> first;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    for (uint64_t stream = 0; stream < 20; ++stream) first.insert(Random(seed, stream).next());
  }
  CHECK_EQ(first.size(), 400u);
  CHECK_EQ(Random(4, 5).next(), Random(4, 5).next());
}

double given(void* number) { return *static_cast<double*>(number); }

// The index that is drawn where the generator gives `number`.
int32_t drawn(double number, const std::vector<double>& weights) {
  const BitGenerator generator{&number, nullptr, nullptr, given, nullptr};
  return draw(generator, static_cast<int32_t>(weights.size()),
              [&](int32_t index) { return weights[static_cast<size_t>(index)]; });
}

TEST(a_draw_goes_by_cumulated_weights) {
  const std::vector<double> weights = {0.0, 1.0, 0.0, 2.0, 1.0, 0.0};  // adds up to 4
  CHECK_EQ(drawn(0.0, weights), 1);
  CHECK_EQ(drawn(0.2499, weights), 1);
  CHECK_EQ(drawn(0.25, weights), 3);
  CHECK_EQ(drawn(0.7499, weights), 3);
  CHECK_EQ(drawn(0.75, weights), 4);
  CHECK_EQ(drawn(0.9999999999999999, weights), 4);
}

TEST(a_draw_survives_rounding) {
  // .1 + .2 + .3 is less than its parts taken off one by one: what is left over is the last index.
  CHECK_EQ(drawn(0.9999999999999999, {0.1, 0.2, 0.3, 0.0}), 2);
  CHECK_EQ(drawn(0.5, {1.0}), 0);
}

}  // namespace
}  // namespace nash_ismcts

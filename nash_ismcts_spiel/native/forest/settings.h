// How a forest searches (forest.h), and the temperature of its soft ties.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_FOREST_SETTINGS_H_
#define NASH_ISMCTS_SPIEL_NATIVE_FOREST_SETTINGS_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace nash_ismcts {

// Where the first values of worlds come from.
enum class FirstValues {
  kExact,    // V under P, which backing up under P cannot change
  kLearned,  // V with errors
  kRollouts  // random games from each world that follows one that was seen
};

constexpr double kLearningPower = 0.7;  // Qbar moves by N^-power
constexpr double kExploration = 0.2;    // share of uniform moves in simulations
constexpr double kBlendVisits = 200.0;  // visits of a set at which half of the blend is reached
constexpr int32_t kRollouts = 4;        // random games from a new world
constexpr int64_t kHandful = 5;         // of simulations: with fewer P is played
constexpr int64_t kStopInterval = 64;   // simulations between two questions whether to stop
constexpr int64_t kUntilStopped = std::numeric_limits<int64_t>::max();
constexpr double kLeashWeight = 1.4, kUntrainedLeashWeight = 0.4;
// What evidence changes is half-way there after so many simulations for each set that was met: a
// simulation is worth up to 1 + weight, and the searching player's share of P's own advantages
// grows to that for others. Not where nothing is trained, whose leash is short from the start.
// Multiples of P's exploitability at 10,000 visits, means of search seeds 1 to 4: P learned 20 CPU
// seconds in Liar's Dice 1x4 with training seeds 50 to 52 .69 .42 .57, half-way at 60 simulations a
// set .61 .59 .66, with a weight of 0 .47 .41 .52; CFR's averages of 50 and 150 iterations in Kuhn
// poker .38 .55 and, with a weight of 0, .43 .63.
constexpr double kEvidenceWeight = 3.0;
constexpr double kEvidenceVisits = 600.0;

// Between 0 and 1: how well a search knows the information sets that it has met, after so many
// simulations.
inline double familiarity(double done, double sets) {
  return done / (done + kEvidenceVisits * (1.0 + sets));
}

// What simulations at a decision point are worth.
inline double worth(double visits, double done, double sets) {
  return visits * (1.0 + kEvidenceWeight * familiarity(done, sets));
}

// Simulations through a view for one update of it, whose step stands for all of them. Search seeds
// 1 and 2, 10,000 visits around CFR's averages after 1 and 3 iterations of 2x3 abrupt dark hex:
// .164 and .291 of P's exploitability, .175 and .343 with an update at each visit; seeds 1 to 8,
// 1,000 visits: .195 and .392, .202 and .388; phantom tic-tac-toe, uniform P: .146 and .143.
inline int64_t visits_an_update(int64_t visits) {
  return visits < 64 ? 1 : visits < 256 ? 2 : visits < 1024 ? 4 : 8;
}

// N^-kLearningPower, which a search asks for again and again.
class LearningSteps {
 public:
  double at(int64_t updates) {
    while (static_cast<int64_t>(steps_.size()) <= updates) {
      steps_.push_back(std::pow(static_cast<double>(steps_.size()), -kLearningPower));
    }
    return steps_[updates];
  }

 private:
  std::vector<double> steps_;
};

struct ForestSettings {
  double value_scale = 1.0;  // utility units that count as 1
  double regret = 0.4;       // g of the leash, in value scales
  // How much of P's own advantages counts: at first for the player whose log is walked; for others.
  double own_share = 1.0, others_share = 1.0;
  double blend = 0.0;  // how far Vc gives way to Q_P in the limit
  FirstValues first_values = FirstValues::kExact;
  uint64_t seed = 0;
};

// How much of P's own advantages counts for the player whose log is walked: more with evidence.
inline double own_share(const ForestSettings& settings, double done, double sets) {
  const double unknown = 1.0 - familiarity(done, sets);
  return settings.others_share * std::pow(settings.own_share / settings.others_share, unknown);
}

// The temperature x, in value scales, of n simulations at a decision point: high, so that play
// stays close to P, where there is little evidence and where P is good.
//
//   n x^2 = weight (1 / g + 1 / x)
//
// The weight is 1.4, and .4 where nothing is trained: there is then less in P to stay close to.
// The left side less the right one increases in x.
inline double leash(double visits, double regret, double weight = kLeashWeight) {
  const auto is_short = [&](double x) {
    return visits * x * x < weight * (1.0 / regret + 1.0 / x);
  };
  double low = 1e-12, high = 1e12;
  for (int halving = 0; halving < 100; ++halving) {
    const double middle = std::sqrt(low * high);
    (is_short(middle) ? low : high) = middle;
  }
  return high;
}

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_FOREST_SETTINGS_H_

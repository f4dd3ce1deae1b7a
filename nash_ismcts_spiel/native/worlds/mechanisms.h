// Which mechanisms find or vary worlds: counts, and switches, for benchmarks/worlds_table.py.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_WORLDS_MECHANISMS_H_
#define NASH_ISMCTS_SPIEL_NATIVE_WORLDS_MECHANISMS_H_

#include <array>
#include <cstdint>

namespace nash_ismcts {

enum Mechanism : uint8_t {
  kByBacktracking,
  kByExplorer,
  kByFinder,
  kByListing,        // information sets whose worlds are listed
  kByExchangeProof,  // pieces that an exchange proved
  kByCompletion,     // pieces that a complete search proved or ruled out
  kByTrust,          // pieces that were taken on trust
  kByWalk,           // worlds by the steps of a walk
  kByRepair,         // the finder's changes of earlier events
  kByProposal,       // looks of a proof that failed
  kMechanisms
};

inline std::array<int64_t, kMechanisms> mechanism_counts{};
inline uint32_t mechanisms_off = 0;

inline bool is_on(Mechanism mechanism) { return (mechanisms_off >> mechanism & 1U) == 0; }
inline void count(Mechanism mechanism) { ++mechanism_counts[mechanism]; }

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_WORLDS_MECHANISMS_H_

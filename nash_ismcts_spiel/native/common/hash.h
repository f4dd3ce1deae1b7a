// Hashes that are the same on every machine and in every process.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_COMMON_HASH_H_
#define NASH_ISMCTS_SPIEL_NATIVE_COMMON_HASH_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace nash_ismcts {

// The finaliser of SplitMix64.
inline uint64_t hash_mix(uint64_t value) {
  value ^= value >> 30;
  value *= 0xbf58476d1ce4e5b9ULL;
  value ^= value >> 27;
  value *= 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

inline uint64_t hash_combine(uint64_t hash, uint64_t value) {
  return hash_mix(hash * 0x9e3779b97f4a7c15ULL + hash_mix(value + 0x9e3779b97f4a7c15ULL));
}

inline uint64_t hash_bytes(uint64_t hash, const char* data, size_t size) {
  hash = hash_combine(hash, size);
  for (; size >= 8; data += 8, size -= 8) {
    uint64_t word;
    std::memcpy(&word, data, 8);
    hash = hash_combine(hash, word);
  }
  uint64_t rest = 0;
  for (size_t byte = 0; byte < size; ++byte) {
    rest |= static_cast<uint64_t>(static_cast<unsigned char>(data[byte])) << (8 * byte);
  }
  return hash_combine(hash, rest);
}

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_COMMON_HASH_H_

// Encodes the configured forms of a profile with the bytes that hmmpress of HMMER 3.3.2 writes on
// x86-64. They are the records of P.h3f and P.h3p, which HMMER's programs read.
//
// Numbers are little-endian, and nothing is aligned. i32 and f32 have 4 bytes. M is the number of
// nodes.
//
// An array over nodes is *striped*: it is cut into vectors of 16 bytes, which have S = 16, 8 or 4
// elements. There are V(S) = max(2, ceil(M / S)) vectors. Element z of vector q belongs to node
// q + 1 + z * V(S). Elements that belong to no node hold 255 for costs, -32768 for 16-bit scores
// and 0 for odds. A size with V(S) counts vectors. A table of residues has 29 rows, one for each of
// ACDEFGHIKLMNPQRSTVWY-BJZOUX*~. The rows of - * and ~ score minus infinity.
//
// A record of P.h3f is for the filters MSV and SSV:
//
//   u32                  magic 0xb3e6e6f3: "3ffs" with the high bit of each byte set.
//   i32 [3]              M; the alphabet, which is 3 (amino acids); bytes of the name.
//   name, NUL            the name.
//   i32                  length of the longest instance. Unknown: -1.
//   u8 [3]               MSV's costs: enter, end, and move for targets of 400 residues.
//   f32, u8, u8          MSV's scale, in thirds of a bit per nat; its offset; its bias.
//   u8 [29][V(16) + 17]  SSV's scores, striped. They are the bias less the costs below, signed,
//                        and at most 127. The last 17 vectors of a row repeat the first ones.
//   u8 [29][V(16)]       MSV's costs, striped.
//   f32 [6]              MSV mu and lambda, Viterbi mu and lambda, Forward tau and lambda.
//                        Unknown: -99999.
//   i64 [3]              where this profile's records begin in P.h3m, P.h3f and P.h3p.
//   f32 [20]             composition.
//   u32                  the magic again.
//
// A record of P.h3p is for the other stages:
//
//   u32                  magic 0xb3e6f0f3: "3fps" with the high bit of each byte set.
//   i32 [3]              M; the alphabet; bytes of the name.
//   name, NUL            the name.
//   i32, text            the accession's number of bytes. If not 0: the accession and a NUL.
//   i32, text            the description, likewise.
//   M + 2 bytes [4]      RF, MM, CS, consensus. Each is a blank, one letter per node, and NUL.
//                        All bytes are 0 if it is missing.
//   i16 [V(8)][7]        Viterbi's transitions, striped: enter, match-match, insert-match,
//                        delete-match, match-delete, match-insert, insert-insert.
//                        The first vectors of all seven come first, then the second ones.
//   i16 [V(8)]           delete-delete.
//   i16 [29][V(8)]       Viterbi's match scores.
//   i16 [4][2]           move and loop of E, N, J, C for targets of 400 residues.
//   f32, i16             Viterbi's scale; its offset.
//   i16                  the deletion bound. It is the most that reaching a node by deletions can
//                        score above entering it.
//   f32                  0.
//   f32 ...              Forward's odds: transitions, match odds, and move and loop.
//                        They have the same order as above, with V(4) vectors.
//   f32 [6]              GA, TC, NC. Each is a cutoff for the sequence and one for a domain.
//                        Not set: -99999.
//   f32, i32, i32        1 (hits that a target may have besides one); 1 (local); 400.
//   u32                  the magic again.
#pragma once

#include <cstdint>
#include <string>

#include "libcore/profile/plan7_profile.h"
#include "libcore/profile/profile_hmm.h"

namespace warpseq {

/// The offsets at which the records of a profile begin in the three files.
struct StripedOffsets {
    std::uint64_t model = 0, filter = 0, profile = 0;
};

/// Appends the record of P.h3f to `out`.
void append_striped_filter(const ProfileHmm& hmm, const Plan7Profile& configured, const StripedOffsets& offsets,
                           std::string& out);
/// Appends the record of P.h3p to `out`.
void append_striped_profile(const ProfileHmm& hmm, const Plan7Profile& configured, std::string& out);

}  // namespace warpseq

// The configured forms of a profile as hmmpress of HMMER 3.3.2 keeps them on x86-64: what its
// programs read of P.h3f and P.h3p.
//
// Little-endian, nothing aligned. i32 and f32 are 4 bytes, M is the number of nodes. An array over
// nodes is *striped*: it is cut into vectors of 16 bytes, which have S = 16, 8 or 4 elements. There
// are V(S) = max(2, ceil(M / S)) of them, and element z of vector q belongs to node q + 1 + z *
// V(S). What belongs to no node holds 255 for costs, -32768 for 16-bit scores and 0 for odds. Rows
// of residues are those of ACDEFGHIKLMNPQRSTVWY-BJZOUX*~, of which - * and ~ score minus infinity.
//
// A record of P.h3f, what the filters MSV and SSV need:
//
//   4 bytes             magic: "3ffs" with the high bit of each byte set, read as a big-endian number
//   i32 [3]             M; the alphabet, 3: amino acids; bytes of the name
//   name, NUL; i32      length of the longest instance, -1: not known
//   u8 [3]              MSV's costs: enter, end, move for targets of 400 residues
//   f32, u8 [2]         MSV's scale in thirds of a bit for a nat, its offset, its bias
//   u8 [29][V(16) + 17] SSV's scores, striped: the bias less the costs below, signed, at most 127; 17 vectors follow that repeat the first ones
//   u8 [29][V(16)]      MSV's costs, striped
//   f32 [6]             MSV mu and lambda, Viterbi mu and lambda, Forward tau and lambda; -99999: not known
//   i64 [3]             where this profile's records begin in P.h3m, P.h3f and P.h3p
//   f32 [20]            composition
//   4 bytes             the magic again
//
// A record of P.h3p, what the other stages need:
//
//   4 bytes, i32 [3]    magic "3fps" likewise, M, alphabet, bytes of the name
//   name, NUL           then accession and description: an i32 of its bytes, and it with a NUL where there are any
//   M + 2 bytes [4]     RF, MM, CS, consensus: a blank, a letter a node, NUL; all zero where there is none
//   i16 [V(8)][7]       Viterbi's transitions, striped: enter, match-match, insert-match, delete-match, match-delete, match-insert,
//                       insert-insert; a vector of each, then the next ones
//   i16 [V(8)]          delete-delete
//   i16 [29][V(8)]      Viterbi's match scores
//   i16 [4][2]          move and loop of E, N, J, C for targets of 400 residues
//   f32, i16, i16, f32  Viterbi's scale; its offset; the best of entering a node less coming to it by deletions; 0
//   f32 ...             Forward's odds: transitions, match odds and move and loop, in the same order, in vectors of 4
//   f32 [6]             GA, TC, NC: of the sequence and of a domain; -99999: none
//   f32, i32, i32       1 (hits a target may have besides one), 1 (local), 400
//   4 bytes             the magic again
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

/// Appends the record of P.h3f.
void append_striped_filter(const ProfileHmm& hmm, const Plan7Profile& configured, const StripedOffsets& offsets,
                           std::string& out);
/// Appends the record of P.h3p.
void append_striped_profile(const ProfileHmm& hmm, const Plan7Profile& configured, std::string& out);

}  // namespace warpseq

// Writes profile HMMs in HMMER 2's text format, as `hmmconvert -2` of HMMER 3.3.2 does, byte for
// byte. The profile is that of HMMER 2's glocal mode ("ls").
//
//   format line         HMMER2.0  [converted from 3.3.2]
//   header lines        NAME, ACC, DESC, LENG, ALPH Amino, RF, CS, MAP, COM, NSEQ, DATE, GA, TC and
//                       NC. ACC, DESC, COM, NSEQ, DATE and cutoffs are optional.
//   XT                  transitions of the states N, E, C, J: move and loop of each.
//   NULT, NULE          the null model: its loop and its end, and the background residues.
//   residue line        `HMM A C D ...`, and a line of transitions, m->m to m->e.
//   begin line          into the first match state, a `*`, and into the first delete state.
//   each node 1..M      three lines: matches and MAP; RF and inserts; CS and transitions. A missing
//                       RF or CS is `-`. All inserts and transitions of node M are `*`, except
//                       those from the begin state and to the end.
//   end                 `//`.
//
// A number is 1000 log2(p / q), rounded to the nearest whole number, or `*` if p is 0. For residues
// q is the background, for the background it is 1 / 20, and for transitions it is 1. HMMER 2's
// format has no counterpart of the other fields of a ProfileHmm. Statistics and the checksum are
// not written, because HMMER 2 computes others.
#pragma once

#include <string>

#include "libcore/profile/profile_hmm.h"

namespace warpseq {

/// Appends a profile to `out`.
void append_hmmer2_profile(const ProfileHmm& hmm, std::string& out);

}  // namespace warpseq

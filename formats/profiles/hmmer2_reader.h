// Reads the parts of a profile in HMMER2's text format, HMMER2.0, that are unlike those of HMMER 3.
// HmmFileReader (hmm_file.h) reads the rest.
//
// The header has these lines for the nodes:
//
//   NULE            20 scores: the background b that match scores refer to, against 1/20.
//   RF, CS, MAP     yes or no: whether nodes have this annotation. If missing: no.
//
// Behind the lines `HMM A C D ...` and `m->m m->i ...`, the model has these lines. Words behind
// those named here are skipped, as in HMMER.
//
//   begin           3 scores: begin to M1, unused, begin to D1.
//   each node 1..M  three lines:
//     match         the node, 20 scores against b and, with MAP, an alignment column. `-` is 0.
//     insert        the letter of RF. The scores of inserts are not used.
//     transitions   the letter of CS and 7 scores, in HMMER 3's order. Node M's are not used.
//   end             `//`.
//
// A score s is a whole number of thousandths of a bit: the probability is 2^(s / 1000), times that
// of the background for residues. `*` is a probability of 0. The exponential is computed in double
// and the probability rounded to float. The rows of the profile are then divided by their sums.
//
// As in HMMER 3, inserts have the background of HMMER 3, no insert is before node 1 or behind node
// M, and the statistics of scores (EVD) are not used.
#pragma once

#include "formats/profiles/profile_text.h"
#include "libcore/base/status.h"
#include "libcore/profile/profile_hmm.h"

namespace warpseq {

/// The facts about a profile that its nodes need, from its header.
struct Hmmer2Header {
    ProfileHmm::Residues background{};
    bool has_map = false, has_reference = false, has_structure = false;
};

/// Reads a NULE line, which is the current line of `text`.
Status read_hmmer2_background(const ProfileText& text, ProfileHmm::Residues& background);

/// Reads from the line behind the line of transition names to `//`. Sets the probabilities and the
/// annotation of `hmm`, whose length is known.
Status read_hmmer2_nodes(ProfileText& text, const Hmmer2Header& header, ProfileHmm& hmm);

}  // namespace warpseq

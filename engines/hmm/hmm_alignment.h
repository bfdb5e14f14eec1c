// Multiple alignments by a profile's model, made of traces.
//
// There is a column for each node, followed by as many columns as the longest insert there needs.
// Columns before the first node and behind the last one are for what whole sequences have outside
// of their alignment.
//
// Residues in match columns are upper case and gaps there '-'. In insert columns residues are lower
// case and gaps '.'. If an insert is shorter than its columns, the first half of its residues
// (rounded down) stands left, the rest right. Residues before the first node stand right, those
// behind the last one left. Posterior probabilities are a digit each; PP_cons is the mean over a
// column's residues.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engines/hmm/hmm_hit.h"
#include "libcore/base/thread_pool.h"
#include "libcore/profile/profile_hmm.h"
#include "libcore/sequence/multiple_alignment.h"

namespace warpseq {

/// A sequence with its alignment to the model, for one row.
struct AlignedSequence {
    std::string name, accession, description;  // the last two empty: none
    std::vector<ResidueCode> residues;         // of the whole sequence
    /// The trace. Residues count from 1. Node 0 is before the first node (inserts only). If the
    /// trace is empty, so is the row.
    std::vector<TraceStep> trace;
    /// Whether the row has a PP line and counts in PP_cons.
    bool has_posteriors = false;
    /// Posterior probabilities of residues before and behind the trace, one for each residue of the
    /// sequence. If empty, these residues are left out.
    std::vector<float> flank_posteriors;
    /// Whether the row is a fragment. Then what is before the first step's node, or behind the last
    /// step, is missing data ('~') and not gaps.
    bool cut_before = false, cut_behind = false;
};

/// Aligns the included domains of a report, in its order, without an author. Returns nothing if no
/// domain is included and there are no leading rows. `report` has been finished (finish_report).
/// PP_cons is made of the values that PP's digits stand for. `leading` are rows before the
/// domains', under their own names. With a pool its threads make the rows.
std::optional<MultipleAlignment> align_domains(const ProfileHmm& hmm, const HmmReport& report,
                                               std::span<const AlignedSequence> leading = {},
                                               const ThreadPool* pool = nullptr);

/// Returns the trace of a sequence from which the model was made without gaps: a match for each
/// residue.
std::vector<TraceStep> matches_throughout(std::size_t residues);

/// Aligns sequences in order and frees each when its row is made. `trim` leaves out what is before
/// the first node and behind the last. The alignment has the model's mask, and neither name nor
/// author.
MultipleAlignment align_sequences(const ProfileHmm& hmm, std::vector<AlignedSequence> sequences, bool trim);

}  // namespace warpseq

// Multiple alignments by the model, made of traces: a column for each node, and after it as many as
// the longest insert there needs; before the first node and behind the last one columns for what
// whole sequences have outside of their alignment.
//
// Residues in match columns are upper case and gaps there '-'; in insert columns lower case and
// '.'. Of an insert shorter than its columns the first half of the residues (rounded down) stands
// left, the rest right; what is before the first node stands right, what is behind the last one
// left. Posterior probabilities are a digit each; PP_cons is the mean over a column's residues.
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

/// A sequence with its alignment to the model, as a row.
struct AlignedSequence {
    std::string name, accession, description;  // the last two empty: none
    std::vector<ResidueCode> residues;         // of the whole sequence
    /// Residues from 1. Node 0 is before the first node (inserts only). Where it is empty, so is
    /// the row.
    std::vector<TraceStep> trace;
    /// False: no PP line for the row, and PP_cons does not know it.
    bool has_posteriors = false;
    /// Posterior probabilities of residues before and behind the trace, one for each residue of the
    /// sequence; empty: what is there is left out.
    std::vector<float> flank_posteriors;
    /// A fragment: what is before the first step's node, or behind the last step, is missing data
    /// ('~') and not gaps.
    bool cut_before = false, cut_behind = false;
};

/// The included domains of a report, in its order, without an author; nothing where no domain is
/// included and no sequence leads. `report` has been finished (finish_report). PP_cons is made of
/// what PP's digits stand for. `leading`: rows before the domains', under their own names. With a
/// pool its threads make the rows.
std::optional<MultipleAlignment> align_domains(const ProfileHmm& hmm, const HmmReport& report,
                                               std::span<const AlignedSequence> leading = {},
                                               const ThreadPool* pool = nullptr);

/// The trace of a sequence from which the model was made without gaps: a match for each residue.
std::vector<TraceStep> matches_throughout(std::size_t residues);

/// Sequences, in order, each of which goes when its row is made. `trim`: without what is before the
/// first node and behind the last. The alignment has the model's mask, and neither name nor author.
MultipleAlignment align_sequences(const ProfileHmm& hmm, std::vector<AlignedSequence> sequences, bool trim);

}  // namespace warpseq

// Multiple alignments of sequences to a profile, made from their traces.
//
// There is a column for each node, followed by as many columns as the longest insert behind that
// node has residues. Columns before the first node and behind the last one hold the residues of
// whole sequences outside of their alignment.
//
// Residues in match columns are upper case and gaps there '-'. In insert columns residues are lower
// case and gaps '.'. If an insert is shorter than its columns, the first half of its residues
// (rounded down) is left-aligned and the rest right-aligned. Residues before the first node are
// right-aligned, those behind the last one left-aligned. Each posterior probability is a digit.
// PP_cons is the mean over a column's residues.
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

/// A sequence with its alignment to the model, which becomes a row.
struct AlignedSequence {
    std::string name, accession, description;  // accession and description may be empty
    std::vector<ResidueCode> residues;         // of the whole sequence
    /// The trace. Residues count from 1. Node 0 stands for the place before the first node and has
    /// inserts only. If the trace is empty, the row is, too.
    std::vector<TraceStep> trace;
    /// Whether the row has a PP line and counts in PP_cons.
    bool has_posteriors = false;
    /// Posterior probabilities of the residues before and behind the trace. The vector has a value
    /// for each residue of the sequence. If it is empty, these residues are left out of the row.
    std::vector<float> flank_posteriors;
    /// Whether the row is a fragment that is cut before the first step, or behind the last one. The
    /// columns on that side are then missing data ('~') and not gaps.
    bool cut_before = false, cut_behind = false;
};

/// Makes an alignment of the included domains of a report, in its order. `report` has been finished
/// (finish_report()). `leading` are rows that come before the domains, under their own names. The
/// alignment has no author. PP_cons is computed from the values that PP's digits stand for. Returns
/// nothing if no domain is included and there are no leading rows. If a pool is given, its threads
/// make the rows.
std::optional<MultipleAlignment> align_domains(const ProfileHmm& hmm, const HmmReport& report,
                                               std::span<const AlignedSequence> leading = {},
                                               const ThreadPool* pool = nullptr);

/// Returns a trace with a match for each residue. It is the trace of a sequence from which the
/// model was made without gaps.
std::vector<TraceStep> matches_throughout(std::size_t residues);

/// Makes an alignment of sequences, in order, and frees each sequence when its row is made. With
/// `trim`, residues before the first node and behind the last one are left out. The alignment has
/// the model's mask, but no name and no author.
MultipleAlignment align_sequences(const ProfileHmm& hmm, std::vector<AlignedSequence> sequences, bool trim);

}  // namespace warpseq

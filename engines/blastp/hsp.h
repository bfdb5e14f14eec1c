// High-scoring segment pairs of one query and one target, and which of them say the same thing:
// BLAST's rules for what is contained in what, and what shares an end.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "libcore/scoring/alignment.h"
#include "libcore/statistics/composition_adjustment.h"

namespace warpseq {

/// Positions count residues from 0, ends are exclusive.
struct Hsp {
    std::int32_t score_raw = 0;
    std::uint64_t query_begin = 0, query_end = 0;
    std::uint64_t target_begin = 0, target_end = 0;
    std::uint64_t query_seed = 0, target_seed = 0;  // the pair that gapped extension began at
    double evalue = 0;
    std::vector<AlignmentRun> runs;                                // once traced back
    std::optional<CompositionAdjuster::Rule> rule = std::nullopt;  // how scores were adjusted to compositions
};

/// What is aligned, and its score.
Hsp hsp_of(Alignment alignment);

/// The order of a target's HSPs: score (highest first), target begin, target end (last first),
/// query begin, query end (last first).
bool hsp_before(const Hsp& a, const Hsp& b);

/// E-values below it are the same to blastp: reports show 0.0.
inline constexpr double kLowestEvalue = 1e-180;

/// The order of a target's HSPs by E-value, then as hsp_before() has it. Scores that were rounded
/// since E-values were computed may be equal where E-values, below the lowest, are not.
bool lower_evalue_before(const Hsp& a, const Hsp& b);

/// Of HSPs with the same begin in both sequences the best stays (score, then the longest), then of
/// those with the same end. The rest are in no particular order.
void purge_common_ends(std::vector<Hsp>& hsps);

/// Adds the HSPs of a query's next part, which begins at `part_begin`, to those of earlier ones;
/// all in hsp_before()'s order, positions those of the whole query. Where one that reaches into the
/// overlap of both parts holds a begin or an end of a new one near its own diagonal, the two become
/// one box: with the better one's score, or more if the box is longer in proportion, and its seed,
/// but with the old one's E-value. Of a part that begins with the query nothing is merged.
void merge_part(std::vector<Hsp>& hsps, std::vector<Hsp> of_part, std::uint64_t part_begin);

/// Whether both ends of an HSP lie within another one, or within what has its four positions.
template <class Box>
bool holds_both_ends(const Box& outer, const Hsp& inner) {
    const auto holds = [&outer](std::uint64_t query_at, std::uint64_t target_at) {
        return outer.query_begin <= query_at && query_at <= outer.query_end && outer.target_begin <= target_at &&
               target_at <= outer.target_end;
    };
    return holds(inner.query_begin, inner.target_begin) && holds(inner.query_end, inner.target_end);
}

/// Of HSPs in the order of scores: those of which both ends lie within an earlier one go.
void drop_contained(std::vector<Hsp>& hsps);

/// 100 * residues / query_residues as blastp prints and compares it: rounded below 99 %.
double coverage_percent(std::uint64_t covered_residues, std::uint64_t query_residues);

/// HSPs that others are held against. Of two with a common begin, or a common end, it keeps one:
/// that of the higher score, else the shorter one, else the earlier one; an HSP whose end is so
/// occupied may have pushed out one at its begin.
class HspSet {
   public:
    void clear() { boxes_.clear(); }
    /// Whether one of them scores at least as high and holds both ends of this HSP.
    bool contains(const Hsp& hsp) const;
    void add(const Hsp& hsp);

   private:
    struct Box {
        std::int32_t score_raw;
        std::uint64_t query_begin, query_end, target_begin, target_end;
    };
    template <class SameEnd>
    bool is_occupied(const Box& box, const SameEnd& same_end);
    std::vector<Box> boxes_;
};

}  // namespace warpseq

// High-scoring segment pairs (HSPs) of one query and one target, and BLAST's rules for which of
// them are redundant: those that others contain, and those that share an end.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "libcore/scoring/alignment.h"
#include "libcore/statistics/composition_adjustment.h"

namespace warpseq {

/// An HSP. Positions count residues from 0; ends are exclusive.
struct Hsp {
    std::int32_t score_raw = 0;
    std::uint64_t query_begin = 0, query_end = 0;
    std::uint64_t target_begin = 0, target_end = 0;
    std::uint64_t query_seed = 0, target_seed = 0;  // the pair of residues that gapped extension began at
    double evalue = 0;
    std::vector<AlignmentRun> runs;                                // empty until traced back
    std::optional<CompositionAdjuster::Rule> rule = std::nullopt;  // how scores were adjusted to compositions
};

/// Returns an HSP with the positions, the path and the score of an alignment.
Hsp hsp_of(Alignment alignment);

/// Orders a target's HSPs: by score (highest first), target begin, target end (last first), query
/// begin, query end (last first).
bool hsp_before(const Hsp& a, const Hsp& b);

/// E-value below which all are the same to blastp. Reports show them as 0.0.
inline constexpr double kLowestEvalue = 1e-180;

/// Orders a target's HSPs by E-value, then as hsp_before() does. Scores that were rounded after
/// E-values were computed may be equal where E-values below kLowestEvalue are not.
bool lower_evalue_before(const Hsp& a, const Hsp& b);

/// Keeps the best of the HSPs with the same begin in both sequences, then the best of those with
/// the same end. The best has the highest score, then the greatest length. The HSPs that are left
/// are in no particular order.
void purge_common_ends(std::vector<Hsp>& hsps);

/// Adds the HSPs of a query's next part, which begins at `part_begin`, to those of earlier parts.
/// All are in hsp_before()'s order, with positions of the whole query. An old HSP that reaches into
/// the overlap of both parts may hold a begin or an end of a new one near its own diagonal. The two
/// then become one box with the better one's score and seed, but with the old one's E-value. The
/// score is higher if the box is longer in proportion. Nothing is merged with a part that begins
/// with the query.
void merge_part(std::vector<Hsp>& hsps, std::vector<Hsp> of_part, std::uint64_t part_begin);

/// Whether both ends of an HSP lie within another HSP, or within any type with its four positions.
template <class Box>
bool holds_both_ends(const Box& outer, const Hsp& inner) {
    const auto holds = [&outer](std::uint64_t query_at, std::uint64_t target_at) {
        return outer.query_begin <= query_at && query_at <= outer.query_end && outer.target_begin <= target_at &&
               target_at <= outer.target_end;
    };
    return holds(inner.query_begin, inner.target_begin) && holds(inner.query_end, inner.target_end);
}

/// Drops each HSP whose ends both lie within an earlier one. The HSPs are in the order of scores.
void drop_contained(std::vector<Hsp>& hsps);

/// Returns 100 * covered_residues / query_residues as blastp prints and compares it: rounded below
/// 99 %.
double coverage_percent(std::uint64_t covered_residues, std::uint64_t query_residues);

/// A set of HSPs that others are compared with. It keeps one of two HSPs with a common begin or a
/// common end: that of the higher score, else the shorter one, else the earlier one. An HSP that is
/// refused because of its end may already have pushed out one at its begin.
class HspSet {
   public:
    void clear() { boxes_.clear(); }
    /// Whether an HSP of the set scores at least as high as this one and holds both ends of it.
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

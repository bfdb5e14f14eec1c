// High-scoring segment pairs (HSPs) of one query and one target, and BLAST's rules for redundant
// HSPs. Those are HSPs that another HSP contains or that share an end with a better one.
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
    std::uint64_t query_seed = 0, target_seed = 0;  // the pair of residues from which gapped extension began
    double evalue = 0;
    std::vector<AlignmentRun> runs;                                // empty until traced back
    std::optional<CompositionAdjuster::Rule> rule = std::nullopt;  // how scores were adjusted to compositions
};

/// Returns an HSP with the positions, the path and the score of an alignment.
Hsp hsp_of(Alignment alignment);

/// Orders a target's HSPs: by score (highest first), target begin, target end (last first), query
/// begin, query end (last first).
bool hsp_before(const Hsp& a, const Hsp& b);

/// E-value below which blastp treats all E-values as equal. Reports show them as 0.0.
inline constexpr double kLowestEvalue = 1e-180;

/// Orders a target's HSPs by E-value (all below kLowestEvalue are equal), then as hsp_before()
/// does. This differs from hsp_before() alone if scores were rounded after E-values were computed.
bool lower_evalue_before(const Hsp& a, const Hsp& b);

/// Keeps only the best of the HSPs that have the same begin in both sequences, then only the best
/// of those that have the same end in both. The best one has the highest score, then the greatest
/// length. The remaining HSPs are in no particular order.
void purge_common_ends(std::vector<Hsp>& hsps);

/// Adds the HSPs of a query's next part, which begins at `part_begin`, to those of earlier parts.
/// Both lists are in hsp_before()'s order, with positions on the whole query. An old HSP and a new
/// one are merged if the old one reaches into the overlap of both parts, holds the begin or the end
/// of the new one, and lies near its diagonal. The merged HSP is the box of both, with the score
/// and seed of the better one and the E-value of the old one. Its score is raised to the common
/// score per residue times the box's length on the query, if that is more. If part_begin is 0,
/// nothing is merged.
void merge_part(std::vector<Hsp>& hsps, std::vector<Hsp> of_part, std::uint64_t part_begin);

/// Whether both ends of an HSP lie within `outer`, which is an HSP or another type with its four
/// positions.
template <class Box>
bool holds_both_ends(const Box& outer, const Hsp& inner) {
    const auto holds = [&outer](std::uint64_t query_at, std::uint64_t target_at) {
        return outer.query_begin <= query_at && query_at <= outer.query_end && outer.target_begin <= target_at &&
               target_at <= outer.target_end;
    };
    return holds(inner.query_begin, inner.target_begin) && holds(inner.query_end, inner.target_end);
}

/// Drops each HSP whose ends both lie within an earlier HSP. The HSPs have to be in the order of
/// scores.
void drop_contained(std::vector<Hsp>& hsps);

/// Returns 100 * covered_residues / query_residues as blastp compares it: 0.5 is added below 99 %.
/// So without its decimals, as blastp prints it, the percentage is rounded to the nearest whole
/// number below 99 %, and rounded down from there. Returns 0 if the query is empty.
double coverage_percent(std::uint64_t covered_residues, std::uint64_t query_residues);

/// A set of HSPs with which others are compared. Of two HSPs with a common begin or a common end it
/// keeps the one with the higher score, then the shorter one, then the earlier one. add() compares
/// begins first. So an HSP that is refused because of its end may already have replaced one with
/// the same begin.
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

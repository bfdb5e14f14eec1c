// What blastp leaves out of a query's HSPs, all targets together, so that one strong family does
// not hide the rest: culling (-culling_limit), best hits (-best_hit_overhang,
// -best_hit_score_edge), and of one target alone the best (-subject_besthit).
//
// The first two take HSPs one after another, and what they keep hangs on the order. blastp does
// them twice: with preliminary HSPs, target by target in the order of the database, and with final
// ones, best target first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engines/blastp/blastp_settings.h"
#include "engines/blastp/hsp.h"
#include "kernels/seeds/word_hits.h"

namespace warpseq {

/// Berman and others 2000, J Comput Biol 7:293: an HSP goes once as many others as the limit
/// dominate it, in blastp's form of it.
///
/// p dominates y if they share at least half of y's residues of the query, and, with scores s and
/// lengths l on the query, 4 s_p l_p + 2 s_p l_y - 2 s_y l_p - 4 s_y l_y is above 0. If that is 0,
/// or scores, begins and lengths are equal, the higher score decides, then the target that comes
/// first, then the lower begin in the target; if all are equal, p dominates.
///
/// HSPs stand in a tree of ranges of the query, halved again and again, each at a node whose middle
/// it holds, or at a leaf of fewer than twenty. A new one is held against those of the nodes on the
/// way to its own, and then all others against it: but in blastp whatever stands below a node whose
/// range lies within the new one counts as dominated by it, whichever has the higher score.
class HspCulling {
   public:
    /// limit > 0. HSPs lie within `query`, a query's residues or those of a part of it.
    HspCulling(std::uint64_t limit, QueryStretch query);
    ~HspCulling();
    HspCulling(HspCulling&&) noexcept;

    /// `target` is the target's position among all. `id` is the caller's name for the HSP.
    void add(const Hsp& hsp, std::uint64_t target, std::size_t id);
    /// The ids of those that are left, ascending.
    std::vector<std::size_t> left() const;

   private:
    struct Entry;
    struct Node;
    static bool dominates(const Entry& p, const Entry& y);
    static void drop_dominated(std::vector<Entry>& entries, const Entry& added, bool is_own_list);
    static void fork(Node& node);
    static void mark_down(std::unique_ptr<Node>& node);
    static void drop_dominated_below(std::unique_ptr<Node>& node, const Entry& added);
    static void collect(const Node* node, std::vector<std::size_t>& ids);

    std::uint64_t limit_;
    std::unique_ptr<Node> root_;
};

/// An HSP goes if another one covers its residues of the query, has no higher E-value, and a score
/// per residue that is above its own divided by 1 - score_edge. When one is added it is first held
/// against the others as it is; then they against it: then its own range reaches the overhang
/// further at both ends, as it does from then on.
class BestHits {
   public:
    /// Beyond `most_hsps` of them ranges lose their overhang (blastp sorts its list again then),
    /// and the limit becomes twice what is left.
    BestHits(const BestHitLimits& limits, std::uint64_t most_hsps);

    /// As HspCulling::add().
    void add(const Hsp& hsp, std::size_t id);
    std::vector<std::size_t> left() const;

   private:
    struct Entry {
        std::int64_t begin, end;  // with the overhang
        std::int64_t residues;    // without
        std::int32_t score_raw;
        double evalue;
        std::size_t id;
    };
    BestHitLimits limits_;
    std::uint64_t most_hsps_;
    std::vector<Entry> entries_;
};

/// Of one target's HSPs, in hsp_before()'s order: each that lies within an earlier one's residues
/// of the query, or up to three more at each end, goes. True where one is left out, in the HSPs'
/// order.
std::vector<bool> within_better(const std::vector<Hsp>& hsps);

}  // namespace warpseq

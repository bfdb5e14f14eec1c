// blastp's filters of a query's HSPs, which keep one strong family from hiding the rest. Culling
// (-culling_limit) and best hits (-best_hit_overhang, -best_hit_score_edge) look at all targets
// together. The best of a target (-subject_besthit) looks at one target alone.
//
// Culling and best hits take HSPs one after another, and their result depends on the order. blastp
// applies them twice. Preliminary HSPs come target by target in the order of the database; final
// ones come best target first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engines/blastp/blastp_settings.h"
#include "engines/blastp/hsp.h"
#include "kernels/seeds/word_hits.h"

namespace warpseq {

/// The culling filter in blastp's form (Berman and others 2000, J Comput Biol 7:293). It drops an
/// HSP once as many others as the limit dominate it.
///
/// An HSP p dominates y only if they share at least half of y's residues of the query. Then it does
/// if this is above 0, with scores s and lengths l on the query:
///
///     4 s_p l_p + 2 s_p l_y - 2 s_y l_p - 4 s_y l_y.
///
/// If that is 0, or if scores, begins and lengths are equal, the higher score decides, then the
/// target that comes first, then the lower begin in the target. If all are equal, p dominates.
///
/// HSPs stand in a tree of ranges of the query, which are halved again and again. Each HSP stands
/// at a node whose middle it holds, or at a leaf of fewer than twenty. A new HSP is compared with
/// those of the nodes on the way to its own node, and then all others are compared with it. blastp
/// makes one exception. Whatever stands below a node whose range lies within the new HSP counts as
/// dominated by it, whichever has the higher score.
class HspCulling {
   public:
    /// `limit` is above 0. HSPs lie within `query`, the residues of a query or of a part of it.
    HspCulling(std::uint64_t limit, QueryStretch query);
    ~HspCulling();
    HspCulling(HspCulling&&) noexcept;

    /// Adds an HSP. `target` is the target's position among all. `id` is the caller's name for the
    /// HSP.
    void add(const Hsp& hsp, std::uint64_t target, std::size_t id);
    /// Returns the ids of the HSPs that are left, ascending.
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

/// The best-hit filter. It drops an HSP if another one covers its residues of the query, has no
/// higher E-value, and has a score per residue above its own divided by 1 - score_edge. A new HSP
/// is first compared with the others as it is. Then they are compared with it: for this, and from
/// then on, its range reaches the overhang further at both ends.
class BestHits {
   public:
    /// Once there are more than `most_hsps` HSPs, their ranges lose their overhang, because blastp
    /// sorts its list again then. The limit becomes twice the number of HSPs that are left.
    BestHits(const BestHitLimits& limits, std::uint64_t most_hsps);

    /// Adds an HSP, as HspCulling::add() does.
    void add(const Hsp& hsp, std::size_t id);
    /// Returns the ids of the HSPs that are left, ascending.
    std::vector<std::size_t> left() const;

   private:
    struct Entry {
        std::int64_t begin, end;  // on the query, with the overhang
        std::int64_t residues;    // without the overhang
        std::int32_t score_raw;
        double evalue;
        std::size_t id;
    };
    BestHitLimits limits_;
    std::uint64_t most_hsps_;
    std::vector<Entry> entries_;
};

/// Returns, for each HSP of one target, whether it is dropped. It is dropped if it lies within an
/// earlier one's residues of the query, or up to three more at each end. `hsps` are in
/// hsp_before()'s order.
std::vector<bool> within_better(const std::vector<Hsp>& hsps);

}  // namespace warpseq

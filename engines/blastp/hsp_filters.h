// blastp's filters of a query's HSPs, which keep one strong family from hiding the rest. Culling
// (-culling_limit) and best hits (-best_hit_overhang, -best_hit_score_edge) look at all targets
// together. The best of a target (-subject_besthit) looks at one target alone.
//
// The result of culling and of best hits depends on the order in which HSPs are added. blastp
// applies them twice: to preliminary HSPs, target by target in the order of the database, and to
// final HSPs, best target first.
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
/// HSP when the number of HSPs that dominate it reaches the limit.
///
/// An HSP p can dominate an HSP y only if they share at least half of y's residues of the query. If
/// they do, p dominates y if the following is above 0, with scores s and lengths l on the query:
///
///     4 s_p l_p + 2 s_p l_y - 2 s_y l_p - 4 s_y l_y.
///
/// If it is 0, or if scores, begins and lengths are equal, the HSP with the higher score dominates,
/// then that of the earlier target, then that with the lower begin in the target. If all are equal,
/// p dominates.
///
/// HSPs are kept in a tree. A node is a range of the query, and its children are the halves of the
/// range. An HSP is at the node whose middle it covers, or at a leaf, which has fewer than twenty
/// HSPs. A new HSP is compared with the HSPs of the nodes on the way to its own node. Then all
/// other HSPs are compared with the new one. There is one exception, as in blastp. If the range of
/// a node below lies within the new HSP, all HSPs at and below that node count as dominated by it,
/// for any scores.
class HspCulling {
   public:
    /// Makes a filter without HSPs. `limit` is above 0. All HSPs lie within `query`, the residues
    /// of a query or of one of its parts.
    HspCulling(std::uint64_t limit, QueryStretch query);
    ~HspCulling();
    HspCulling(HspCulling&&) noexcept;

    /// Adds an HSP. `target` is the position of its target in the database's order. `id` is a
    /// number by which the caller knows the HSP.
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
/// is first checked against the others with its own range. Then its range is extended by the
/// overhang at both ends, and the others are checked against it.
class BestHits {
   public:
    /// Makes a filter without HSPs. When it has more than `most_hsps` HSPs, the ranges of all lose
    /// their overhang, because blastp sorts its list again at that point. The limit then becomes
    /// twice the number of HSPs.
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

/// The best-of-target filter. Returns, for each HSP of one target, whether it is dropped. It is
/// dropped if its range of the query lies within that of an earlier HSP, extended by three residues
/// at each end. `hsps` are in hsp_before()'s order.
std::vector<bool> within_better(const std::vector<Hsp>& hsps);

}  // namespace warpseq

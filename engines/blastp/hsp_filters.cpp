#include "engines/blastp/hsp_filters.h"

#include <algorithm>
#include <utility>

namespace warpseq {

struct HspCulling::Entry {
    std::int64_t begin, end;  // on the query
    std::int64_t score_raw;
    std::uint64_t target, target_begin;
    std::uint64_t merit;  // dropped once this many more dominate it
    std::size_t id;
};

/// A range of the query. Its children have its halves; a child exists once something stands there.
struct HspCulling::Node {
    std::int64_t begin, end;
    std::vector<Entry> entries = {};
    std::unique_ptr<Node> left = nullptr, right = nullptr;

    std::int64_t middle() const { return (begin + end) / 2; }
    bool is_leaf() const { return !left && !right; }
    bool is_empty() const { return is_leaf() && entries.empty(); }
};

HspCulling::HspCulling(std::uint64_t limit, QueryStretch query)
    : limit_(limit), root_(new Node{static_cast<std::int64_t>(query.begin), static_cast<std::int64_t>(query.end)}) {}
HspCulling::~HspCulling() = default;
HspCulling::HspCulling(HspCulling&&) noexcept = default;

bool HspCulling::dominates(const Entry& p, const Entry& y) {
    const std::int64_t p_residues = p.end - p.begin, y_residues = y.end - y.begin;
    const std::int64_t shared = std::min(p.end, y.end) - std::max(p.begin, y.begin);
    if (2 * shared < y_residues) return false;
    const std::int64_t lead =
        p.score_raw * (4 * p_residues + 2 * y_residues) - y.score_raw * (2 * p_residues + 4 * y_residues);
    const bool is_same = p.score_raw == y.score_raw && p.begin == y.begin && p_residues == y_residues;
    if (lead != 0 && !is_same) return lead > 0;
    if (p.score_raw != y.score_raw) return p.score_raw > y.score_raw;
    if (p.target != y.target) return p.target < y.target;
    return p.target_begin <= y.target_begin;
}

// Lowers the merit of entries that `added` dominates and drops those without any left. `added` is
// the last entry of its own list and is not compared with itself.
void HspCulling::drop_dominated(std::vector<Entry>& entries, const Entry& added, bool is_own_list) {
    const Entry* const own = is_own_list ? &entries.back() : nullptr;
    for (Entry& entry : entries) {
        if (&entry != own && dominates(added, entry)) --entry.merit;
    }
    std::erase_if(entries, [](const Entry& entry) { return entry.merit == 0; });
}

void HspCulling::fork(Node& node) {
    const std::int64_t middle = node.middle();
    std::vector<Entry> kept;
    for (const Entry& entry : node.entries) {
        if (entry.end < middle) {
            if (!node.left) node.left.reset(new Node{node.begin, middle});
            node.left->entries.push_back(entry);
        } else if (entry.begin > middle) {
            if (!node.right) node.right.reset(new Node{middle, node.end});
            node.right->entries.push_back(entry);
        } else {
            kept.push_back(entry);
        }
    }
    node.entries = std::move(kept);
}

void HspCulling::mark_down(std::unique_ptr<Node>& node) {
    if (!node) return;
    mark_down(node->left);
    mark_down(node->right);
    std::erase_if(node->entries, [](Entry& entry) { return --entry.merit == 0; });
    if (node->is_empty()) node.reset();
}

void HspCulling::drop_dominated_below(std::unique_ptr<Node>& node, const Entry& added) {
    if (!node) return;
    if (added.begin <= node->begin && added.end >= node->end) return mark_down(node);
    const std::int64_t middle = node->middle();
    if (!node->is_leaf() && added.end < middle) return drop_dominated_below(node->left, added);
    if (!node->is_leaf() && added.begin > middle) return drop_dominated_below(node->right, added);
    drop_dominated_below(node->left, added);
    drop_dominated_below(node->right, added);
    drop_dominated(node->entries, added, false);
    if (node->is_empty()) node.reset();
}

void HspCulling::add(const Hsp& hsp, std::uint64_t target, std::size_t id) {
    constexpr std::size_t kEntriesToFork = 20;
    Entry added{static_cast<std::int64_t>(hsp.query_begin),
                static_cast<std::int64_t>(hsp.query_end),
                hsp.score_raw,
                target,
                hsp.target_begin,
                limit_,
                id};
    Node* place = nullptr;
    for (Node* node = root_.get(); node != nullptr;) {
        place = node;
        for (const Entry& entry : node->entries) {
            if (dominates(entry, added) && --added.merit == 0) return;
        }
        const std::int64_t middle = node->middle();
        if (added.end >= middle && added.begin <= middle) break;
        node = added.end < middle ? node->left.get() : node->right.get();
    }
    place->entries.push_back(added);
    const bool was_leaf = place->is_leaf();
    drop_dominated(place->entries, added, true);
    if (was_leaf) {
        if (place->entries.size() >= kEntriesToFork) fork(*place);
        return;
    }
    drop_dominated_below(place->left, added);
    drop_dominated_below(place->right, added);
}

void HspCulling::collect(const Node* node, std::vector<std::size_t>& ids) {
    if (node == nullptr) return;
    for (const Entry& entry : node->entries) ids.push_back(entry.id);
    collect(node->left.get(), ids);
    collect(node->right.get(), ids);
}

std::vector<std::size_t> HspCulling::left() const {
    std::vector<std::size_t> ids;
    collect(root_.get(), ids);
    std::ranges::sort(ids);
    return ids;
}

BestHits::BestHits(const BestHitLimits& limits, std::uint64_t most_hsps) : limits_(limits), most_hsps_(most_hsps) {}

void BestHits::add(const Hsp& hsp, std::size_t id) {
    Entry added{static_cast<std::int64_t>(hsp.query_begin),
                static_cast<std::int64_t>(hsp.query_end),
                0,
                hsp.score_raw,
                hsp.evalue,
                id};
    added.residues = added.end - added.begin;
    const double share = 1.0 - limits_.score_edge;
    const auto density = [](const Entry& entry) { return 1.0 * entry.score_raw / static_cast<double>(entry.residues); };
    const double beaten_by = density(added) / share;
    const bool is_bad = std::ranges::any_of(entries_, [&](const Entry& other) {
        return other.begin <= added.begin && other.end >= added.end && other.evalue <= added.evalue &&
               density(other) > beaten_by;
    });
    if (is_bad) return;

    // All of this counts whole residues, rounded down.
    const auto residues = static_cast<double>(added.residues);
    const auto farthest = static_cast<std::int64_t>(2.0 * residues * limits_.overhang / (1.0 - 2.0 * limits_.overhang));
    const std::int64_t least_begin = added.begin - farthest, end_of_begins = added.end + farthest;
    const auto overhang = static_cast<std::int64_t>(residues * limits_.overhang);
    added.begin -= overhang;
    added.end += overhang;
    const double beats = density(added) * share;
    std::erase_if(entries_, [&](const Entry& other) {
        if (other.begin < least_begin || other.begin >= end_of_begins) return false;
        const std::int64_t of_other = (other.end - other.begin - other.residues) / 2;
        return other.begin + of_other >= added.begin && other.end - of_other <= added.end &&
               other.evalue >= added.evalue && density(other) < beats;
    });
    entries_.push_back(added);
    if (entries_.size() <= most_hsps_) return;
    for (Entry& entry : entries_) {
        entry.begin += (entry.end - entry.begin - entry.residues) / 2;
        entry.end = entry.begin + entry.residues;
    }
    most_hsps_ = 2 * entries_.size();
}

std::vector<std::size_t> BestHits::left() const {
    std::vector<std::size_t> ids;
    for (const Entry& entry : entries_) ids.push_back(entry.id);
    std::ranges::sort(ids);
    return ids;
}

std::vector<bool> within_better(const std::vector<Hsp>& hsps) {
    constexpr std::uint64_t kFurther = 3;
    std::vector<bool> is_within(hsps.size());
    for (std::size_t i = 0; i < hsps.size(); ++i) {
        if (is_within[i]) continue;
        for (std::size_t k = i + 1; k < hsps.size(); ++k) {
            if (hsps[k].query_begin + kFurther >= hsps[i].query_begin &&
                hsps[k].query_end <= hsps[i].query_end + kFurther)
                is_within[k] = true;
        }
    }
    return is_within;
}

}  // namespace warpseq

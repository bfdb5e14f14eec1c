// Weights from a tree of the rows: UPGMA builds the tree, then branch lengths are shared out from
// the root to the leaves.
//
// UPGMA joins the two clusters of the smallest distance. If several pairs have it, the first one in
// the order of rows and columns of the matrix is taken, and joined clusters move to its end, as in
// Easel. Ties are frequent, and the tree depends on them. Each row remembers its smallest distance
// to later rows, so a step takes O(n) time, except for rows that lose theirs.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "libcore/base/compensated_sum.h"
#include "libcore/base/stop_scope.h"
#include "libcore/profile/pairwise_identity.h"
#include "libcore/profile/sequence_weights.h"

namespace warpseq {
namespace {

/// A node of the tree, or a leaf: a row of the alignment.
struct Member {
    std::size_t index = 0;
    bool is_leaf = true;
};

struct Node {
    Member left, right;
    double left_length = 0, right_length = 0;
    double height = 0;
    std::size_t leaves = 0;
};

class Upgma {
   public:
    explicit Upgma(const AlignedRows& rows) : size_(rows.count()), stride_(rows.count()), distances_(size_ * size_) {
        const PairwiseIdentity identity_of(rows);
        for (std::size_t i = 0; i < size_; ++i) {
            members_.push_back({i, true});
            leaves_.push_back(1);
            const std::size_t end = StopScope::is_stopped() ? i : size_;  // the caller asks, too
            for (std::size_t j = i + 1; j < end; ++j) at(i, j) = at(j, i) = 1.0 - identity_of(i, j);
        }
        nearest_.resize(size_);
        for (std::size_t i = 0; i < size_; ++i) find_nearest(i);
    }

    /// Returns the nodes of the tree. Node 0 is the root, and children have higher numbers than
    /// parents. After a stop the tree is not whole.
    std::vector<Node> tree() {
        std::vector<Node> nodes(size_ - 1);
        for (; size_ >= 2 && !StopScope::is_stopped(); --size_) join(nodes);
        return nodes;
    }

   private:
    double& at(std::size_t row, std::size_t column) { return distances_[row * stride_ + column]; }

    /// The first of a row's smallest distances to later rows.
    void find_nearest(std::size_t row) {
        nearest_[row] = row + 1;
        if (row + 1 >= size_ || StopScope::is_stopped()) return;
        const double* const distances = &at(row, 0);
        for (std::size_t column = row + 2; column < size_; ++column) {
            if (distances[column] < distances[nearest_[row]]) nearest_[row] = column;
        }
    }

    void swap_clusters(std::size_t a, std::size_t b) {
        if (a == b) return;
        for (std::size_t row = 0; row < size_; ++row) std::swap(at(row, a), at(row, b));
        for (std::size_t column = 0; column < size_; ++column) std::swap(at(a, column), at(b, column));
        std::swap(members_[a], members_[b]);
        std::swap(leaves_[a], leaves_[b]);
    }

    void join(std::vector<Node>& nodes) {
        std::size_t i = 0;
        for (std::size_t row = 1; row + 1 < size_; ++row) {
            if (at(row, nearest_[row]) < at(i, nearest_[i])) i = row;
        }
        const std::size_t j = nearest_[i];

        Node& node = nodes[size_ - 2];
        node.left = members_[i];
        node.right = members_[j];
        node.height = at(i, j) / 2.0;
        node.leaves = leaves_[i] + leaves_[j];
        const auto length_above = [&](const Member& member) {
            return member.is_leaf ? node.height : std::max(0.0, node.height - nodes[member.index].height);
        };
        node.left_length = length_above(node.left);
        node.right_length = length_above(node.right);

        const std::size_t joined = size_ - 2, dropped = size_ - 1;
        swap_clusters(j, dropped);
        swap_clusters(i, joined);
        const auto joined_leaves = static_cast<double>(leaves_[joined]),
                   dropped_leaves = static_cast<double>(leaves_[dropped]);
        for (std::size_t column = 0; column < size_; ++column) {
            at(joined, column) = (joined_leaves * at(joined, column) + dropped_leaves * at(dropped, column)) /
                                 (joined_leaves + dropped_leaves);
            at(column, joined) = at(joined, column);
        }
        leaves_[joined] += leaves_[dropped];
        members_[joined] = {size_ - 2, false};

        // The matrix of the next step ends before `dropped`.
        --size_;
        for (std::size_t row = 0; row + 1 < size_; ++row) update_nearest(row, i, j, joined, dropped);
        ++size_;
    }

    /// Updates the smallest distance of `row` after columns i, j and `joined` have changed.
    void update_nearest(std::size_t row, std::size_t i, std::size_t j, std::size_t joined, std::size_t dropped) {
        const std::size_t nearest = nearest_[row];
        if (row == i || row == j || nearest == i || nearest == j || nearest == joined || nearest == dropped) {
            find_nearest(row);
            return;
        }
        for (const std::size_t column : {i, j, joined}) {
            if (column <= row || column >= size_) continue;
            const double distance = at(row, column), smallest = at(row, nearest_[row]);
            if (distance < smallest || (distance == smallest && column < nearest_[row])) nearest_[row] = column;
        }
    }

    std::size_t size_, stride_;      // clusters that are left; clusters at the start
    std::vector<double> distances_;  // distances of clusters, in both directions
    std::vector<Member> members_;    // the node or row that each cluster is
    std::vector<std::size_t> leaves_;
    std::vector<std::size_t> nearest_;
};

}  // namespace

std::vector<double> tree_weights(const AlignedRows& rows) {
    if (rows.count() == 1) return {1.0};
    const std::vector<Node> nodes = Upgma(rows).tree();
    std::vector<double> weights(rows.count());
    if (StopScope::is_stopped()) return weights;  // the caller asks, too

    // First the length of all branches below each node is summed. Then each node gets the weight
    // that comes from above.
    std::vector<double> shares(nodes.size());
    const auto length_below = [&](const Member& member, double length) {
        return member.is_leaf ? length : length + shares[member.index];
    };
    for (std::size_t i = nodes.size(); i-- > 0;) {
        const Node& node = nodes[i];
        shares[i] = node.left_length + node.right_length;
        if (!node.left.is_leaf) shares[i] += shares[node.left.index];
        if (!node.right.is_leaf) shares[i] += shares[node.right.index];
    }
    shares[0] = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Node& node = nodes[i];
        const double left = length_below(node.left, node.left_length);
        const double right = length_below(node.right, node.right_length);
        double left_share = 0, right_share = 0;
        if (left + right == 0) {  // rows that are alike get equal shares
            const auto part = [&](const Member& member) {
                const auto all = static_cast<double>(node.leaves);
                return member.is_leaf ? shares[i] / all
                                      : shares[i] * (static_cast<double>(nodes[member.index].leaves) / all);
            };
            left_share = part(node.left);
            right_share = part(node.right);
        } else {
            left_share = shares[i] * left / (left + right);
            right_share = shares[i] * right / (left + right);
        }
        const auto give = [&](const Member& member, double weight) {
            (member.is_leaf ? weights : shares)[member.index] = weight;
        };
        give(node.left, left_share + node.left_length);
        give(node.right, right_share + node.right_length);
    }
    normalise(weights);
    for (double& weight : weights) weight *= static_cast<double>(weights.size());
    return weights;
}

}  // namespace warpseq

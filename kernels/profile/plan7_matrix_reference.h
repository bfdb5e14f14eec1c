// The profile and the matrices of the reference's Forward, Backward, optimal accuracy and sampling.
//
// Nodes are padded to 4 Q, Q = max(2, ceil(M / 4)), and fall into four segments of Q consecutive
// nodes. A vector of HMMER's holds one node of each. The order of operations is as follows where it
// matters:
//
// - A sum over nodes is four sums, one per segment, each in node order (Backward: descending).
//   four_sum() joins them.
// - Delete paths run through the segments side by side, and reach later segments in further passes.
// - A scan over nodes visits the first node of each segment, then the second of each, and so on.
//
// Row i is kept as it is after rescaling. True values are those times the scales of all rows up to
// it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/profile/forward_backward.h"
#include "kernels/profile/plan7_state.h"

namespace warpseq::reference {

inline constexpr std::size_t kSegments = 4;
inline constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

using Segments = std::array<float, kSegments>;

inline float four_sum(const Segments& s) { return (s[0] + s[1]) + (s[2] + s[3]); }

/// Returns the maximum as vector instructions take it: b if neither is greater.
inline float greater(float a, float b) { return a > b ? a : b; }

/// Returns a path's value if its transition exists, and otherwise 0, not minus infinity.
inline float if_possible(float transition, float value) { return transition > 0 ? value : 0.0f; }

inline float reciprocal(float x) { return static_cast<float>(1.0 / static_cast<double>(x)); }

/// The profile with arrays of 4 Q entries. Node k has index k - 1.
struct Model {
    explicit Model(const ForwardProfile& profile)
        : length(profile.length),
          segment(std::max<std::size_t>(2, (static_cast<std::size_t>(profile.length) + 3) / 4)),
          nodes(kSegments * segment) {
        const auto pad = [this](const float* from) {
            std::vector<float> padded(nodes, 0.0f);
            std::transform(from, from + length, padded.begin(),
                           [](float x) { return x < std::numeric_limits<float>::min() ? 0.0f : x; });
            return padded;
        };
        for (std::size_t code = 0; code < kResidueTableSize; ++code) {
            match[code] = pad(profile.match.data() + code * static_cast<std::size_t>(length));
        }
        const Plan7Profile::Transitions& from = profile.transitions;
        enter = pad(from.enter.data());
        match_match = pad(from.match_match.data());
        insert_match = pad(from.insert_match.data());
        delete_match = pad(from.delete_match.data());
        match_delete = pad(from.match_delete.data());
        match_insert = pad(from.match_insert.data());
        insert_insert = pad(from.insert_insert.data());
        delete_delete = pad(from.delete_delete.data());
    }

    int length;
    std::size_t segment, nodes;
    std::array<std::vector<float>, kResidueTableSize> match;
    std::vector<float> enter, match_match, insert_match, delete_match, match_delete, match_insert, insert_insert,
        delete_delete;
};

/// Rows of match, delete and insert values. Node k has index k - 1. A matrix of two rows keeps the
/// last two.
class Matrix {
   public:
    struct Row {
        std::vector<float> match, del, insert;
    };
    Matrix(std::size_t rows, const Model& model, float fill) {
        const std::vector<float> values(model.nodes, fill);
        rows_.assign(rows, Row{values, values, values});
    }
    Row& row(std::size_t i) { return rows_[i % rows_.size()]; }
    const Row& row(std::size_t i) const { return rows_[i % rows_.size()]; }

   private:
    std::vector<Row> rows_;
};

inline float before(const std::vector<float>& values, std::size_t at, float fill) {
    return at == 0 ? fill : values[at - 1];
}

/// A state of the core model and its place.
struct Cell {
    Plan7State state;
    std::size_t at;
};

/// Returns the odds of each residue under a mixture of match emissions and background (insert and
/// others). Weights are per node.
std::array<float, kResidueTableSize> mixture_odds(const Model& model, const std::vector<float>& match_weights,
                                                  const std::vector<float>& insert_weights, float other_weight);

}  // namespace warpseq::reference

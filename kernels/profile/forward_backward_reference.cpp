// Forward, Backward, decoding, optimal accuracy and sampling in plain scalar code. The header has
// the contract.
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
#include "kernels/profile/forward_backward_reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "kernels/profile/null2.h"
#include "kernels/simd/flush_subnormals.h"
#include "libcore/base/linear_congruential.h"

namespace warpseq {
namespace {

constexpr std::size_t kSegments = 4;
constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
/// The limit above which Forward rescales a row by its E, and Backward, with its own scales, by its
/// B.
constexpr float kRescaleAbove = 1.0e4f;
/// The limit of B above which Forward's scales no longer suffice for Backward.
constexpr float kOwnScalesAbove = 1.0e16f;
/// The model length from which passes over delete paths end once one has changed nothing.
constexpr int kLongModel = 100;

using Segments = std::array<float, kSegments>;

float four_sum(const Segments& s) { return (s[0] + s[1]) + (s[2] + s[3]); }

/// Returns the maximum as vector instructions take it: b if neither is greater.
float greater(float a, float b) { return a > b ? a : b; }

/// Returns a path's value if its transition exists, and otherwise 0, not minus infinity.
float if_possible(float transition, float value) { return transition > 0 ? value : 0.0f; }

/// Adds the log of a float to a float as HMMER does: in double precision, with the sum rounded
/// once.
float add_log(float sum, float x) {
    return static_cast<float>(static_cast<double>(sum) + std::log(static_cast<double>(x)));
}

float reciprocal(float x) { return static_cast<float>(1.0 / static_cast<double>(x)); }

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

float before(const std::vector<float>& values, std::size_t at, float fill) { return at == 0 ? fill : values[at - 1]; }
float after(const std::vector<float>& values, std::size_t at) {
    return at + 1 == values.size() ? 0.0f : values[at + 1];
}

void scale_row(Matrix::Row& row, float factor) {
    for (auto* values : {&row.match, &row.del, &row.insert}) {
        for (float& value : *values) value *= factor;
    }
}

bool is_usable(float total) { return !std::isnan(total) && !(total > std::numeric_limits<float>::max()) && total != 0; }

// ---- Forward

/// Computes D(i, k) = M(i, k - 1) md + D(i, k - 1) dd in passes. M(i, .) is complete.
void forward_deletes(const Model& model, Matrix::Row& row) {
    const std::size_t segment = model.segment;
    Segments carry{};  // the value that leaves each segment for the next
    for (std::size_t s = 0; s < kSegments; ++s) {
        const std::size_t begin = s * segment;
        float in = s == 0 ? 0.0f : row.match[begin - 1] * model.match_delete[begin - 1];
        for (std::size_t at = begin; at < begin + segment; ++at) {
            const float from_match = at == begin ? 0.0f : row.match[at - 1] * model.match_delete[at - 1];
            row.del[at] = in + from_match;
            in = row.del[at] * model.delete_delete[at];
        }
        carry[s] = in;
    }
    for (std::size_t pass = 1; pass < kSegments; ++pass) {
        bool changed = false;
        Segments carried{};
        for (std::size_t s = 0; s < kSegments; ++s) {
            float in = s == 0 ? 0.0f : carry[s - 1];
            for (std::size_t at = s * segment; at < (s + 1) * segment; ++at) {
                const float sum = in + row.del[at];
                changed |= sum > row.del[at];
                row.del[at] = sum;
                in *= model.delete_delete[at];
            }
            carried[s] = in;
        }
        carry = carried;
        if (model.length >= kLongModel && !changed) break;
    }
}

/// Computes one row of match, insert and delete values from the one before. Returns E(i), unscaled.
float forward_row(const Model& model, const std::vector<float>& odds, float b, const Matrix::Row& previous,
                  Matrix::Row& current) {
    for (std::size_t at = 0; at < model.nodes; ++at) {
        float match = b * model.enter[at];
        match = match + before(previous.match, at, 0) * model.match_match[at];
        match = match + before(previous.insert, at, 0) * model.insert_match[at];
        match = match + before(previous.del, at, 0) * model.delete_match[at];
        current.match[at] = match * odds[at];
        current.insert[at] =
            previous.match[at] * model.match_insert[at] + previous.insert[at] * model.insert_insert[at];
    }
    forward_deletes(model, current);
    Segments sums{};
    for (const auto* values : {&current.match, &current.del}) {
        for (std::size_t at = 0; at < model.nodes; ++at) sums[at / model.segment] += (*values)[at];
    }
    return four_sum(sums);
}

/// Runs Forward. Returns false on a range error.
bool run_forward(const Model& model, std::span<const ResidueCode> target, const LengthModel& length_model,
                 Matrix& matrix, SpecialStates& special, float& score_nats) {
    special.own_scales = true;
    special.log_scale_total = 0;
    special.rows.resize(target.size() + 1);
    special.rows[0] = {.e = 0, .n = 1, .j = 0, .b = length_model.move, .c = 0, .scale = 1};
    for (std::size_t i = 1; i <= target.size(); ++i) {
        const SpecialStates::Row& last = special.rows[i - 1];
        SpecialStates::Row& now = special.rows[i];
        Matrix::Row& row = matrix.row(i);
        now.e = forward_row(model, model.match[target[i - 1]], last.b, matrix.row(i - 1), row);
        now.n = last.n * length_model.loop;
        now.c = last.c * length_model.loop + now.e * length_model.end_move;
        now.j = last.j * length_model.loop + now.e * length_model.end_loop;
        now.b = now.j * length_model.move + now.n * length_model.move;
        now.scale = 1;
        if (now.e > kRescaleAbove) {
            now.n /= now.e;
            now.c /= now.e;
            now.j /= now.e;
            now.b /= now.e;
            scale_row(row, reciprocal(now.e));
            now.scale = now.e;
            special.log_scale_total = add_log(special.log_scale_total, now.e);
            now.e = 1;
        }
    }
    const float end = special.rows.back().c;
    if (!is_usable(end)) return false;
    score_nats = add_log(special.log_scale_total, end * length_model.move);
    return true;
}

// ---- Backward

/// Completes a row. `row.match` and `row.del` hold the values that lead to row i + 1. Adds the
/// values that leave for E (each with odds e) and along delete paths.
void backward_deletes(const Model& model, float e, Matrix::Row& row) {
    const std::size_t segment = model.segment;
    Segments carry{};  // the value that leaves each segment for the one before it
    for (std::size_t s = 0; s < kSegments; ++s) {
        const std::size_t begin = s * segment, end = begin + segment;
        /// The first value of the next segment, before that segment's own deletes.
        float next = s + 1 == kSegments ? 0.0f : row.del[end] + e;
        for (std::size_t at = end; at-- > begin;) {
            carry[s] = next * model.delete_delete[at];
            row.del[at] = row.del[at] + (carry[s] + e);
            next = row.del[at];
        }
    }
    for (std::size_t pass = 1; pass < kSegments; ++pass) {
        Segments carried{};
        for (std::size_t s = 0; s < kSegments; ++s) {
            float in = s + 1 == kSegments ? 0.0f : carry[s + 1];
            for (std::size_t at = (s + 1) * segment; at-- > s * segment;) {
                in *= model.delete_delete[at];
                row.del[at] += in;
            }
            carried[s] = in;
        }
        carry = carried;
    }
    for (std::size_t at = 0; at < model.nodes; ++at) {
        row.match[at] = (row.match[at] + e) + after(row.del, at) * model.match_delete[at];
    }
}

void divide(SpecialStates::Row& row, float scale) {
    for (float* value : {&row.e, &row.n, &row.j, &row.b, &row.c}) *value /= scale;
}

/// Runs Backward. Returns false on a range error.
bool run_backward(const Model& model, std::span<const ResidueCode> target, const LengthModel& length_model,
                  const SpecialStates& forward, Matrix& matrix, SpecialStates& special) {
    const std::size_t residues = target.size();
    special.own_scales = false;
    special.rows.resize(residues + 1);

    SpecialStates::Row& bottom = special.rows[residues];
    bottom = {.e = length_model.move * length_model.end_move,
              .n = 0,
              .j = 0,
              .b = 0,
              .c = length_model.move,
              .scale = forward.rows[residues].scale};
    {
        Matrix::Row& row = matrix.row(residues);
        for (auto* values : {&row.match, &row.del, &row.insert}) std::fill(values->begin(), values->end(), 0.0f);
        backward_deletes(model, bottom.e, row);
        if (bottom.scale > 1.0f) {
            scale_row(row, reciprocal(bottom.scale));
            divide(bottom, bottom.scale);
        }
        special.log_scale_total = static_cast<float>(std::log(static_cast<double>(bottom.scale)));
    }

    for (std::size_t i = residues - 1; i >= 1; --i) {
        const SpecialStates::Row& last = special.rows[i + 1];
        SpecialStates::Row& now = special.rows[i];
        const Matrix::Row& next = matrix.row(i + 1);
        Matrix::Row& row = matrix.row(i);
        const std::vector<float>& odds = model.match[target[i]];
        Segments enters{};
        for (std::size_t at = model.nodes; at-- > 0;) {
            const bool is_last = at + 1 == model.nodes;
            const float diagonal = is_last ? 0.0f : next.match[at + 1] * odds[at + 1];
            row.insert[at] = next.insert[at] * model.insert_insert[at] + diagonal * after(model.insert_match, at);
            row.del[at] = diagonal * after(model.delete_match, at);
            row.match[at] = next.insert[at] * model.match_insert[at] + diagonal * after(model.match_match, at);
            enters[at / model.segment] += next.match[at] * odds[at] * model.enter[at];
        }
        now.b = four_sum(enters);
        now.c = last.c * length_model.loop;
        now.j = now.b * length_model.move + last.j * length_model.loop;
        now.n = now.b * length_model.move + last.n * length_model.loop;
        now.e = now.c * length_model.end_move + now.j * length_model.end_loop;
        backward_deletes(model, now.e, row);

        if (now.b > kOwnScalesAbove) special.own_scales = true;
        if (special.own_scales) {
            now.scale = now.b > kRescaleAbove ? now.b : 1.0f;
        } else {
            now.scale = forward.rows[i].scale;
        }
        if (now.scale > 1.0f) {
            divide(now, now.scale);
            scale_row(row, reciprocal(now.scale));
            special.log_scale_total = add_log(special.log_scale_total, now.scale);
        }
    }

    const Matrix::Row& first = matrix.row(1);
    const std::vector<float>& odds = model.match[target[0]];
    Segments enters{};
    for (std::size_t at = 0; at < model.nodes; ++at) {
        enters[at / model.segment] += first.match[at] * odds[at] * model.enter[at];
    }
    const float b = four_sum(enters);
    const float n = b * length_model.move + special.rows[1].n * length_model.loop;
    special.rows[0] = {.e = 0, .n = n, .j = 0, .b = b, .c = 0, .scale = 1};
    return is_usable(n);
}

// ---- Posterior decoding and the null model of an envelope

/// Posterior probabilities. Match and insert replace Backward's values, and deletes become 0.
/// Special states have a value per row.
struct Posterior {
    struct Special {
        float n = 0, j = 0, c = 0;
    };
    std::vector<Special> special;
};

/// Decodes posterior probabilities. Returns false if the scales overflow.
bool decode(const Model& model, const LengthModel& length_model, const Matrix& forward_matrix,
            const SpecialStates& forward, const SpecialStates& backward, Matrix& matrix, Posterior& posterior) {
    const std::size_t residues = forward.rows.size() - 1;
    posterior.special.assign(residues + 1, {});
    float scale = reciprocal(backward.rows[0].n);
    for (std::size_t i = 1; i <= residues; ++i) {
        const SpecialStates::Row &above = forward.rows[i - 1], &f = forward.rows[i], &b = backward.rows[i];
        const Matrix::Row& fm = forward_matrix.row(i);
        Matrix::Row& row = matrix.row(i);
        const float total = scale * f.scale;
        for (std::size_t at = 0; at < model.nodes; ++at) {
            row.match[at] = fm.match[at] * row.match[at] * total;
            row.insert[at] = fm.insert[at] * row.insert[at] * total;
        }
        posterior.special[i] = {.n = above.n * b.n * length_model.loop * scale,
                                .j = above.j * b.j * length_model.loop * scale,
                                .c = above.c * b.c * length_model.loop * scale};
        if (backward.own_scales) scale *= f.scale / b.scale;
    }
    return std::isfinite(scale);
}

/// Returns the odds of each residue under a mixture of match emissions and background (insert and
/// others). Weights are per node.
std::array<float, kResidueTableSize> mixture_odds(const Model& model, const std::vector<float>& match_weights,
                                                  const std::vector<float>& insert_weights, float other_weight) {
    std::array<float, kResidueTableSize> odds{};
    for (std::size_t a = 0; a < kAminoAcids; ++a) {
        Segments sums{};
        for (std::size_t at = 0; at < model.nodes; ++at) {
            float& sum = sums[at / model.segment];
            sum = sum + match_weights[at] * model.match[a][at];
            sum = sum + insert_weights[at];
        }
        odds[a] = four_sum(sums) + other_weight;
    }
    complete_null2_odds(odds);
    return odds;
}

/// Computes null2 by expectation. Each state is weighted by the expected number of residues that it
/// emits.
std::array<float, kResidueTableSize> expected_null2(const Model& model, const Matrix& matrix,
                                                    const Posterior& posterior) {
    const std::size_t residues = posterior.special.size() - 1;
    std::vector<float> match(model.nodes, 0.0f), insert(model.nodes, 0.0f);
    float n = 0, j = 0, c = 0;
    for (std::size_t i = 1; i <= residues; ++i) {
        const Matrix::Row& row = matrix.row(i);
        for (std::size_t at = 0; at < model.nodes; ++at) {
            match[at] += row.match[at];
            insert[at] += row.insert[at];
        }
        n += posterior.special[i].n;
        c += posterior.special[i].c;
        j += posterior.special[i].j;
    }
    const float per_residue = reciprocal(static_cast<float>(residues));
    for (float& weight : match) weight *= per_residue;
    for (float& weight : insert) weight *= per_residue;
    return mixture_odds(model, match, insert, n * per_residue + c * per_residue + j * per_residue);
}

// ---- Optimal accuracy

struct AccuracySpecial {
    float e, n, j, b, c;
};

/// Fills OA(state at i, k), the greatest expected number of correctly placed residues on a path
/// that ends there. Transitions count only as possible or not. `accuracy` starts filled with minus
/// infinity.
std::vector<AccuracySpecial> fill_accuracy(const Model& model, const LengthModel& length_model, const Matrix& matrix,
                                           const Posterior& posterior, Matrix& accuracy) {
    const std::size_t residues = posterior.special.size() - 1, segment = model.segment;
    std::vector<AccuracySpecial> special(residues + 1);
    special[0] = {.e = kMinusInfinity, .n = 0, .j = kMinusInfinity, .b = 0, .c = kMinusInfinity};
    for (std::size_t i = 1; i <= residues; ++i) {
        const Matrix::Row& probability = matrix.row(i);
        const Matrix::Row& last_row = accuracy.row(i - 1);
        Matrix::Row& row = accuracy.row(i);
        const AccuracySpecial& last = special[i - 1];
        AccuracySpecial& now = special[i];
        for (std::size_t at = 0; at < model.nodes; ++at) {
            float best = if_possible(model.enter[at], last.b);
            best = greater(best, if_possible(model.match_match[at], before(last_row.match, at, kMinusInfinity)));
            best = greater(best, if_possible(model.insert_match[at], before(last_row.insert, at, kMinusInfinity)));
            best = greater(best, if_possible(model.delete_match[at], before(last_row.del, at, kMinusInfinity)));
            row.match[at] = best + probability.match[at];
            best = if_possible(model.match_insert[at], last_row.match[at]);
            best = greater(best, if_possible(model.insert_insert[at], last_row.insert[at]));
            row.insert[at] = best + probability.insert[at];
        }
        const auto from_match = [&](std::size_t at) {
            return at == 0 ? kMinusInfinity : if_possible(model.match_delete[at - 1], row.match[at - 1]);
        };
        Segments carry{};
        for (std::size_t s = 0; s < kSegments; ++s) {
            const std::size_t begin = s * segment;
            float in = from_match(begin);
            for (std::size_t at = begin; at < begin + segment; ++at) {
                row.del[at] = greater(in, at == begin ? kMinusInfinity : from_match(at));
                in = if_possible(model.delete_delete[at], row.del[at]);
            }
            carry[s] = in;
        }
        for (std::size_t pass = 1; pass < kSegments; ++pass) {
            Segments carried{};
            for (std::size_t s = 0; s < kSegments; ++s) {
                float in = s == 0 ? kMinusInfinity : carry[s - 1];
                for (std::size_t at = s * segment; at < (s + 1) * segment; ++at) {
                    row.del[at] = greater(in, row.del[at]);
                    in = if_possible(model.delete_delete[at], in);
                }
                carried[s] = in;
            }
            carry = carried;
        }
        now.e = kMinusInfinity;
        for (const auto* values : {&row.match, &row.del}) {
            for (const float value : *values) now.e = greater(now.e, value);
        }
        const float loop = length_model.loop, move = length_model.move;
        const Posterior::Special& p = posterior.special[i];
        now.j = greater(if_possible(loop, last.j + p.j), if_possible(length_model.end_loop, now.e));
        now.c = greater(if_possible(loop, last.c + p.c), if_possible(length_model.end_move, now.e));
        now.n = if_possible(loop, last.n + p.n);
        now.b = greater(if_possible(move, now.n), if_possible(move, now.j));
    }
    return special;
}

enum class State { kMatch, kInsert, kDelete, kStart, kN, kB, kE, kJ, kC };

/// A state of the core model and its place.
struct Cell {
    State state;
    std::size_t at;
};

/// Returns the state from which E is best entered in a row. Of the states with the greatest value
/// it is the last match in scan order, or else the first delete.
Cell best_end(const Model& model, const Matrix::Row& row) {
    Cell best{State::kMatch, 0};
    float greatest = kMinusInfinity;
    for (std::size_t q = 0; q < model.segment; ++q) {
        for (std::size_t at = q; at < model.nodes; at += model.segment) {
            if (row.match[at] >= greatest) {
                greatest = row.match[at];
                best = {State::kMatch, at};
            }
        }
        for (std::size_t at = q; at < model.nodes; at += model.segment) {
            if (row.del[at] > greatest) {
                greatest = row.del[at];
                best = {State::kDelete, at};
            }
        }
    }
    return best;
}

/// Makes a step of the alignment, which is found from its last state to its first.
TraceStep make_step(State state, std::size_t at, std::size_t i, const Matrix& posterior) {
    const Matrix::Row& row = posterior.row(i);
    const auto node = static_cast<std::int32_t>(at + 1);
    const auto residue = static_cast<std::int64_t>(i);
    switch (state) {
        case State::kMatch: return {TraceState::kMatch, node, residue, row.match[at]};
        case State::kInsert: return {TraceState::kInsert, node, residue, row.insert[at]};
        default: return {TraceState::kDelete, node, residue, 0.0f};
    }
}

/// Returns the steps from the first match state to the last, in order.
std::vector<TraceStep> from_match_to_match(std::vector<TraceStep> reversed) {
    const auto is_match = [](const TraceStep& step) { return step.state == TraceState::kMatch; };
    const auto first = std::find_if(reversed.rbegin(), reversed.rend(), is_match);
    const auto last = std::find_if(reversed.begin(), reversed.end(), is_match);
    if (last == reversed.end()) return {};
    return {first, std::make_reverse_iterator(last)};
}

/// Returns the path of greatest accuracy. If it has more than one domain (in a repetitive
/// envelope), the first is returned. Ties go to the state named first here.
std::vector<TraceStep> trace_accuracy(const Model& model, const LengthModel& length_model, const Matrix& matrix,
                                      const Posterior& posterior, const Matrix& accuracy,
                                      const std::vector<AccuracySpecial>& special) {
    const auto possible = [](float transition, float value) { return transition == 0 ? kMinusInfinity : value; };
    std::vector<TraceStep> steps;
    std::size_t i = posterior.special.size() - 1, at = 0;
    State state = State::kC;
    while (state != State::kStart) {
        State next = State::kStart;
        switch (state) {
            case State::kMatch: {
                const Matrix::Row& row = accuracy.row(i - 1);
                const std::array<State, 4> states = {State::kMatch, State::kInsert, State::kDelete, State::kB};
                const std::array<float, 4> paths = {possible(model.match_match[at], before(row.match, at, 0)),
                                                    possible(model.insert_match[at], before(row.insert, at, 0)),
                                                    possible(model.delete_match[at], before(row.del, at, 0)),
                                                    possible(model.enter[at], special[i - 1].b)};
                next = states[static_cast<std::size_t>(std::max_element(paths.begin(), paths.end()) - paths.begin())];
                if (next != State::kB && (at == 0 || i == 1)) return {};  // only if nothing is possible at all
                --at;
                --i;
                break;
            }
            case State::kDelete: {
                const Matrix::Row& row = accuracy.row(i);
                if (at == 0) return {};  // the same
                const float from_match = possible(model.match_delete[at - 1], row.match[at - 1]);
                const float from_delete = possible(model.delete_delete[at - 1], row.del[at - 1]);
                next = from_match >= from_delete ? State::kMatch : State::kDelete;
                --at;
                break;
            }
            case State::kInsert: {
                if (i == 1) return {};  // the same
                const Matrix::Row& row = accuracy.row(i - 1);
                const float from_match = possible(model.match_insert[at], row.match[at]);
                const float from_insert = possible(model.insert_insert[at], row.insert[at]);
                next = from_match >= from_insert ? State::kMatch : State::kInsert;
                --i;
                break;
            }
            case State::kN: next = i == 0 ? State::kStart : State::kN; break;
            case State::kC: {
                if (i == 0) return {};  // the same
                const float loop = possible(length_model.loop, special[i - 1].c + posterior.special[i].c);
                next = loop > possible(length_model.end_move, special[i].e) ? State::kC : State::kE;
                break;
            }
            case State::kJ: {
                if (i == 0) return {};  // the same
                const float loop = possible(length_model.loop, special[i - 1].j + posterior.special[i].j);
                next = loop > possible(length_model.end_loop, special[i].e) ? State::kJ : State::kE;
                break;
            }
            case State::kE: {
                const Cell end = best_end(model, accuracy.row(i));
                next = end.state;
                at = end.at;
                steps.clear();
                break;
            }
            case State::kB:
                next = possible(length_model.move, special[i].n) > possible(length_model.move, special[i].j)
                           ? State::kN
                           : State::kJ;
                break;
            case State::kStart: break;
        }
        if (next == State::kMatch || next == State::kInsert || next == State::kDelete) {
            steps.push_back(make_step(next, at, i, matrix));
        }
        if (next == state && (next == State::kN || next == State::kJ || next == State::kC)) --i;
        state = next;
    }
    return from_match_to_match(std::move(steps));
}

/// Returns the flank posteriors of the residues outside of an alignment.
std::vector<float> flank_posteriors(const std::vector<TraceStep>& trace, const Posterior& posterior) {
    std::vector<float> flanks(posterior.special.size() - 1, 0.0f);
    if (trace.empty()) return flanks;
    for (std::size_t i = 1; i <= flanks.size(); ++i) {
        const auto residue = static_cast<std::int64_t>(i);
        if (residue < trace.front().residue) flanks[i - 1] = posterior.special[i].n;
        if (residue > trace.back().residue) flanks[i - 1] = posterior.special[i].c;
    }
    return flanks;
}

// ---- Sampled tracebacks

/// Chooses one of `paths`, each with a probability of its value over their sum. All are equally
/// likely if the sum is 0.
template <std::size_t count>
std::size_t choose(std::array<float, count> paths, LinearCongruential& random) {
    float total = 0, compensation = 0;
    for (const float path : paths) {
        const float term = path - compensation;
        const float sum = total + term;
        compensation = (sum - total) - term;
        total = sum;
    }
    for (float& path : paths) path = total != 0 ? path / total : static_cast<float>(1.0 / static_cast<float>(count));
    double norm = 0;
    for (const float path : paths) norm += static_cast<double>(path);
    const double roll = random.uniform();
    double sum = 0;
    for (std::size_t p = 0; p < count; ++p) {
        sum += static_cast<double>(paths[p]);
        if (roll < sum / norm) return p;
    }
    return count - 1;
}

/// Chooses the match or delete state from which E(i) is entered. The values are shares of E(i), in
/// double precision. Their sum may end just short of the random number. The scan then starts again.
Cell choose_end(const Model& model, const Matrix::Row& row, float e, LinearCongruential& random) {
    const double roll = random.uniform();
    const float norm = reciprocal(e);
    double sum = 0;
    while (true) {
        const double sum_before = sum;
        for (std::size_t q = 0; q < model.segment; ++q) {
            for (std::size_t at = q; at < model.nodes; at += model.segment) {
                sum += static_cast<double>(row.match[at] * norm);
                if (roll < sum) return {State::kMatch, at};
            }
            for (std::size_t at = q; at < model.nodes; at += model.segment) {
                sum += static_cast<double>(row.del[at] * norm);
                if (roll < sum) return {State::kDelete, at};
            }
        }
        if (!(sum > sum_before)) return {State::kMatch, 0};  // nothing to choose from
    }
}

/// A domain of a sampled traceback, and the number of visits to each node.
struct SampledVisits {
    SampledDomain domain{};
    std::vector<std::size_t> emitting;  // nodes (from 0) of its match and insert states, from its last to its first
};

/// Returns the domains of one sampled traceback, from the last to the first.
std::vector<SampledVisits> sample_trace(const Model& model, const LengthModel& length_model, const Matrix& matrix,
                                        const SpecialStates& forward, LinearCongruential& random) {
    std::vector<SampledVisits> domains;
    std::size_t i = forward.rows.size() - 1, at = 0;
    State state = State::kC;
    while (state != State::kStart) {
        State next = State::kStart;
        switch (state) {
            case State::kMatch: {
                const Matrix::Row& row = matrix.row(i - 1);
                constexpr std::array<State, 4> kStates = {State::kB, State::kMatch, State::kInsert, State::kDelete};
                next = kStates[choose<4>(
                    {forward.rows[i - 1].b * model.enter[at], before(row.match, at, 0) * model.match_match[at],
                     before(row.insert, at, 0) * model.insert_match[at],
                     before(row.del, at, 0) * model.delete_match[at]},
                    random)];
                --at;
                --i;
                break;
            }
            case State::kDelete: {
                const Matrix::Row& row = matrix.row(i);
                next = choose<2>({before(row.match, at, 0) * before(model.match_delete, at, 0),
                                  before(row.del, at, 0) * before(model.delete_delete, at, 0)},
                                 random) == 0
                           ? State::kMatch
                           : State::kDelete;
                --at;
                break;
            }
            case State::kInsert: {
                const Matrix::Row& row = matrix.row(i - 1);
                next = choose<2>({row.match[at] * model.match_insert[at], row.insert[at] * model.insert_insert[at]},
                                 random) == 0
                           ? State::kMatch
                           : State::kInsert;
                --i;
                break;
            }
            case State::kN: next = i == 0 ? State::kStart : State::kN; break;
            case State::kC:
            case State::kJ: {
                if (i == 0) return domains;
                const SpecialStates::Row &last = forward.rows[i - 1], &now = forward.rows[i];
                const bool is_c = state == State::kC;
                const float loop = (is_c ? last.c : last.j) * length_model.loop;
                const float end = now.e * (is_c ? length_model.end_move : length_model.end_loop) * now.scale;
                next = choose<2>({loop, end}, random) == 0 ? state : State::kE;
                break;
            }
            case State::kE: {
                const Cell end = choose_end(model, matrix.row(i), forward.rows[i].e, random);
                next = end.state;
                at = end.at;
                domains.emplace_back();
                break;
            }
            case State::kB: {
                const SpecialStates::Row& now = forward.rows[i];
                next = choose<2>({now.n * length_model.move, now.j * length_model.move}, random) == 0 ? State::kN
                                                                                                      : State::kJ;
                break;
            }
            case State::kStart: break;
        }
        if (next == State::kMatch) {
            SampledDomain& domain = domains.back().domain;
            domain.residue_begin = static_cast<std::int32_t>(i);
            domain.node_begin = static_cast<std::int32_t>(at + 1);
            if (domain.residue_end == 0) {
                domain.residue_end = domain.residue_begin;
                domain.node_end = domain.node_begin;
            }
        }
        if (next == State::kMatch || next == State::kInsert) domains.back().emitting.push_back(at);
        if (next == state && (next == State::kN || next == State::kJ || next == State::kC)) --i;
        state = next;
    }
    return domains;
}

/// Computes null2 by trace. Each node is weighted by the number of the domain's residues that it
/// emits. An insert counts as its node's match.
std::array<float, kResidueTableSize> traced_null2(const Model& model, const std::vector<std::size_t>& emitting) {
    std::vector<float> weights(model.nodes, 0.0f);
    for (const std::size_t at : emitting) weights[at] += 1;
    const float per_residue = reciprocal(static_cast<float>(emitting.size()));
    for (float& weight : weights) weight *= per_residue;
    return mixture_odds(model, weights, std::vector<float>(model.nodes, 0.0f), 0);
}

class ReferenceForwardBackward final : public ForwardBackward {
   public:
    explicit ReferenceForwardBackward(const ForwardProfile& profile) : model_(profile) {}

    std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<Workspace>(); }
    std::size_t preferred_tasks() const override { return 1; }

    void forward(std::span<ForwardTask* const> tasks, Workspace&) const override {
        const FlushSubnormals flush;
        for (ForwardTask* task : tasks) forward(*task);
    }
    void backward(std::span<ForwardTask* const> tasks, Workspace&) const override {
        const FlushSubnormals flush;
        for (ForwardTask* task : tasks) backward(*task);
    }
    void decode_envelopes(std::span<EnvelopeTask* const> tasks, Workspace& workspace) const override {
        std::optional<FlushSubnormals> flush;
        if (!workspace.keeps_subnormals) flush.emplace();
        for (EnvelopeTask* task : tasks) task->in_range = decode_envelope(*task);
    }
    void sample_regions(std::span<RegionTask* const> tasks, Workspace&) const override {
        const FlushSubnormals flush;
        for (RegionTask* task : tasks) sample_region(*task);
    }

   private:
    [[gnu::noinline]] void forward(ForwardTask& task) const {
        Matrix matrix(2, model_, 0);
        task.in_range = run_forward(model_, task.target, task.length_model, matrix, task.forward, task.score_nats);
    }

    [[gnu::noinline]] void backward(ForwardTask& task) const {
        Matrix matrix(2, model_, 0);
        task.in_range = run_backward(model_, task.target, task.length_model, task.forward, matrix, task.backward);
    }

    [[gnu::noinline]] bool decode_envelope(EnvelopeTask& task) const {
        const std::size_t rows = task.envelope.size() + 1;
        Matrix forward_matrix(rows, model_, 0), matrix(rows, model_, 0);
        SpecialStates forward, backward;
        Posterior posterior;
        float forward_nats;
        if (!run_forward(model_, task.envelope, task.length_model, forward_matrix, forward, forward_nats)) return false;
        if (!run_backward(model_, task.envelope, task.length_model, forward, matrix, backward)) return false;
        if (!decode(model_, task.length_model, forward_matrix, forward, backward, matrix, posterior)) return false;
        Matrix accuracy(rows, model_, kMinusInfinity);
        const std::vector<AccuracySpecial> special =
            fill_accuracy(model_, task.length_model, matrix, posterior, accuracy);
        task.forward_nats = forward_nats;
        task.expected_accuracy = special.back().c;
        task.trace = trace_accuracy(model_, task.length_model, matrix, posterior, accuracy, special);
        if (task.wants_null2) task.null2_odds = expected_null2(model_, matrix, posterior);
        if (task.wants_flanks) task.flank_posteriors = flank_posteriors(task.trace, posterior);
        return true;
    }

    [[gnu::noinline]] void sample_region(RegionTask& task) const {
        const std::size_t residues = task.region.size();
        task.domains.clear();
        task.null2_ratio_sum.assign(residues, 0.0f);
        Matrix matrix(residues + 1, model_, 0);
        SpecialStates forward;
        float score_nats;
        const bool in_range = run_forward(model_, task.region, task.length_model, matrix, forward, score_nats);
        LinearCongruential random(task.seed);
        for (int trace = 0; trace < task.samples; ++trace) {
            std::vector<SampledVisits> domains;
            if (in_range) domains = sample_trace(model_, task.length_model, matrix, forward, random);
            std::size_t i = 0;
            for (auto visits = domains.rbegin(); visits != domains.rend(); ++visits) {
                visits->domain.trace = trace;
                task.domains.push_back(visits->domain);
                const std::array<float, kResidueTableSize> null2 = traced_null2(model_, visits->emitting);
                // The first residue of a domain counts as outside it.
                for (; i < static_cast<std::size_t>(visits->domain.residue_begin); ++i) task.null2_ratio_sum[i] += 1;
                for (; i < static_cast<std::size_t>(visits->domain.residue_end); ++i) {
                    task.null2_ratio_sum[i] += null2[task.region[i]];
                }
            }
            for (; i < residues; ++i) task.null2_ratio_sum[i] += 1;
        }
    }

    Model model_;
};

}  // namespace

std::unique_ptr<ForwardBackward> make_reference_forward_backward(const ForwardProfile& profile) {
    return std::make_unique<ReferenceForwardBackward>(profile);
}

}  // namespace warpseq

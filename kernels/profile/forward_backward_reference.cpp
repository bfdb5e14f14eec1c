// Forward and Backward in plain scalar code, and the class that also decodes envelopes
// (optimal_accuracy_reference.h) and samples tracebacks (sampled_traces_reference.h). The header
// has the contract.
#include "kernels/profile/forward_backward_reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "kernels/profile/optimal_accuracy_reference.h"
#include "kernels/profile/sampled_traces_reference.h"
#include "kernels/simd/flush_subnormals.h"
#include "libcore/base/linear_congruential.h"

namespace warpseq {
namespace reference {
namespace {

/// Adds the log of a float to a float as HMMER does: in double precision, with the sum rounded
/// once.
float add_log(float sum, float x) {
    return static_cast<float>(static_cast<double>(sum) + std::log(static_cast<double>(x)));
}

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
        if (now.e > kForwardRescaleAbove) {
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

        if (now.b > kBackwardOwnScalesAbove) special.own_scales = true;
        if (special.own_scales) {
            now.scale = now.b > kForwardRescaleAbove ? now.b : 1.0f;
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
        AccurateAlignment alignment = most_accurate(model_, task.length_model, matrix, posterior);
        task.forward_nats = forward_nats;
        task.expected_accuracy = alignment.expected_accuracy;
        task.trace = std::move(alignment.trace);
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
}  // namespace reference

std::unique_ptr<ForwardBackward> make_reference_forward_backward(const ForwardProfile& profile) {
    return std::make_unique<reference::ReferenceForwardBackward>(profile);
}

}  // namespace warpseq

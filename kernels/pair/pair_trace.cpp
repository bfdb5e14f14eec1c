// Traces a path through one block. The directions are a back end's, and the walk is the same for
// all.
#include "kernels/pair/pair_trace.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "kernels/pair/pair_directions_simd.h"

namespace warpseq {
namespace {

// The filler of directions in plain scalar code, row by row.
class ScalarDirectionFiller final : public PairDirectionFiller {
   public:
    explicit ScalarDirectionFiller(const PairScoring& scoring) : scoring_(scoring) {}

    PairDirections fill(const TraceTask& task) override {
        const std::size_t m = task.query.size(), n = task.target.size();
        const std::int32_t extend = scoring_.scheme.gaps.extend, first = scoring_.scheme.gaps.first();
        const std::int32_t lowest = scoring_.local ? 0 : std::numeric_limits<std::int32_t>::min();
        constexpr std::int32_t kNever = std::numeric_limits<std::int32_t>::min() / 2;  // below 0
        if (bytes_.size() < m * n) bytes_.resize(m * n);
        line_.assign(task.top.begin(),
                     task.top.end());  // H(i - 1, j) and F(i, j), overwritten by H(i, j) and F(i + 1, j)
        for (std::size_t i = 1; i <= m; ++i) {
            const SubstitutionMatrix::Row& scores = scoring_.scheme.matrix.row(task.query[i - 1]);
            std::uint8_t* const row = bytes_.data() + (i - 1) * n;
            const std::uint8_t* const forbidden =
                task.forbidden.empty() ? nullptr : task.forbidden.data() + (i - 1) * n;
            std::int32_t diagonal = line_[0].h;
            std::int32_t e = task.left[i].gap;
            line_[0].h = task.left[i].h;
            for (std::size_t j = 1; j <= n; ++j) {
                BorderCell& above = line_[j];
                const std::int32_t match =
                    forbidden != nullptr && forbidden[j - 1] != 0 ? kNever : diagonal + scores[task.target[j - 1]];
                const std::int32_t f = above.gap;
                const std::int32_t h = std::max(std::max(match, lowest), std::max(e, f));
                diagonal = above.h;
                e = std::max(e - extend, h - first);
                above = {h, std::max(f - extend, h - first)};
                row[j - 1] = static_cast<std::uint8_t>(
                    (h == lowest ? PairDirections::kZero : 0) | (h == match ? PairDirections::kDiagonal : 0) |
                    (h == f ? PairDirections::kIsF : 0) | (above.gap == h - first ? PairDirections::kOpensF : 0) |
                    (e == h - first ? PairDirections::kOpensE : 0));
            }
        }
        // There is one strip and one band; their numbers are 0 for any row.
        return {bytes_.data(), 63, 63, 0, 0, n, 1};
    }

   private:
    PairScoring scoring_;
    std::vector<std::uint8_t> bytes_;
    std::vector<BorderCell> line_;
};

}  // namespace

std::unique_ptr<PairDirectionFiller> make_pair_direction_filler(CpuBackend backend, const PairScoring& scoring) {
    if (auto filler = make_vector_pair_direction_filler(backend, scoring)) return filler;
    return std::make_unique<ScalarDirectionFiller>(scoring);
}

struct PairTracer::State {
    PairScoring scoring;
    std::unique_ptr<PairDirectionFiller> filler;
    std::unique_ptr<PairDirectionFiller> plain_filler;  // of blocks with forbidden pairs
};

PairTracer::PairTracer(CpuBackend backend, const PairScoring& scoring)
    : state_(std::make_unique<State>(State{scoring, make_pair_direction_filler(backend, scoring),
                                           std::make_unique<ScalarDirectionFiller>(scoring)})) {}

PairTracer::~PairTracer() = default;

TraceEnd PairTracer::trace(const TraceTask& task, TracePoint from, std::vector<AlignmentRun>& runs) {
    assert(from.row >= 1 && from.row <= task.query.size() && from.column >= 1 && from.column <= task.target.size());
    assert(task.top.size() == task.target.size() + 1 && task.left.size() == task.query.size() + 1);
    const PairDirections directions =
        task.forbidden.empty() ? state_->filler->fill(task) : state_->plain_filler->fill(task);
    const std::int32_t first = state_->scoring.scheme.gaps.first();
    const bool local = state_->scoring.local;
    const auto add = [&runs](AlignmentOperation operation, std::uint64_t length) {
        if (length == 0) return;
        if (runs.empty() || runs.back().operation != operation) runs.push_back({operation, 0});
        runs.back().length += length;
    };

    std::size_t i = from.row, j = from.column;
    PairTraceState state = from.state;
    while (i > 0 && j > 0) {
        if (state == PairTraceState::kH) {
            const std::size_t diagonal_from = i;
            std::uint8_t cell = directions.at(i, j);
            while ((cell & PairDirections::kZero) == 0 && (cell & PairDirections::kDiagonal) != 0) {
                --i;
                --j;
                if (i == 0 || j == 0) break;
                cell = directions.at(i, j);
            }
            add(AlignmentOperation::kMatch, diagonal_from - i);
            if (i == 0 || j == 0) break;
            if ((cell & PairDirections::kZero) != 0) return {{i, j, PairTraceState::kH}, true};
            state = (cell & PairDirections::kIsF) != 0 ? PairTraceState::kF : PairTraceState::kE;
        } else if (state == PairTraceState::kF) {
            --i;
            add(AlignmentOperation::kInsert, 1);
            const bool opens =
                i > 0 ? (directions.at(i, j) & PairDirections::kOpensF) != 0 : task.top[j].gap == task.top[j].h - first;
            if (opens) state = PairTraceState::kH;
        } else {
            --j;
            add(AlignmentOperation::kDelete, 1);
            const bool opens = j > 0 ? (directions.at(i, j) & PairDirections::kOpensE) != 0
                                     : task.left[i].gap == task.left[i].h - first;
            if (opens) state = PairTraceState::kH;
        }
    }
    const std::int32_t h = i == 0 ? task.top[j].h : task.left[i].h;
    return {{i, j, state}, local && state == PairTraceState::kH && h == 0};
}

}  // namespace warpseq

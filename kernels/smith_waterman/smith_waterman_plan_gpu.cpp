#include "kernels/smith_waterman/smith_waterman_plan_gpu.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "kernels/gpu/half_bits.h"

namespace warpseq::cuda {

namespace {

// The speeds were measured on an H200 (docs/lab-notes.md). Shapes with less than eight threads
// serve batches that fit one pass.
constexpr KernelShape kShapes[] = {
    {Pairing::kTwoQueries, 1, 16, 5.9}, {Pairing::kTwoQueries, 2, 16, 6.3}, {Pairing::kTwoQueries, 4, 16, 6.4},
    {Pairing::kTwoQueries, 8, 16, 5.9}, {Pairing::kTwoQueries, 1, 24, 4.4}, {Pairing::kTwoQueries, 2, 24, 5.3},
    {Pairing::kTwoQueries, 4, 24, 6.4}, {Pairing::kTwoQueries, 8, 24, 6.3}, {Pairing::kTwoQueries, 1, 32, 4.3},
    {Pairing::kTwoQueries, 2, 32, 5.4}, {Pairing::kTwoQueries, 4, 32, 6.2}, {Pairing::kTwoQueries, 8, 32, 6.4},
    {Pairing::kTwoQueries, 1, 40, 4.5}, {Pairing::kTwoQueries, 2, 40, 5.8}, {Pairing::kTwoQueries, 4, 40, 6.4},
    {Pairing::kTwoQueries, 8, 40, 6.8}, {Pairing::kTwoTargets, 1, 16, 2.7}, {Pairing::kTwoTargets, 2, 16, 4.5},
    {Pairing::kTwoTargets, 4, 16, 5.4}, {Pairing::kTwoTargets, 8, 16, 5.2}, {Pairing::kTwoTargets, 1, 24, 2.8},
    {Pairing::kTwoTargets, 2, 24, 4.3}, {Pairing::kTwoTargets, 4, 24, 5.3}, {Pairing::kTwoTargets, 8, 24, 5.6},
    {Pairing::kTwoTargets, 1, 32, 3.6}, {Pairing::kTwoTargets, 2, 32, 5.8}, {Pairing::kTwoTargets, 4, 32, 5.9},
    {Pairing::kTwoTargets, 8, 32, 5.8}, {Pairing::kTwoTargets, 1, 40, 3.0}, {Pairing::kTwoTargets, 2, 40, 4.4},
    {Pairing::kTwoTargets, 4, 40, 5.7}, {Pairing::kTwoTargets, 8, 40, 6.0},
};

/// The segments of one half, in the order they are computed.
using Stream = std::vector<Segment>;

void append_query(std::int32_t query, std::uint64_t residues, int rows_per_thread, Stream& stream) {
    for (std::uint64_t row = 0; row < residues; row += static_cast<std::uint64_t>(rows_per_thread)) {
        stream.push_back({query, static_cast<std::uint32_t>(row), row > 0, false});
    }
}

/// Deals the queries to two streams, longest first, each to the shorter stream (Graham 1969).
void fill_streams(std::span<const std::uint64_t> query_residues, const KernelShape& shape, Stream (&streams)[2]) {
    std::vector<std::int32_t> order(query_residues.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [&](std::int32_t q) { return query_residues[static_cast<std::size_t>(q)]; });
    for (const std::int32_t query : order) {
        const bool high = shape.pairing == Pairing::kTwoQueries && streams[1].size() < streams[0].size();
        append_query(query, query_residues[static_cast<std::size_t>(query)], shape.rows_per_thread,
                     streams[high ? 1 : 0]);
    }
}

}  // namespace

std::span<const KernelShape> kernel_shapes() { return kShapes; }

SmithWatermanPlan plan_with_shape(std::span<const std::uint64_t> query_residues, const KernelShape& shape) {
    Stream streams[2];
    fill_streams(query_residues, shape, streams);
    const auto group = static_cast<std::size_t>(shape.group_threads);
    SmithWatermanPlan plan{shape, {}};
    plan.passes.resize((std::max(streams[0].size(), streams[1].size()) + group - 1) / group);
    for (int half = 0; half < 2; ++half) {
        const Stream& stream = streams[half];
        for (std::size_t i = 0; i < stream.size(); ++i) {
            Segment& segment = plan.passes[i / group].segments[half][i % group];
            segment = stream[i];
            const std::size_t pass_start = i / group * group;
            segment.reports = i + 1 == stream.size() || i + 1 == pass_start + group || !stream[i + 1].continues;
        }
    }
    return plan;
}

SmithWatermanPlan plan_smith_waterman(std::span<const std::uint64_t> query_residues) {
    SmithWatermanPlan best;
    double best_time = 0;
    for (const KernelShape& shape : kShapes) {
        SmithWatermanPlan plan = plan_with_shape(query_residues, shape);
        if (plan.has_borders() && shape.group_threads != kMostGroupThreads) continue;
        const double halves = shape.pairing == Pairing::kTwoQueries ? 2 : 1;
        const double time = static_cast<double>(plan.passes.size()) * shape.group_threads * shape.rows_per_thread *
                            halves / shape.tera_cells;
        if (best.passes.empty() || time < best_time) {
            best = std::move(plan);
            best_time = time;
        }
    }
    return best;
}

void fill_profile(const SmithWatermanPlan& plan, std::size_t pass,
                  std::span<const std::span<const ResidueCode>> queries, const SubstitutionMatrix& matrix,
                  std::span<std::uint32_t> out) {
    const KernelShape& shape = plan.shape;
    const SmithWatermanLayout layout(shape);
    assert(out.size() == layout.profile_words());
    const bool two_queries = shape.pairing == Pairing::kTwoQueries;
    const int rows_per_load = layout.rows_per_load;
    // A row without a residue scores as padding does, so nothing begins or grows there.
    const auto score = [&](int half, int thread, int row, int letter) -> std::uint32_t {
        const Segment& segment = plan.passes[pass].segments[half][thread];
        int value = SubstitutionMatrix::kPaddingScore;
        if (segment.query >= 0) {
            const auto query = queries[static_cast<std::size_t>(segment.query)];
            const std::size_t at = segment.first_row + static_cast<std::size_t>(row);
            if (at < query.size()) value = matrix.score_raw(query[at], static_cast<ResidueCode>(letter));
        }
        return half_bits(value);
    };
    std::size_t at = 0;
    for (int letter = 0; letter < kResidueTableSize; ++letter) {
        for (int load = 0; load < shape.rows_per_thread / rows_per_load; ++load) {
            for (int slot = 0; slot < layout.slots; ++slot) {
                const int thread = slot % shape.group_threads, row = load * rows_per_load;
                for (int word = 0; word < 4; ++word, ++at) {
                    out[at] = two_queries
                                  ? score(0, thread, row + word, letter) | score(1, thread, row + word, letter) << 16
                                  : score(0, thread, row + 2 * word, letter) |
                                        score(0, thread, row + 2 * word + 1, letter) << 16;
                }
            }
        }
    }
}

}  // namespace warpseq::cuda

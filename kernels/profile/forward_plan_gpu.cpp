#include "kernels/profile/forward_plan_gpu.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace warpseq::cuda {
namespace {

/// Shapes with their times. Every further node in a thread saves instructions for the sums over
/// threads. This is worth more than the warps that its registers cost, so wide threads in few lanes
/// are best. Groups of several warps wait for each other, and two targets at a time hide this in
/// part. Milliseconds are of random models of full length. Shapes that another one beats at every
/// length are left out.
constexpr ForwardShape kShapes[] = {
    {4, 1, 4, 1, 2.24},    {4, 1, 6, 1, 3.14},    {4, 1, 8, 1, 3.44},    {4, 1, 10, 1, 4.29},   {4, 1, 12, 1, 4.80},
    {4, 1, 14, 1, 6.49},   {4, 1, 16, 1, 6.85},   {8, 1, 10, 1, 8.93},   {8, 1, 12, 1, 10.06},  {8, 1, 14, 1, 12.39},
    {8, 1, 16, 1, 13.54},  {16, 1, 10, 1, 18.41}, {16, 1, 12, 1, 20.83}, {16, 1, 14, 1, 26.81}, {16, 1, 16, 1, 28.62},
    {32, 1, 10, 1, 39.24}, {32, 1, 12, 1, 43.24}, {32, 1, 14, 1, 57.38}, {32, 1, 16, 1, 59.24}, {32, 2, 10, 2, 119},
    {32, 2, 12, 2, 127},   {32, 4, 7, 2, 186},    {32, 4, 8, 2, 205},    {32, 4, 10, 2, 255},   {32, 4, 12, 2, 269},
    {32, 4, 13, 2, 310},   {32, 4, 16, 1, 417},   {32, 8, 12, 2, 584},   {32, 8, 13, 2, 701},   {32, 8, 16, 1, 924},
};

float flushed(float x) { return x < std::numeric_limits<float>::min() ? 0.0f : x; }

/// Whether the values that the host flushes to 0 are too small to matter. B is at least 2^-22 for
/// up to 2^18 residues (scaled, N + J is at least e^-3 / 2, and the move is 3 / (L + 3)). So the
/// sum that enters M(k) is at least 2^-22 enter(k). If enter(k) >= 2^-50, values lost in M, I and D
/// before are nothing against it. M(k) itself is far from 2^-126, and its deletes lose at most M^2
/// 2^-124 of it together.
bool is_bounded(const ForwardProfile& profile) {
    float least_enter = INFINITY, least_odds = INFINITY, greatest = 0;
    for (const float enter : profile.transitions.enter) least_enter = std::min(least_enter, enter);
    for (const float odds : profile.match) {
        if (flushed(odds) > 0) least_odds = std::min(least_odds, odds);
        greatest = std::max(greatest, odds);
    }
    const Plan7Profile::Transitions& to = profile.transitions;
    bool probable = true;
    for (const auto* kind : {&to.enter, &to.match_match, &to.insert_match, &to.delete_match, &to.match_delete,
                             &to.match_insert, &to.insert_insert, &to.delete_delete}) {
        probable &= std::ranges::all_of(*kind, [](float x) { return x >= 0 && x <= 1.001f; });
    }
    return probable && greatest <= std::ldexp(1.0f, 20) && least_enter >= std::ldexp(1.0f, -50) &&
           static_cast<double>(least_enter) * static_cast<double>(least_odds) >= profile.length * std::ldexp(1.0, -70);
}

void fill(const ForwardProfile& profile, const ForwardShape& shape, std::span<float> out) {
    const auto length = static_cast<std::size_t>(profile.length), nodes = static_cast<std::size_t>(shape.nodes());
    const auto threads = static_cast<std::size_t>(shape.threads()),
               per_thread = static_cast<std::size_t>(shape.nodes_per_thread);
    const auto lanes = static_cast<std::size_t>(shape.lanes), warps = static_cast<std::size_t>(shape.warps);
    const ForwardLayout layout(shape.threads(), shape.warps, shape.nodes_per_thread);
    const Plan7Profile::Transitions& to = profile.transitions;
    const auto at = [](const std::vector<float>& values, std::size_t k) {
        return static_cast<double>(flushed(values[k]));
    };

    std::vector<double> to_end(length, 1);  // w
    double deletes = 1;                     // h(k + 1)
    for (std::size_t k = length - 1; k-- > 0;) {
        to_end[k] = 1 + at(to.match_delete, k) * deletes;
        deletes = 1 + at(to.delete_delete, k) * deletes;
    }
    std::vector<std::array<double, kForwardCoefficients>> factors(nodes);  // 0 for padding
    for (std::size_t k = 0; k + 1 < length; ++k) {
        const double enter = at(to.enter, k + 1);
        auto& of = factors[k];
        of[kForwardMatchMatch] = at(to.match_match, k + 1) / (to_end[k] * enter);
        of[kForwardInsertMatch] = at(to.insert_match, k + 1) * at(to.match_insert, k) / (to_end[k] * enter);
        of[kForwardDeleteMatch] = at(to.delete_match, k + 1) / enter;
        of[kForwardInsertInsert] = at(to.insert_insert, k);
        of[kForwardMatchDelete] = at(to.match_delete, k) / to_end[k];
        of[kForwardDeleteDelete] = at(to.delete_delete, k);
    }

    std::vector<double> through(threads, 1);  // product of dd over a thread's nodes
    for (std::size_t t = 0; t < threads; ++t) {
        for (std::size_t j = 0; j < per_thread; ++j) {
            auto& of = factors[t * per_thread + j];
            of[kForwardEnteringDelete] = of[kForwardDeleteMatch] * through[t];
            through[t] *= of[kForwardDeleteDelete];
            for (std::size_t kind = 0; kind < kForwardCoefficients; ++kind)
                out[layout.coefficients + (kind * per_thread + j) * threads + t] = static_cast<float>(of[kind]);
        }
    }
    for (std::size_t t = 0; t < threads; ++t) {
        const std::size_t lane = t % lanes;
        double lead = 1;
        for (std::size_t before = t - lane; before < t; ++before) lead *= through[before];
        out[layout.lead + t] = static_cast<float>(lead);
        for (std::size_t level = 0; level < kForwardScanLevels; ++level) {
            const std::size_t span = std::size_t{1} << level;
            double product = lane >= span ? 1 : 0;
            for (std::size_t i = 0; i < span && product > 0; ++i) product *= through[t - i];
            out[layout.scan + level * threads + t] = static_cast<float>(product);
        }
    }
    std::vector<double> through_warp(warps, 1);
    for (std::size_t t = 0; t < threads; ++t) through_warp[t / lanes] *= through[t];
    const auto between = [&](std::size_t v, std::size_t w) {
        double product = 1;
        for (std::size_t warp = v + 1; warp < w; ++warp) product *= through_warp[warp];
        return product;
    };
    for (std::size_t w = 1; w < warps; ++w) {
        // The factor for the last node before w of a value that enters its warp. It leads through
        // the nodes of the warp's other threads, then of its own thread.
        double lead = 1;
        for (std::size_t t = (w - 1) * lanes; t + 1 < w * lanes; ++t) lead *= through[t];
        lead *= factors[w * lanes * per_thread - 1][kForwardEnteringDelete];
        for (std::size_t v = 0; v < w; ++v) {
            out[layout.warp_deletes + w * 32 + v] = static_cast<float>(between(v, w));
            if (v + 1 < w) out[layout.warp_sums + w * 32 + v] = static_cast<float>(between(v, w - 1) * lead);
        }
    }
    for (std::size_t code = 0; code < kResidueTableSize; ++code) {
        for (std::size_t k = 0; k < length; ++k) {
            const std::size_t t = k / per_thread, j = k % per_thread;
            const auto odds = static_cast<double>(flushed(profile.match[code * length + k]));
            out[layout.odds + ((code * ((per_thread + 3) / 4) + j / 4) * threads + t) * 4 + j % 4] =
                static_cast<float>(odds * at(to.enter, k) * to_end[k]);
        }
    }
}

}  // namespace

std::span<const ForwardShape> forward_shapes() { return kShapes; }

ForwardShape choose_forward_shape(int length) {
    const ForwardShape* best = nullptr;
    for (const ForwardShape& shape : kShapes) {
        if (shape.nodes() >= length && (best == nullptr || shape.milliseconds < best->milliseconds)) best = &shape;
    }
    if (best != nullptr) return *best;
    const int threads = kLongForwardWarps * 32;
    return {32, kLongForwardWarps, (length + threads - 1) / threads, 1};
}

ForwardTables::ForwardTables(std::span<const ForwardProfile* const> profiles, const ForwardShape* shape) {
    std::size_t end = 0;
    for (const ForwardProfile* profile : profiles) {
        Entry entry;
        entry.shape =
            shape != nullptr && shape->nodes() >= profile->length ? *shape : choose_forward_shape(profile->length);
        entry.length = profile->length;
        entry.bounded = is_bounded(*profile);
        entry.first = end;
        if (entry.bounded)
            end += ForwardLayout(entry.shape.threads(), entry.shape.warps, entry.shape.nodes_per_thread).end;
        entries_.push_back(entry);
    }
    numbers_.assign(end, 0.0f);
    for (std::size_t p = 0; p < profiles.size(); ++p) {
        if (entries_[p].bounded) fill(*profiles[p], entries_[p].shape, std::span(numbers_).subspan(entries_[p].first));
    }
}

}  // namespace warpseq::cuda

// The tables of the GPU's Forward filter, evaluated on the host as its kernels do. The code runs on
// the host and needs no GPU.
#include "kernels/profile/forward_plan_gpu.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/profile/float_margins_gpu.h"
#include "kernels/profile/forward_backward.h"
#include "libcore/base/random.h"
#include "tests/support/random_plan7.h"

using namespace warpseq;
using namespace warpseq::cuda;
using namespace warpseq::testing;

namespace {

/// Returns the result of forward_plan_gpu.h's recurrence with the threads' scan and the warps'
/// exchange, in double precision from the tables' floats.
double tabled_forward(const ForwardTables::Entry& entry, std::span<const float> numbers,
                      std::span<const ResidueCode> target) {
    const ForwardShape& shape = entry.shape;
    const auto threads = static_cast<std::size_t>(shape.threads()),
               per_thread = static_cast<std::size_t>(shape.nodes_per_thread);
    const auto lanes = static_cast<std::size_t>(shape.lanes), warps = static_cast<std::size_t>(shape.warps);
    const ForwardLayout layout(shape.threads(), shape.warps, shape.nodes_per_thread);
    const float* const from = numbers.data() + entry.first;
    const auto factor = [&](std::size_t kind, std::size_t t, std::size_t j) {
        return static_cast<double>(from[layout.coefficients + (kind * per_thread + j) * threads + t]);
    };
    const LengthModel model = LengthModel::multihit(target.size());
    const auto loop = static_cast<double>(model.loop), move = static_cast<double>(model.move);
    double n = 1, j_state = 0, b = move, log_scale = 0;
    std::vector<double> m(threads * per_thread), i(m.size()), s(m.size());
    for (const ResidueCode code : target) {
        double e = 0;
        std::vector<double> carried(threads), sums(m.size());
        for (std::size_t t = 0; t < threads; ++t) {
            double deleted = 0;
            for (std::size_t j = 0; j < per_thread; ++j) {
                const std::size_t k = t * per_thread + j;
                const auto odds = static_cast<double>(
                    from[layout.odds + ((code * ((per_thread + 3) / 4) + j / 4) * threads + t) * 4 + j % 4]);
                i[k] = i[k] * factor(kForwardInsertInsert, t, j) + m[k];
                m[k] = (b + (k == 0 ? 0 : s[k - 1])) * odds;
                e += m[k];
                sums[k] = m[k] * factor(kForwardMatchMatch, t, j) + i[k] * factor(kForwardInsertMatch, t, j) +
                          deleted * factor(kForwardDeleteMatch, t, j);
                deleted = deleted * factor(kForwardDeleteDelete, t, j) + m[k] * factor(kForwardMatchDelete, t, j);
            }
            carried[t] = deleted;
        }
        for (std::size_t level = 0; (std::size_t{1} << level) < lanes; ++level) {
            const std::vector<double> before = carried;
            for (std::size_t t = 0; t < threads; ++t) {
                if (t % lanes >= std::size_t{1} << level)
                    carried[t] += before[t - (std::size_t{1} << level)] *
                                  static_cast<double>(from[layout.scan + level * threads + t]);
            }
        }
        // Compute for each warp what enters its deletes and, separately, s of the node before its
        // first.
        std::vector<double> outside(warps, 0);
        for (std::size_t w = 0; w < warps; ++w) {
            double entering = 0;
            for (std::size_t v = 0; v < w; ++v) {
                const double left = carried[(v + 1) * lanes - 1];
                entering += left * static_cast<double>(from[layout.warp_deletes + w * 32 + v]);
                outside[w] += left * static_cast<double>(from[layout.warp_sums + w * 32 + v]);
            }
            if (w > 0) {
                const std::size_t last = w * lanes - 1;
                const double before = lanes > 1 ? carried[last - 1] : 0;
                outside[w] +=
                    sums[w * lanes * per_thread - 1] + before * factor(kForwardEnteringDelete, last, per_thread - 1);
            }
            for (std::size_t t = w * lanes; t < (w + 1) * lanes; ++t) {
                const double in =
                    (t % lanes > 0 ? carried[t - 1] : 0) + entering * static_cast<double>(from[layout.lead + t]);
                for (std::size_t j = 0; j < per_thread; ++j)
                    s[t * per_thread + j] = sums[t * per_thread + j] + in * factor(kForwardEnteringDelete, t, j);
            }
        }
        for (std::size_t w = 1; w < warps; ++w)
            CHECK(outside[w] == doctest::Approx(s[w * lanes * per_thread - 1]).epsilon(1e-5));
        n *= loop;
        j_state = j_state * loop + 0.5 * e;
        b = (n + j_state) * move;
        if (e > double{kForwardRescaleAbove}) {
            for (auto* values : {&m, &i, &s}) {
                for (double& value : *values) value /= e;
            }
            n /= e;
            j_state /= e;
            b /= e;
            log_scale += std::log(e);
        }
    }
    return log_scale + std::log(j_state * move);
}

double host_forward(const ForwardProfile& profile, const std::vector<ResidueCode>& target) {
    const auto host = make_forward_backward(CpuBackend::kReference, profile);
    ForwardTask task;
    task.target = target;
    task.length_model = LengthModel::multihit(target.size());
    ForwardTask* const tasks[] = {&task};
    host->forward(tasks, *host->make_workspace());
    REQUIRE(task.in_range);
    return static_cast<double>(task.score_nats);
}

}  // namespace

TEST_CASE("tables of Forward give the host's scores within the margin, in every shape") {
    Random random(21);
    std::vector<ForwardShape> shapes(forward_shapes().begin(), forward_shapes().end());
    shapes.push_back({.lanes = 32, .warps = kLongForwardWarps, .nodes_per_thread = 17, .targets = 1});
    double greatest_score = 0;
    for (const ForwardShape& shape : shapes) {
        CAPTURE(shape.lanes);
        CAPTURE(shape.warps);
        CAPTURE(shape.nodes_per_thread);
        for (const int length :
             {shape.nodes(), 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(shape.nodes())))}) {
            const RandomPlan7 plan7 = random_plan7(random, length, length % 2 == 0);
            const ForwardProfile* const profile = &plan7.profile;
            const ForwardTables tables({&profile, 1}, &shape);
            const ForwardTables::Entry& entry = tables.entries().front();
            REQUIRE(entry.shape == shape);
            REQUIRE(entry.bounded);
            for (const std::size_t copies : {std::size_t{0}, std::size_t{1}}) {
                if (copies > 0 && length > 1200) continue;
                const std::vector<ResidueCode> target = planted_target(random, plan7, copies, 1 + random.below(20));
                const double expected = host_forward(plan7.profile, target);
                const double found = tabled_forward(entry, tables.numbers(), target);
                const auto margin =
                    static_cast<double>(forward_margin_nats(target.size(), length, static_cast<float>(found)));
                CHECK(std::abs(found - expected) <= margin);
                greatest_score = std::max(greatest_score, expected);
            }
        }
    }
    CHECK(greatest_score > 500);
}

TEST_CASE("every model length has a shape that holds it") {
    for (int length = 1; length <= 10'000; ++length) {
        const ForwardShape shape = choose_forward_shape(length);
        CHECK(shape.nodes() >= length);
        CHECK((shape.nodes_per_thread <= kMostForwardNodesPerThread || length > 4096));
    }
}

TEST_CASE("profiles whose margin is not proven are told apart") {
    Random random(22);
    const auto bounded = [](const ForwardProfile& profile) {
        const ForwardProfile* const pointer = &profile;
        return ForwardTables({&pointer, 1}).entries().front().bounded;
    };
    ForwardProfile profile = random_plan7(random, 90).profile;
    CHECK(bounded(profile));
    ForwardProfile changed = profile;
    changed.transitions.enter[40] = 0;
    CHECK(!bounded(changed));
    changed = profile;
    changed.match[5] = 1e-30f;
    CHECK(!bounded(changed));
    changed = profile;
    changed.match[5] = 0;  // impossible: nothing is lost
    CHECK(bounded(changed));
    changed = profile;
    changed.match[5] = INFINITY;
    CHECK(!bounded(changed));
}

// Stops of Forward, Backward and the later steps. tests/conformance checks that all back ends
// return the same.
#include "kernels/profile/forward_backward.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "libcore/base/random.h"
#include "tests/support/random_profile.h"
#include "tests/support/stopped_calls.h"
#include "tests/support/under_sanitizers.h"

namespace warpseq::testing {
namespace {

/// A profile and a target with domains of it, two for each size.
struct Giants {
    Random random{32};
    int nodes = fewer(1500, 500);
    ForwardProfile profile;
    Sequence target;
    std::size_t first_domain = 0;  // residues

    explicit Giants(std::size_t size = 1) {
        const ProfileHmm hmm = random_profile(random, nodes);
        profile = forward_odds(configure_plan7(hmm));
        for (std::size_t copy = 0; copy < 2 * size; ++copy) {
            const Sequence domain = emitted(random, hmm, 1, static_cast<std::size_t>(nodes));
            target.insert(target.end(), domain.begin(), domain.end());
            if (copy == 0) first_domain = target.size();
        }
    }
    ForwardTask task() const {
        ForwardTask made;
        made.target = target;
        made.length_model = LengthModel::multihit(target.size());
        return made;
    }
};

/// Calls `check` for the back ends that can be stopped, with the target whole and in blocks of
/// rows.
template <typename Check>
void for_each_kind(const Giants& giants, const Check& check) {
    for (const CpuBackend backend : runnable_cpu_backends()) {
        if (backend == CpuBackend::kReference) continue;  // which is for small tests and never stopped
        CAPTURE(std::string(cpu_backend_name(backend)));
        for (const std::size_t rows_per_block : {kRowsPerBlock, std::size_t{300}}) {
            CAPTURE(rows_per_block);
            const auto kernels = make_forward_backward(backend, giants.profile, rows_per_block);
            check(*kernels, *kernels->make_workspace());
        }
    }
}

}  // namespace

TEST_CASE("calls that are stopped end soon") {
    const Giants giants;
    for_each_kind(giants, [&](const ForwardBackward& kernels, ForwardBackward::Workspace& workspace) {
        std::optional<Giants> sized;
        ForwardTask task;
        CHECK(ends_soon([&](std::size_t size) {
            task = sized.emplace(size).task();
            return [&](const std::stop_token& stop) {
                workspace.stop = stop;
                ForwardTask* const tasks[] = {&task};
                kernels.forward(tasks, workspace);
            };
        }));
        CHECK(ends_soon([&](std::size_t size) {
            task = sized.emplace(size).task();
            ForwardTask* const tasks[] = {&task};
            workspace.stop = {};
            kernels.forward(tasks, workspace);
            return [&](const std::stop_token& stop) {
                workspace.stop = stop;
                ForwardTask copy = task, *const copies[] = {&copy};
                kernels.backward(copies, workspace);
            };
        }));
        CHECK(ends_soon([&](std::size_t size) {
            return [&, size](const std::stop_token& stop) {
                workspace.stop = stop;
                std::vector<EnvelopeTask> envelopes(size);
                std::vector<EnvelopeTask*> tasks;
                for (EnvelopeTask& envelope : envelopes) {
                    envelope.envelope = std::span(giants.target).first(giants.first_domain);
                    envelope.length_model = LengthModel::unihit(giants.target.size());
                    tasks.push_back(&envelope);
                }
                kernels.decode_envelopes(tasks, workspace);
                if (!stop.stop_requested()) CHECK(!envelopes.back().trace.empty());
            };
        }));
        CHECK(ends_soon([&](std::size_t size) {
            sized.emplace(size);
            return [&](const std::stop_token& stop) {
                workspace.stop = stop;
                RegionTask region, *const regions[] = {&region};
                region.region = sized->target;
                region.length_model = LengthModel::multihit(sized->target.size());
                region.samples = 1000;
                kernels.sample_regions(regions, workspace);
                if (!stop.stop_requested()) CHECK(region.domains.size() > 1000);
            };
        }));
    });
}

TEST_CASE("calls after a stop accept unfinished results, and do nothing") {
    const Giants giants;
    for_each_kind(giants, [&](const ForwardBackward& kernels, ForwardBackward::Workspace& workspace) {
        std::stop_source stop;
        stop.request_stop();
        for (const bool has_forward : {false, true}) {
            CAPTURE(has_forward);
            ForwardTask task = giants.task(), *const tasks[] = {&task};
            workspace.stop = {};
            if (has_forward) kernels.forward(tasks, workspace);
            workspace.stop = stop.get_token();
            kernels.forward(tasks, workspace);
            kernels.backward(tasks, workspace);
            int pieces = 0;
            kernels.read_special_states(task, workspace, [&](auto, auto) { ++pieces; });
            CHECK(pieces == 0);
        }
        // The workspace still works after that.
        ForwardTask task = giants.task(), *const tasks[] = {&task};
        workspace.stop = {};
        kernels.forward(tasks, workspace);
        kernels.backward(tasks, workspace);
        std::size_t rows = 0;
        kernels.read_special_states(task, workspace, [&](auto forward, auto) { rows += forward.size(); });
        CHECK(rows == giants.target.size() + 1);
        CHECK(task.in_range);
        CHECK(task.score_nats > 100);

        // The work is in pieces. After a stop is requested, the first piece is the last.
        std::stop_source later;
        workspace.stop = later.get_token();
        int pieces = 0;
        kernels.read_special_states(task, workspace, [&](auto, auto) { pieces += later.request_stop(); });
        CHECK(pieces == 1);
    });
}

}  // namespace warpseq::testing

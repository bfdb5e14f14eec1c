// Every Forward and Backward back end that this processor runs against the scalar reference, bit
// for bit; the reference against HMMER (values it computed), against Forward and Viterbi in double
// precision, and against what probabilities have to be.
#include "kernels/profile/forward_backward.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "libcore/base/random.h"
#include "tests/support/random_plan7.h"
#include "tests/support/under_sanitizers.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

using Target = std::vector<ResidueCode>;

// The results of the four calls for the same targets.
struct Results {
    std::vector<ForwardTask> scans;
    std::vector<EnvelopeTask> envelopes, with_subnormals;
    std::vector<RegionTask> regions;
};

template <typename Task>
std::vector<Task*> pointers(std::vector<Task>& tasks) {
    std::vector<Task*> all;
    for (Task& task : tasks) all.push_back(&task);
    return all;
}

Results run(const ForwardBackward& algorithm, ForwardBackward::Workspace& workspace, const std::vector<Target>& targets,
            int samples) {
    Results results;
    for (std::size_t x = 0; x < targets.size(); ++x) {
        ForwardTask scan;
        scan.target = targets[x];
        // These are repeats under a model of one domain, for which Backward needs scales of its
        // own.
        scan.length_model =
            x % 4 == 3 ? LengthModel::unihit(targets[x].size()) : LengthModel::multihit(targets[x].size());
        results.scans.push_back(scan);
        EnvelopeTask envelope;
        envelope.envelope = targets[x];
        envelope.length_model = LengthModel::unihit(targets[x].size() + 50 * (x % 3));
        envelope.wants_null2 = x % 5 != 4;
        envelope.wants_flanks = x % 3 != 2;
        results.envelopes.push_back(envelope);
        RegionTask region;
        region.region = targets[x];
        region.length_model = LengthModel::multihit(targets[x].size() + 20);
        region.seed = static_cast<std::uint32_t>(42 + x);
        region.samples = samples;
        results.regions.push_back(region);
    }
    algorithm.forward(pointers(results.scans), workspace);
    algorithm.backward(pointers(results.scans), workspace);
    results.with_subnormals = results.envelopes;
    algorithm.decode_envelopes(pointers(results.envelopes), workspace);
    workspace.keeps_subnormals = true;
    algorithm.decode_envelopes(pointers(results.with_subnormals), workspace);
    workspace.keeps_subnormals = false;
    algorithm.sample_regions(pointers(results.regions), workspace);
    return results;
}

bool same(float a, float b) { return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b); }

bool same(const SpecialStates& a, const SpecialStates& b) {
    const auto same_row = [](const SpecialStates::Row& x, const SpecialStates::Row& y) {
        return same(x.e, y.e) && same(x.n, y.n) && same(x.j, y.j) && same(x.b, y.b) && same(x.c, y.c) &&
               same(x.scale, y.scale);
    };
    return std::equal(a.rows.begin(), a.rows.end(), b.rows.begin(), b.rows.end(), same_row) &&
           a.own_scales == b.own_scales && same(a.log_scale_total, b.log_scale_total);
}

bool same(const TraceStep& a, const TraceStep& b) {
    return a.state == b.state && a.node == b.node && a.residue == b.residue && same(a.posterior, b.posterior);
}

void require_same(const EnvelopeTask& envelope, const EnvelopeTask& other_envelope) {
    REQUIRE(envelope.in_range == other_envelope.in_range);
    REQUIRE(same(envelope.forward_nats, other_envelope.forward_nats));
    REQUIRE(same(envelope.expected_accuracy, other_envelope.expected_accuracy));
    for (std::size_t code = 0; code < kResidueTableSize; ++code) {
        REQUIRE(same(envelope.null2_odds[code], other_envelope.null2_odds[code]));
    }
    REQUIRE(std::equal(envelope.trace.begin(), envelope.trace.end(), other_envelope.trace.begin(),
                       other_envelope.trace.end(), [](const TraceStep& a, const TraceStep& b) { return same(a, b); }));
    REQUIRE(std::equal(envelope.flank_posteriors.begin(), envelope.flank_posteriors.end(),
                       other_envelope.flank_posteriors.begin(), other_envelope.flank_posteriors.end(),
                       [](float a, float b) { return same(a, b); }));
}

void require_same(const Results& found, const Results& expected) {
    for (std::size_t x = 0; x < expected.scans.size(); ++x) {
        CAPTURE(x);
        const ForwardTask &scan = found.scans[x], &other_scan = expected.scans[x];
        REQUIRE(scan.in_range == other_scan.in_range);
        if (scan.in_range) {
            REQUIRE(same(scan.forward, other_scan.forward));
            REQUIRE(same(scan.score_nats, other_scan.score_nats));
            REQUIRE(same(scan.backward, other_scan.backward));
        }
        require_same(found.envelopes[x], expected.envelopes[x]);
        require_same(found.with_subnormals[x], expected.with_subnormals[x]);
        const RegionTask &region = found.regions[x], &other_region = expected.regions[x];
        REQUIRE(region.domains == other_region.domains);
        REQUIRE(std::equal(region.null2_ratio_sum.begin(), region.null2_ratio_sum.end(),
                           other_region.null2_ratio_sum.begin(), other_region.null2_ratio_sum.end(),
                           [](float a, float b) { return same(a, b); }));
    }
}

// Counts of the events that a table of cases must contain for equality to mean something.
struct Coverage {
    std::size_t rescaled = 0, own_scales = 0, out_of_range = 0, traces = 0, several_domains = 0;
};

Coverage check_all_back_ends(const std::vector<RandomPlan7>& profiles, const std::vector<std::vector<Target>>& targets,
                             int samples) {
    Coverage coverage;
    std::vector<Results> expected;
    for (std::size_t p = 0; p < profiles.size(); ++p) {
        const auto reference = make_forward_backward(CpuBackend::kReference, profiles[p].profile);
        expected.push_back(run(*reference, *reference->make_workspace(), targets[p], samples));
        for (const ForwardTask& scan : expected.back().scans) {
            coverage.rescaled += scan.forward.log_scale_total > 0;
            coverage.own_scales += scan.backward.own_scales && scan.in_range;
        }
        for (const EnvelopeTask& envelope : expected.back().envelopes) {
            coverage.out_of_range += !envelope.in_range;
            coverage.traces += !envelope.trace.empty();
        }
        for (const RegionTask& region : expected.back().regions) {
            coverage.several_domains += region.domains.size() > static_cast<std::size_t>(samples);
        }
    }
    for (const CpuBackend backend : runnable_cpu_backends()) {
        if (backend == CpuBackend::kReference) continue;
        CAPTURE(std::string(cpu_backend_name(backend)));
        std::unique_ptr<ForwardBackward::Workspace> workspace;  // one for all profiles
        for (std::size_t p = 0; p < profiles.size(); ++p) {
            CAPTURE(profiles[p].profile.length);
            const auto algorithm = make_forward_backward(backend, profiles[p].profile);
            CHECK(algorithm->preferred_tasks() > 0);
            if (!workspace) workspace = algorithm->make_workspace();
            require_same(run(*algorithm, *workspace, targets[p], samples), expected[p]);
        }
    }
    return coverage;
}

// Scores of Forward and of the best path in double precision. The values of a row are scaled by
// 2^-k whenever they get large.
struct GenericScores {
    double forward_nats = 0, viterbi_nats = 0;
};

GenericScores generic_scores(const ForwardProfile& profile, const Target& target, const LengthModel& length_model) {
    const auto nodes = static_cast<std::size_t>(profile.length);
    const Plan7Profile::Transitions& t = profile.transitions;
    GenericScores scores;
    for (const bool best : {false, true}) {
        const auto join = [best](double a, double b) { return best ? std::max(a, b) : a + b; };
        std::vector<double> match(nodes, 0), insert(nodes, 0), del(nodes, 0), last_match, last_insert, last_delete;
        double n = 1, j = 0, b = length_model.move, c = 0, log_total = 0;
        for (const ResidueCode code : target) {
            last_match = match;
            last_insert = insert;
            last_delete = del;
            double e = 0;
            for (std::size_t at = 0; at < nodes; ++at) {
                double sum = b * t.enter[at];
                if (at > 0) {
                    sum = join(sum, last_match[at - 1] * t.match_match[at]);
                    sum = join(sum, last_insert[at - 1] * t.insert_match[at]);
                    sum = join(sum, last_delete[at - 1] * t.delete_match[at]);
                    del[at] = join(match[at - 1] * t.match_delete[at - 1], del[at - 1] * t.delete_delete[at - 1]);
                }
                match[at] = sum * profile.match[code * nodes + at];
                insert[at] = join(last_match[at] * t.match_insert[at], last_insert[at] * t.insert_insert[at]);
                e = join(e, join(match[at], del[at]));
            }
            n *= length_model.loop;
            j = join(j * length_model.loop, e * length_model.end_loop);
            c = join(c * length_model.loop, e * length_model.end_move);
            b = join(j * length_model.move, n * length_model.move);
            if (e > 1e100) {
                for (auto* values : {&match, &insert, &del}) {
                    for (double& value : *values) value /= 1e100;
                }
                for (double* value : {&n, &j, &b, &c}) *value /= 1e100;
                log_total += std::log(1e100);
            }
        }
        (best ? scores.viterbi_nats : scores.forward_nats) = log_total + std::log(c * length_model.move);
    }
    return scores;
}

}  // namespace

TEST_CASE("Forward, Backward, decoding and sampling: every back end has the reference's bits, all lengths") {
    Random random(1);
    std::vector<RandomPlan7> profiles;
    std::vector<std::vector<Target>> targets;
    for (int length = 1; length <= 300; length += length < 40 || (length >= 96 && length < 104) ? 1 : 13) {
        profiles.push_back(random_plan7(random, length, length % 3 == 0));
        const RandomPlan7& plan7 = profiles.back();
        // One call: no multiple of a group, lengths mixed, the shortest first.
        std::vector<Target>& set = targets.emplace_back();
        set.push_back(random_residues(random, 1));
        set.push_back(Target(7, kCodeX));
        for (int x = 0; x < 5; ++x) set.push_back(random_residues(random, 2 + random.below(40)));
        set.push_back(planted_target(random, plan7, 1, 5));
        set.push_back(planted_target(random, plan7, length < 110 ? 3 : 2, 3));
        Target with_stops = planted_target(random, plan7, 1, 2);
        with_stops[with_stops.size() / 2] = kCodeStop;
        set.push_back(with_stops);
        set.push_back(plan7.consensus);
    }
    const Coverage coverage = check_all_back_ends(profiles, targets, 12);
    CHECK(coverage.rescaled > 100);
    CHECK(coverage.traces > 100);
    CHECK(coverage.several_domains > 20);
}

TEST_CASE("Forward, Backward, decoding and sampling: long models") {
    Random random(2);
    std::vector<RandomPlan7> profiles;
    std::vector<std::vector<Target>> targets;
    for (const int length : {401, 1142, 2400}) {
        profiles.push_back(random_plan7(random, length));
        Target part = profiles.back().consensus;
        part.resize(90);
        targets.push_back({random_residues(random, 30), part, random_residues(random, 33)});
    }
    CHECK(check_all_back_ends(profiles, targets, 3).rescaled >= 3);
}

TEST_CASE("Forward, Backward, decoding and sampling: repeats, own scales, numeric overflow") {
    Random random(3);
    std::vector<RandomPlan7> profiles;
    std::vector<std::vector<Target>> targets;
    for (const int length : {20, 64, 120}) {
        profiles.push_back(random_plan7(random, length));
        std::vector<Target>& set = targets.emplace_back();
        for (const std::size_t copies : {1u, 2u, 3u, 5u, 8u, 9u, 10u, 11u})
            set.push_back(planted_target(random, profiles.back(), copies, 0));
    }
    const Coverage coverage = check_all_back_ends(profiles, targets, 10);
    CHECK(coverage.own_scales > 0);
    CHECK(coverage.out_of_range > 0);
    CHECK(coverage.several_domains > 0);
}

TEST_CASE("Forward: nothing but stops is a range error, not a score") {
    Random random(4);
    const RandomPlan7 plan7 = random_plan7(random, 50);
    const Target stops(9, kCodeStop), plain = random_residues(random, 9);
    for (const CpuBackend backend : runnable_cpu_backends()) {
        const auto algorithm = make_forward_backward(backend, plan7.profile);
        const auto workspace = algorithm->make_workspace();
        const Results results = run(*algorithm, *workspace, {stops, plain}, 4);
        CHECK(!results.scans[0].in_range);
        CHECK(results.scans[1].in_range);
        CHECK(!results.envelopes[0].in_range);
        CHECK(results.envelopes[1].in_range);
        CHECK(results.regions[0].domains.empty());
        CHECK(results.regions[0].null2_ratio_sum == std::vector<float>(9, 4.0f));
        algorithm->forward({}, *workspace);
        algorithm->decode_envelopes({}, *workspace);
    }
}

TEST_CASE("a workspace that has freed large matrices still keeps subnormal numbers") {
    Random random(7);
    const RandomPlan7 plan7 = random_plan7(random, 1142);
    const Target large = random_residues(random, 4500);  // matrices of more than kOwnWorkspaceBytes
    std::vector<Target> small;
    for (int x = 0; x < 4; ++x) small.push_back(random_residues(random, 150));
    const auto decode = [](const ForwardBackward& algorithm, ForwardBackward::Workspace& workspace,
                           std::span<const Target> targets) {
        std::vector<EnvelopeTask> tasks(targets.size());
        for (std::size_t x = 0; x < targets.size(); ++x) {
            tasks[x].envelope = targets[x];
            tasks[x].length_model = LengthModel::unihit(targets[x].size());
        }
        algorithm.decode_envelopes(pointers(tasks), workspace);
        return tasks;
    };
    for (const CpuBackend backend : runnable_cpu_backends()) {
        CAPTURE(std::string(cpu_backend_name(backend)));
        const auto algorithm = make_forward_backward(backend, plan7.profile);
        const auto used = algorithm->make_workspace(), fresh = algorithm->make_workspace();
        used->keeps_subnormals = fresh->keeps_subnormals = true;
        decode(*algorithm, *used, std::span(&large, 1));
        CHECK(used->keeps_subnormals);
        const auto after = decode(*algorithm, *used, small), expected = decode(*algorithm, *fresh, small);
        for (std::size_t x = 0; x < small.size(); ++x) require_same(after[x], expected[x]);
    }
}

TEST_CASE("Forward against double precision, and against the best path") {
    Random random(5);
    for (int round = 0; round < 60; ++round) {
        const RandomPlan7 plan7 = random_plan7(random, static_cast<int>(1 + random.below(200)), round % 2 == 0);
        const std::vector<Target> targets = {random_residues(random, 1 + random.below(300)),
                                             planted_target(random, plan7, 1, 20),
                                             planted_target(random, plan7, 3, 10)};
        const auto algorithm = make_forward_backward(CpuBackend::kReference, plan7.profile);
        const Results results = run(*algorithm, *algorithm->make_workspace(), targets, 1);
        for (const ForwardTask& scan : results.scans) {
            REQUIRE(scan.in_range);
            const GenericScores generic =
                generic_scores(plan7.profile, {scan.target.begin(), scan.target.end()}, scan.length_model);
            // Each row rounds a handful of times, by 6e-8 each: errors add up to far less than this
            // per residue.
            const double tolerance = 1e-5 + 2e-6 * static_cast<double>(scan.target.size());
            CHECK(scan.score_nats == doctest::Approx(generic.forward_nats).epsilon(1e-6).scale(tolerance / 1e-6));
            CHECK(scan.score_nats >= generic.viterbi_nats - tolerance);
            // Backward's total is the same sum in the opposite order.
            const double backward_nats =
                scan.backward.log_scale_total + std::log(static_cast<double>(scan.backward.rows[0].n));
            CHECK(std::abs(backward_nats - scan.score_nats) < tolerance + 1e-5 * std::abs(backward_nats));
        }
    }
}

TEST_CASE("posterior probabilities and tracebacks are possible ones") {
    Random random(6);
    for (int round = 0; round < 40; ++round) {
        const RandomPlan7 plan7 = random_plan7(random, static_cast<int>(1 + random.below(120)));
        const std::vector<Target> targets = {planted_target(random, plan7, 1, 15), planted_target(random, plan7, 2, 9),
                                             random_residues(random, 40)};
        const auto algorithm = make_forward_backward(runnable_cpu_backends().back(), plan7.profile);
        const Results results = run(*algorithm, *algorithm->make_workspace(), targets, 30);
        for (const ForwardTask& scan : results.scans) {
            // A residue that N, J or C emits, or else one within a domain.
            REQUIRE(!scan.backward.own_scales);
            const float scale = 1.0f / scan.backward.rows[0].n;
            for (std::size_t i = 1; i <= scan.target.size(); ++i) {
                const SpecialStates::Row &above = scan.forward.rows[i - 1], &below = scan.backward.rows[i];
                const float outside =
                    (above.n * below.n + above.j * below.j + above.c * below.c) * scan.length_model.loop * scale;
                CHECK(outside >= 0);
                CHECK(outside <= 1.0001f);
            }
        }
        for (const std::size_t x : {0u, 2u}) {  // two copies are more than an envelope's model of one domain can do
            const EnvelopeTask& envelope = results.envelopes[x];
            REQUIRE(envelope.in_range);
            CHECK(envelope.expected_accuracy > 0);
            CHECK(static_cast<double>(envelope.expected_accuracy) <=
                  1.0001 * static_cast<double>(envelope.envelope.size()));
            REQUIRE(!envelope.trace.empty());
            CHECK(envelope.trace.front().state == TraceState::kMatch);
            CHECK(envelope.trace.back().state == TraceState::kMatch);
            for (std::size_t z = 0; z < envelope.trace.size(); ++z) {
                const TraceStep& step = envelope.trace[z];
                CHECK(step.node >= 1);
                CHECK(step.node <= plan7.profile.length);
                CHECK(step.residue >= 1);
                CHECK(step.residue <= static_cast<std::int64_t>(envelope.envelope.size()));
                CHECK(step.posterior >= 0);
                CHECK(step.posterior <= 1.0001f);
                if (z == 0) continue;
                const TraceStep& last = envelope.trace[z - 1];
                CHECK(step.node == last.node + (step.state == TraceState::kInsert ? 0 : 1));
                CHECK(step.residue == last.residue + (step.state == TraceState::kDelete ? 0 : 1));
            }
        }
        for (const RegionTask& region : results.regions) {
            CHECK(region.domains.size() >= 30);
            SampledDomain last{-1, 0, 0, 0, 0};
            for (const SampledDomain& domain : region.domains) {
                CHECK(domain.trace >= last.trace);
                CHECK(domain.trace < 30);
                CHECK(domain.residue_begin > (domain.trace == last.trace ? last.residue_end : 0));
                CHECK(domain.residue_end >= domain.residue_begin);
                CHECK(domain.residue_end <= static_cast<std::int32_t>(region.region.size()));
                CHECK(domain.node_begin >= 1);
                CHECK(domain.node_end >= domain.node_begin);
                CHECK(domain.node_end <= plan7.profile.length);
                last = domain;
            }
            for (const float ratio : region.null2_ratio_sum) CHECK(ratio > 0);
        }
    }
}

TEST_CASE("values that HMMER 3.3.2 computed for the same odds") {
    // The values come from HMMER's SSE implementation, compiled with -O2 -msse2, with subnormals
    // flushed as in hmmsearch. It was run once on these profiles and targets. It computed Forward's
    // and Backward's parsers, then an envelope and a region (200 tracebacks, seed 42).
    struct Golden {
        int length;
        std::size_t residues;
        float forward_nats, forward_log_scale, backward_n, backward_log_scale;
        bool envelope_in_range;
        float envelope_nats, expected_accuracy, null2_e, null2_b;
        std::size_t steps;
        float posterior_sum;
        std::size_t domains;
        std::int64_t domains_digest;
        float ratio_sum;
    };
    const std::array<Golden, 4> golden = {{
        {1, 39, -0x1.0f3724p+2f, 0x0p+0f, 0x1.d92cfcp-7f, 0x0p+0f, true, -0x1.0d0ebep+2f, 0x1.df40fcp+4f, 0x1.fbedep-1f,
         0x1.fbedep-1f, 1, 0x1.21ffbep-3f, 360, 177454, 0x1.e78p+12f},
        {13, 63, 0x1.24f3f6p+5f, 0x1.458894p+5f, 0x1.17143p-6f, 0x1.458894p+5f, true, 0x1.5cbf2ep+4f, 0x1.f69fa2p+5f,
         0x1.bd495cp-1f, 0x1.31b53cp+0f, 13, 0x1.9ac93ap+3f, 485, 284238, 0x1.259458p+14f},
        // These are two copies under a model of one domain. The traceback has the first of two
        // domains, with no probability.
        {64, 165, 0x1.66b938p+7f, 0x1.704d26p+7f, 0x1.10ace6p-7f, 0x1.704d24p+7f, true, 0x1.47fb66p+6f, 0x1.3805f6p+6f,
         0x1.e41bdep-2f, 0x1.e41bep-2f, 22, 0x0p+0f, 410, 845993, 0x1.39e524p+15f},
        {150, 327, 0x1.e47f7ap+8f, 0x1.e20bdap+8f, 0x1.73706p+3f, 0x1.e20bd8p+8f, false, 0, 0, 0, 0, 0, 0, 404, 890481,
         0x1.447c9ep+16f},
    }};
    for (const CpuBackend backend : runnable_cpu_backends()) {
        CAPTURE(std::string(cpu_backend_name(backend)));
        Random random(7);
        for (const Golden& expected : golden) {
            const RandomPlan7 plan7 = random_plan7(random, expected.length);
            Target target = planted_target(random, plan7, 2, 12);
            target[3] = kCodeStop;
            target[5] = kCodeB;
            REQUIRE(target.size() == expected.residues);
            ForwardTask scan;
            scan.target = target;
            scan.length_model = LengthModel::multihit(target.size());
            EnvelopeTask envelope;
            envelope.envelope = target;
            envelope.length_model = LengthModel::unihit(target.size());
            RegionTask region;
            region.region = target;
            region.length_model = LengthModel::multihit(target.size());
            ForwardTask* const scans[] = {&scan};
            EnvelopeTask* const envelopes[] = {&envelope};
            RegionTask* const regions[] = {&region};
            const auto algorithm = make_forward_backward(backend, plan7.profile);
            const auto workspace = algorithm->make_workspace();
            algorithm->forward(scans, *workspace);
            algorithm->backward(scans, *workspace);
            algorithm->decode_envelopes(envelopes, *workspace);
            algorithm->sample_regions(regions, *workspace);

            CHECK(same(scan.score_nats, expected.forward_nats));
            CHECK(same(scan.forward.log_scale_total, expected.forward_log_scale));
            CHECK(same(scan.backward.rows[0].n, expected.backward_n));
            CHECK(same(scan.backward.log_scale_total, expected.backward_log_scale));
            CHECK(envelope.in_range == expected.envelope_in_range);
            if (expected.envelope_in_range) {
                CHECK(same(envelope.forward_nats, expected.envelope_nats));
                CHECK(same(envelope.expected_accuracy, expected.expected_accuracy));
                CHECK(same(envelope.null2_odds[3], expected.null2_e));
                CHECK(same(envelope.null2_odds[kCodeB], expected.null2_b));
                CHECK(envelope.trace.size() == expected.steps);
                float posterior_sum = 0;
                for (const TraceStep& step : envelope.trace) posterior_sum += step.posterior;
                CHECK(same(posterior_sum, expected.posterior_sum));
            }
            CHECK(region.domains.size() == expected.domains);
            std::int64_t digest = 0;
            for (const SampledDomain& domain : region.domains) {
                digest = (digest * 31 + domain.residue_begin + 7 * domain.residue_end + 11 * domain.node_begin +
                          13 * domain.node_end + domain.trace) %
                         1000003;
            }
            CHECK(digest == expected.domains_digest);
            float ratio_sum = 0;
            for (const float ratio : region.null2_ratio_sum) ratio_sum += ratio;
            CHECK(same(ratio_sum, expected.ratio_sum));
        }
    }
}

TEST_CASE("blocks of rows give the special states of the whole target") {
    Random random(31);
    std::size_t rescaled = 0, own_scales = 0;
    for (const int length : {1, 7, 40, 100, 131}) {
        const RandomPlan7 plan7 = random_plan7(random, length);
        std::vector<Target> targets;
        for (const std::size_t residues :
             {1u, 31u, 32u, 33u, 63u, 64u, 65u, 96u, 97u, 32 * 8u, 32 * 8 + 1u, 32 * 17 - 1u, 2000u}) {
            Target target;
            while (target.size() < residues) {
                const Target more = planted_target(random, plan7, 3, 5);
                target.insert(target.end(), more.begin(), more.end());
            }
            target.resize(residues);
            targets.push_back(std::move(target));
        }
        const auto reference = make_forward_backward(CpuBackend::kReference, plan7.profile);
        const Results expected = run(*reference, *reference->make_workspace(), targets, 0);
        for (const ForwardTask& scan : expected.scans) {
            rescaled += scan.forward.log_scale_total > 0;
            own_scales += scan.in_range && scan.backward.own_scales;
        }
        for (const CpuBackend backend : runnable_cpu_backends()) {
            if (backend == CpuBackend::kReference) continue;
            for (const std::size_t rows_per_block : fewer<std::vector<std::size_t>>({1, 2, 5, 32, 64}, {2, 32})) {
                CAPTURE(length);
                CAPTURE(rows_per_block);
                CAPTURE(std::string(cpu_backend_name(backend)));
                const auto algorithm = make_forward_backward(backend, plan7.profile, rows_per_block);
                const auto workspace = algorithm->make_workspace();
                Results found = run(*algorithm, *workspace, targets, 0);
                for (ForwardTask& scan : found.scans) {
                    CAPTURE(scan.target.size());
                    const bool in_blocks = scan.target.size() > rows_per_block;
                    REQUIRE(scan.forward.rows.empty() == in_blocks);
                    REQUIRE(scan.backward.rows.empty() == in_blocks);
                    SpecialStates forward = scan.forward, backward = scan.backward;
                    forward.rows.clear();
                    backward.rows.clear();
                    algorithm->read_special_states(
                        scan, *workspace, [&](const auto& of_forward, const auto& of_backward) {
                            REQUIRE(of_forward.size() == of_backward.size());
                            REQUIRE((!in_blocks || of_forward.size() <= rows_per_block + 1));
                            forward.rows.insert(forward.rows.end(), of_forward.begin(), of_forward.end());
                            backward.rows.insert(backward.rows.end(), of_backward.begin(), of_backward.end());
                        });
                    REQUIRE(forward.rows.size() == scan.target.size() + 1);
                    scan.forward = std::move(forward);
                    scan.backward = std::move(backward);
                }
                require_same(found, expected);
            }
        }
    }
    CHECK(rescaled > 30);
    CHECK(own_scales > 3);
}

TEST_CASE("threads that share less memory than one of them needs all come to the same results") {
    Random random(5);
    const RandomPlan7 plan7 = random_plan7(random, 300);
    Target target;
    while (target.size() < 9000) {
        const Target more = planted_target(random, plan7, 1, 400);
        target.insert(target.end(), more.begin(), more.end());
    }
    // The matrix has three kinds of values.
    REQUIRE(target.size() * 300 * 3 * sizeof(float) > kOwnWorkspaceBytes / 2);
    const CpuBackend backend = runnable_cpu_backends().back();
    const auto algorithm = make_forward_backward(backend, plan7.profile);
    const Results expected = run(*algorithm, *algorithm->make_workspace(), {target, target}, 3);
    MemoryBudget budget(1);
    std::array<Results, 3> found;
    std::vector<std::thread> threads;
    for (Results& results : found) {
        threads.emplace_back([&] {
            const auto workspace = algorithm->make_workspace();
            workspace->budget = &budget;
            for (int round = 0; round < 2; ++round) results = run(*algorithm, *workspace, {target, target}, 3);
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (const Results& results : found) require_same(results, expected);
}

// The host's part of GPU searches, tested with fake GPUs made of the reference kernels. Reports
// must be the CPU path's, whatever the devices leave open, send in addition, or have no room for.
// No driver is called.
#include "engines/hmm/hmm_gpu_filter.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "engines/hmm/calibration.h"
#include "engines/hmm/hmm_search.h"
#include "engines/targets/share.h"
#include "kernels/profile/filter_verdict_gpu.h"
#include "kernels/profile/msv_filter.h"
#include "kernels/profile/viterbi_filter.h"
#include "reports/hmmer/hmm_tables.h"
#include "reports/hmmer/hmm_text_report.h"
#include "tests/support/make_database.h"
#include "tests/support/random_profile.h"
#include "tests/support/refused_threads.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/some_members.h"
#include "tests/support/under_sanitizers.h"
#include "tests/support/wait_until.h"

using namespace warpseq;
using namespace warpseq::testing;
using Mode = cuda::ProfileFilterBatch::Mode;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// The profiles of a ProfileFilterBatch for fake GPUs. Only a fake GPU follows the batch's pointer.
struct FakeBatch {
    struct Profile {
        std::unique_ptr<MsvFilter> msv;
        std::unique_ptr<ViterbiFilter> viterbi;
        std::unique_ptr<ForwardBackward> forward;
        BiasFilter bias;
        cuda::FilterThresholds thresholds;
    };
    std::vector<Profile> profiles;
    Mode mode;
};

struct FakeTargets final : cuda::DeviceTargets {
    std::vector<Sequence> sequences;
    std::uint64_t lanes() const override { return sequences.size(); }
};

/// The behaviour of the fake GPUs, and counts of their calls.
struct FakeMachine {
    double leaves_open = 0;  // share of the pairs that pass MSV and are left to the host
    double sends_more = 0;   // share of the pairs that Forward rejects and that are sent nevertheless
    int fails_after = -1;    // number of filter() calls before one fails; -1: none fails
    std::uint64_t free_bytes = std::uint64_t{8} << 30;
    std::atomic<int> calls = 0, uploads = 0, reuses = 0;
    std::atomic<bool> batches_throw = false;
    std::function<void(int number)> at_call = {};    // called first by each filter()
    std::atomic<std::size_t> most_profiles = 0;      // most profiles of a batch, which several threads make
    std::atomic<std::uint64_t> told_list_share = 0;  // the list share that a GPU was told last
    int workers = 0;                                 // number of workers created

    HmmGpus gpus();
};

class FakeGpu final : public cuda::ProfileFilterGpu {
   public:
    FakeGpu(FakeMachine& machine, std::uint64_t seed) : machine_(machine), random_(seed) {}

    void expect(std::uint64_t lanes, std::uint64_t list_share) override {
        expected_lanes_ = lanes;
        machine_.told_list_share = list_share;
    }

    Result<std::shared_ptr<cuda::DeviceTargets>> upload(std::span<const TileView> tiles,
                                                        std::shared_ptr<cuda::DeviceTargets> reuse,
                                                        const cuda::UploadSource& source) override {
        ++machine_.uploads;
        machine_.reuses += reuse != nullptr;
        if (source.meanwhile) WARPSEQ_TRY(source.meanwhile());
        auto targets = reuse ? std::static_pointer_cast<FakeTargets>(reuse) : std::make_shared<FakeTargets>();
        targets->sequences.clear();
        for (const TileView& tile : tiles) {
            for (std::uint32_t lane = 0; lane < tile.lanes(); ++lane) {
                Sequence& sequence = targets->sequences.emplace_back(tile.lengths_residues[lane]);
                unpack_lane(tile, lane, sequence.data());
            }
        }
        return std::shared_ptr<cuda::DeviceTargets>(std::move(targets));
    }

    Result<cuda::FilterOutcome> filter(const std::shared_ptr<const cuda::ProfileFilterBatch>& handle,
                                       const cuda::DeviceTargets& targets, std::span<const float> log_targets,
                                       bool counts_lanes) override {
        const int number = machine_.calls++;
        if (machine_.at_call) machine_.at_call(number);
        if (number == machine_.fails_after) return Status::unavailable("the fake GPU fails");
        const auto& batch = *reinterpret_cast<const FakeBatch*>(handle.get());
        const std::vector<Sequence>& sequences = static_cast<const FakeTargets&>(targets).sequences;
        CHECK(sequences.size() <= expected_lanes_);
        CHECK(log_targets.size() == (batch.mode == Mode::kMax ? sequences.size() : 0));
        candidates_.clear();
        counts_.assign(batch.profiles.size(), {});
        lane_counts_.assign(sequences.size(), {});
        for (std::uint32_t p = 0; p < batch.profiles.size(); ++p) {
            for (std::uint32_t lane = 0; lane < sequences.size(); ++lane) {
                if (sequences[lane].empty()) continue;
                if (batch.mode == Mode::kMax)
                    search(batch.profiles[p], sequences[lane], log_targets[lane], p, lane);
                else
                    filter(batch.profiles[p], batch.mode, sequences[lane], p, lane);
            }
        }
        milliseconds_.begun = milliseconds_.ended;
        milliseconds_.ended += 1;
        milliseconds_.ssv = 0.5;
        if (!counts_lanes) lane_counts_.clear();
        return cuda::FilterOutcome{candidates_, counts_, lane_counts_};
    }

    using Scores32 = Result<std::span<const std::uint32_t>>;
    using Scores16 = Result<std::span<const std::int16_t>>;
    using ScoresFloat = Result<std::span<const float>>;
    Scores32 score_ssv(const std::shared_ptr<const cuda::ProfileFilterBatch>&, const cuda::DeviceTargets&) override {
        return none();
    }
    Scores16 score_msv(const std::shared_ptr<const cuda::ProfileFilterBatch>&, const cuda::DeviceTargets&) override {
        return none();
    }
    Scores16 score_viterbi(const std::shared_ptr<const cuda::ProfileFilterBatch>&,
                           const cuda::DeviceTargets&) override {
        return none();
    }
    ScoresFloat score_forward(const std::shared_ptr<const cuda::ProfileFilterBatch>&,
                              const cuda::DeviceTargets&) override {
        return none();
    }
    const cuda::FilterMilliseconds& milliseconds() const override { return milliseconds_; }

   private:
    static Status none() { return Status::unavailable("single stages are not what a search asks for"); }

    static float forward_nats(const FakeBatch::Profile& profile, const Sequence& target) {
        ForwardTask task;
        task.target = target;
        task.length_model = LengthModel::multihit(target.size());
        ForwardTask* const tasks[] = {&task};
        profile.forward->forward(tasks, *profile.forward->make_workspace());
        return task.in_range ? task.score_nats : -kInfinity;
    }

    static std::int16_t msv_of(const FakeBatch::Profile& profile, const Sequence& target) {
        const std::uint64_t length = target.size();
        std::vector<std::uint32_t> words(tile_words(TileLayout::kLinear, length));
        pack_lane(target, words.data(), words.size(), 0, 1);
        const TileView tile{words, std::span(&length, 1), words_for(length), 0, TileLayout::kLinear};
        std::int16_t result = 0;
        profile.msv->score(std::span(&tile, 1), *profile.msv->make_workspace(), std::span(&result, 1));
        return result;
    }

    void filter(const FakeBatch::Profile& profile, Mode mode, const Sequence& target, std::uint32_t p,
                std::uint32_t lane) {
        const std::int16_t msv = msv_of(profile, target);
        const float null_nats = null1_score_nats(target.size());
        const float msv_nats = msv == kMsvOverflow ? kInfinity : MsvProfile::score_nats(msv, target.size());
        if (!(bits_of(msv_nats - null_nats) >= profile.thresholds.msv_bits)) return;
        ++counts_[p].passed_msv;
        ++lane_counts_[lane].passed_msv;
        if (random_.uniform() < machine_.leaves_open) {
            candidates_.push_back({p, lane, msv, false});
            return;
        }
        const float filter_nats = mode == Mode::kFilters ? profile.bias.score_nats(target) : null_nats;
        const float msv_bits = bits_of(msv_nats - filter_nats);
        if (!(msv_bits >= profile.thresholds.msv_bits)) return;
        ++counts_[p].passed_bias;
        ++lane_counts_[lane].passed_bias;
        if (!(msv_bits >= profile.thresholds.skip_viterbi_bits)) {
            const std::span<const ResidueCode> span(target);
            std::int16_t viterbi = 0;
            profile.viterbi->score(std::span(&span, 1), *profile.viterbi->make_workspace(), std::span(&viterbi, 1));
            const float nats =
                viterbi == kViterbiOverflow ? kInfinity : ViterbiProfile::score_nats(viterbi, target.size());
            if (!(bits_of(nats - filter_nats) >= profile.thresholds.viterbi_bits)) return;
        }
        ++counts_[p].passed_viterbi;
        ++lane_counts_[lane].passed_viterbi;
        const bool passes = bits_of(forward_nats(profile, target) - filter_nats) >= profile.thresholds.forward_bits;
        if (passes || random_.uniform() < machine_.sends_more) candidates_.push_back({p, lane, msv, true});
    }

    void search(const FakeBatch::Profile& profile, const Sequence& target, float log_targets, std::uint32_t p,
                std::uint32_t lane) {
        const float nats = forward_nats(profile, target);
        const float least =
            profile.thresholds.report_bits + profile.thresholds.report_bits_per_log_target * log_targets;
        const bool fails = std::isfinite(nats) && log_targets != -kInfinity && nats < cuda::kHighestNatsForBound &&
                           bits_of(nats - null1_score_nats(target.size())) < least - cuda::kMostBitsGained;
        if (!fails || random_.uniform() < machine_.sends_more)
            candidates_.push_back({p, lane, 0, random_.below(2) == 0});
    }

    FakeMachine& machine_;
    std::uint64_t expected_lanes_ = 0;
    Random random_;
    std::vector<cuda::FilterCandidate> candidates_;
    std::vector<cuda::FilterCounts> counts_, lane_counts_;
    cuda::FilterMilliseconds milliseconds_;
};

HmmGpus FakeMachine::gpus() {
    HmmGpus gpus;
    gpus.start_clock = [](int) { return Result(std::shared_ptr<const cuda::FilterClock>()); };
    gpus.create =
        [this](int ordinal, std::uint64_t,
               const std::shared_ptr<const cuda::FilterClock>&) -> Result<std::unique_ptr<cuda::ProfileFilterGpu>> {
        if (ordinal > 7) return Status::unavailable("no such fake GPU");
        ++workers;
        return std::unique_ptr<cuda::ProfileFilterGpu>(
            std::make_unique<FakeGpu>(*this, static_cast<std::uint64_t>(ordinal) + 1));
    };
    gpus.free_memory_bytes = [this](int) { return Result<std::uint64_t>(free_bytes); };
    gpus.make_batch = [this](std::span<const cuda::FilterProfile> profiles, Mode mode) {
        if (batches_throw) throw std::bad_alloc();
        auto batch = std::make_shared<FakeBatch>();
        batch->mode = mode;
        std::size_t most = most_profiles;
        while (most < profiles.size() && !most_profiles.compare_exchange_weak(most, profiles.size())) {
        }
        for (const cuda::FilterProfile& profile : profiles) {
            batch->profiles.push_back({make_msv_filter(CpuBackend::kPortable, std::span(profile.msv, 1)),
                                       make_viterbi_filter(CpuBackend::kPortable, *profile.viterbi),
                                       make_forward_backward(CpuBackend::kPortable, *profile.forward), *profile.bias,
                                       profile.thresholds});
        }
        const auto* const handle = reinterpret_cast<const cuda::ProfileFilterBatch*>(batch.get());
        return std::shared_ptr<const cuda::ProfileFilterBatch>(std::move(batch), handle);
    };
    gpus.workspace_bytes = [](std::uint64_t chunk_bytes, std::uint64_t lanes, std::uint64_t profiles,
                              std::uint64_t list_share) {
        return chunk_bytes + (8 + 56 / list_share) * lanes * profiles;
    };
    return gpus;
}

/// Profiles, and databases with members of their families among random sequences.
Observer observer;  // shared by all searches

struct Fixture {
    ScratchFolder folder;
    Random random{20};
    std::vector<ProfileHmm> profiles;
    DatabaseSet databases;

    Fixture() {
        for (const int length : {12, 30, 45, 70, 110}) {
            ProfileHmm hmm = random_profile(random, length);
            hmm.statistics = *calibrate(hmm, CpuBackend::kPortable);
            profiles.push_back(std::move(hmm));
        }
        make_database(folder.path("a.wsdb"), sequences("a", 300), {.codec = ResidueCodec::kPacked});
        make_database(folder.path("b.wsdb"), sequences("b", 200), {.codec = ResidueCodec::kZstd});
        make_database(folder.path("c.wsdb"), {{"void", {}}});
        auto set = DatabaseSet::open({folder.path("a.wsdb"), folder.path("c.wsdb"), folder.path("b.wsdb")});
        REQUIRE(set.ok());
        databases = *std::move(set);
    }

    std::vector<TestSequence> sequences(const std::string& prefix, std::size_t count) {
        std::vector<TestSequence> made;
        for (std::size_t i = 0; i < count; ++i) {
            TestSequence sequence{prefix + std::to_string(i) + " about number " + std::to_string(i), {}};
            if (i % 50 == 7) {
                sequence.residues.assign(i % 100 == 7 ? 20 : 0, kCodeStop);  // nothing but stops, or nothing
            } else {
                sequence.residues = random_protein(random, 1 + random.below(250));
                for (std::uint64_t copies = i % 6 == 0 ? 1 + random.below(3) : 0; copies > 0; --copies) {
                    const ProfileHmm& hmm = profiles[random.below(profiles.size())];
                    const auto last = static_cast<std::size_t>(hmm.length);
                    const Sequence domain = emitted(random, hmm, 1 + random.below(last / 2), last);
                    sequence.residues.insert(sequence.residues.end(), domain.begin(), domain.end());
                }
            }
            made.push_back(std::move(sequence));
        }
        return made;
    }
};

struct Run {
    HmmPipelineSettings pipeline;
    HmmThresholds thresholds;
    std::optional<double> targets_z;
    std::vector<int> ordinals = {0};
    std::uint64_t device_memory_bytes = 0, chunk_bytes = 0;
    std::size_t batches = 1;
    std::uint64_t shares = 0;  // number of shares that must also make up the whole
    std::optional<std::uint64_t> models_before = {};
    bool host_helps = false;
    std::optional<std::uint64_t> most_targets = {};
    bool refuses_threads = false;  // whether the system refuses threads once GPUs are open
};

struct RefusedThreads {
    explicit RefusedThreads(bool are_refused) { threads_are_refused = are_refused; }
    ~RefusedThreads() { threads_are_refused = false; }
    RefusedThreads(const RefusedThreads&) = delete;
    RefusedThreads& operator=(const RefusedThreads&) = delete;
};

/// Returns all printed output of a batch.
std::string text_of(HmmSearch& search, const HmmBatch& batch, HmmPartial partial, const Run& run) {
    HmmRun shown;
    shown.msv_pvalue = run.pipeline.f1;
    const auto reports = search.finish(batch, std::move(partial));
    REQUIRE(reports.ok());
    std::string text;
    for (std::size_t p = 0; p < batch.size(); ++p) {
        const HmmReport& report = (*reports)[p];
        const HmmQuery query(batch.profiles[p], batch.pipelines[p]->forward_profile());
        append_query_report(shown, HmmQueryKind::kProfile, query, report, text);
        append_target_table(query, report, true, text);
        append_domain_table(query, report, true, text);
    }
    return text;
}

std::string counts_of(const std::vector<HmmStageCounts>& all) {
    std::string text;
    for (const HmmStageCounts& counts : all) {
        for (const std::uint64_t passed :
             {counts.passed_msv, counts.passed_bias, counts.passed_viterbi, counts.passed_forward})
            text += std::to_string(passed) + " ";
    }
    return text;
}

struct Outcome {
    std::uint64_t hits = 0, passed_forward = 0;
    HmmGpuCounts counts;
};

/// Searches on the CPU and on fake GPUs and compares what is printed.
Outcome compare(const Fixture& fixture, const Run& run, FakeMachine& machine) {
    ThreadPool pool(2);
    HmmSearchSettings settings;
    settings.pipeline = run.pipeline;
    settings.targets_z = run.targets_z;
    settings.chunk_bytes = 10'000;
    HmmSearch search(fixture.databases, settings, pool);
    auto prepared =
        search.prepare(fixture.profiles, std::vector<HmmThresholds>(fixture.profiles.size(), run.thresholds));
    REQUIRE(prepared.ok());
    prepared->models_before = run.models_before;
    prepared->most_targets = run.most_targets;
    const HmmBatch& batch = *prepared;
    Progress progress;
    const TargetShare everything = whole_share(fixture.databases);
    auto expected = search.scan(batch, everything, progress);
    REQUIRE(expected.ok());

    Outcome outcome;
    for (const std::vector<HmmHit>& hits : expected->hits) outcome.hits += hits.size();
    for (const HmmStageCounts& counts : expected->counts) outcome.passed_forward += counts.passed_forward;
    const std::string expected_counts = counts_of(expected->sequence_counts);
    CHECK(expected_counts.empty() != run.models_before.has_value());
    const std::string expected_text = text_of(search, batch, *std::move(expected), run);

    HmmGpuSettings gpu;
    gpu.ordinals = run.ordinals;
    gpu.memory.bytes = run.device_memory_bytes;
    gpu.chunk_bytes = run.chunk_bytes;
    gpu.host_threads = 2;
    gpu.pipeline = run.pipeline;
    gpu.targets_z = run.targets_z;
    if (run.host_helps) gpu.speeds_with_help = {.cpu_cells_per_second = 1e15, .gpus_cells_per_second = 1e6};
    const auto filter = HmmGpuFilter::create(fixture.databases, gpu, machine.gpus());
    REQUIRE_MESSAGE(filter.ok(), filter.status().message());
    const RefusedThreads refused(run.refuses_threads);
    std::vector<std::future<Result<HmmFiltered>>> filtered;
    std::vector<HmmPartial> of_host(run.batches);
    std::atomic<int> helped = 0;
    if (run.host_helps) {
        // The GPUs must have their chunks. Then, after the calls for one chunk have ended, the
        // others wait for the host.
        CHECK((*filter)->submit(batch, everything, {observer}).get().ok());
        const int calls = machine.calls;
        const int of_chunk = calls / static_cast<int>((*filter)->counts().chunks);
        constexpr int kMostWorkers = 4;
        const int first_held = calls + kMostWorkers * (of_chunk - 1) + 1;
        machine.at_call = [&helped, first_held](int number) {
            if (number >= first_held) wait_until([&] { return helped > 0; });
        };
    }
    for (std::size_t i = 0; i < run.batches; ++i) {
        const auto help = [&, i](const TargetShare& share, Progress& units) -> Status {
            ++helped;
            auto found = search.scan(batch, share, units);
            if (!found.ok()) return found.status();
            of_host[i].add(*std::move(found));
            return {};
        };
        filtered.push_back((*filter)->submit(batch, everything, {observer}, {help, HmmScan::kUnits}));
    }
    for (std::size_t i = 0; i < run.batches; ++i) {
        auto result = filtered[i].get();
        REQUIRE_MESSAGE(result.ok(), result.status().message());
        auto found = search.scan(batch, *std::move(result));
        REQUIRE(found.ok());
        if (!of_host[i].hits.empty()) found->add(std::move(of_host[i]));
        CHECK(counts_of(found->sequence_counts) == expected_counts);
        const bool same = text_of(search, batch, *std::move(found), run) == expected_text;
        CHECK(same);
    }
    outcome.counts = (*filter)->counts();
    machine.at_call = {};
    if (run.shares == 0) return outcome;
    HmmPartial of_shares(batch.size());
    for (std::uint64_t part = run.shares; part-- > 0;) {
        auto result = (*filter)->submit(batch, dealt_share(fixture.databases, part, run.shares), {observer}).get();
        REQUIRE_MESSAGE(result.ok(), result.status().message());
        auto found = search.scan(batch, *std::move(result));
        REQUIRE(found.ok());
        of_shares.add(*std::move(found));
    }
    const bool shares_make_the_whole = text_of(search, batch, std::move(of_shares), run) == expected_text;
    CHECK(shares_make_the_whole);
    return outcome;
}

}  // namespace

TEST_CASE("a device's filters give the CPU's reports, whatever it leaves open") {
    const Fixture fixture;
    for (const bool bias_filter : {true, false}) {
        for (const double leaves_open : {0.0, 0.3, 1.0}) {
            Run run;
            run.pipeline.bias_filter = bias_filter;
            run.pipeline.f1 = 0.2;
            run.pipeline.f2 = 0.02;
            run.pipeline.f3 = 0.01;
            run.thresholds.evalue = 100;
            run.shares = 3;
            FakeMachine machine;
            machine.leaves_open = leaves_open;
            machine.sends_more = 0.3;
            const Outcome outcome = compare(fixture, run, machine);
            CHECK(outcome.hits > 100);
            CHECK(outcome.counts.survivors > outcome.passed_forward);
            CHECK((outcome.counts.open > 0) == (leaves_open > 0));
            CHECK((outcome.counts.open == outcome.counts.survivors) == (leaves_open == 1));
            CHECK(outcome.counts.busy_seconds > 0);
        }
    }
}

TEST_CASE("sequences that are not searched are neither found nor counted, with filters and without") {
    for (const std::uint64_t of_ten : {2U, 9U}) {
        for (const bool max : fewer<std::vector<bool>>({false, true}, {of_ten == 2})) {
            CAPTURE(max);
            Fixture fixture;
            fixture.databases.restrict_search(some_members(fixture.databases, of_ten));
            Run run;
            run.pipeline.max = max;
            run.pipeline.f1 = run.pipeline.f2 = run.pipeline.f3 = max ? 1 : 0.5;
            run.chunk_bytes = 3'000;
            run.shares = 3;
            FakeMachine machine;
            CHECK(compare(fixture, run, machine).hits > 5);
        }
    }
}

TEST_CASE("sequences as queries: passing pairs are counted by sequence, hits are kept by the models so far") {
    const Fixture fixture;
    for (const bool max : {false, true}) {
        for (const double evalue : fewer<std::vector<double>>({3, 100}, {max ? 3.0 : 100.0})) {
            Run run;
            run.pipeline.max = max;
            run.pipeline.bias_filter = !max;
            run.pipeline.f1 = run.pipeline.f2 = run.pipeline.f3 = max ? 1 : 0.3;
            run.thresholds.evalue = evalue;
            run.models_before = 7;
            FakeMachine machine;
            machine.leaves_open = 0.2;
            machine.sends_more = 0.1;
            CHECK(compare(fixture, run, machine).hits > 50);
        }
    }
}

TEST_CASE("probabilities that nothing or everything passes" * doctest::test_suite(kLaterUnderSanitizers)) {
    const Fixture fixture;
    using Thresholds = std::array<double, 3>;
    for (const Thresholds& f : {Thresholds{-1.0, 0.5, 0.5}, Thresholds{0.5, -1.0, 0.5}, Thresholds{0.5, 0.5, -1.0},
                                Thresholds{0.0, 0.5, 0.5}, Thresholds{0.5, 0.0, 0.5}, Thresholds{1.0, 1.0, 1.0}}) {
        CAPTURE(f[0]);
        CAPTURE(f[1]);
        CAPTURE(f[2]);
        Run run;
        run.pipeline.f1 = f[0];
        run.pipeline.f2 = f[1];
        run.pipeline.f3 = f[2];
        FakeMachine machine;
        machine.leaves_open = 0.2;
        const Outcome outcome = compare(fixture, run, machine);
        if (std::ranges::min(f) < 0) CHECK(outcome.hits == 0);
        if (f[0] == 1) CHECK(outcome.hits > 100);
    }
}

TEST_CASE("default filters, several batches in flight, several GPUs") {
    const Fixture fixture;
    Run run;
    run.ordinals = {0, 3};
    run.batches = 4;
    run.chunk_bytes = 1'600;
    FakeMachine machine;
    machine.leaves_open = 0.1;
    const Outcome outcome = compare(fixture, run, machine);
    CHECK(outcome.hits > 50);
    CHECK(outcome.counts.chunks > 4 * 10);
    CHECK(static_cast<std::uint64_t>(machine.calls) == outcome.counts.chunks);
    CHECK(machine.most_profiles == fixture.profiles.size());
    // Chunks stay on GPUs. Each GPU receives each chunk at most once.
    CHECK(static_cast<std::uint64_t>(machine.uploads) <= 2 * outcome.counts.chunks / 4);
    CHECK(machine.reuses == 0);
}

TEST_CASE("databases and batches larger than a device's memory stream in parts") {
    const Fixture fixture;
    Run run;
    run.batches = 2;
    run.chunk_bytes = 1'600;
    run.device_memory_bytes = 30'000;
    FakeMachine machine;
    machine.leaves_open = 0.2;
    const Outcome outcome = compare(fixture, run, machine);
    CHECK(outcome.hits > 50);
    CHECK(machine.told_list_share > 1);
    CHECK(machine.most_profiles < fixture.profiles.size());
    CHECK(static_cast<std::uint64_t>(machine.calls) > outcome.counts.chunks);
    CHECK(machine.reuses > 10);
    CHECK(outcome.counts.copies.bytes > fixture.databases.residue_count());
}

TEST_CASE("lists on a device are short where memory is short and the first filter leaves few pairs") {
    const Fixture fixture;
    Run run;
    run.chunk_bytes = 1'600;
    FakeMachine machine;
    CHECK(compare(fixture, run, machine).hits > 50);
    CHECK(machine.told_list_share == 1);
    run.device_memory_bytes = 30'000;
    compare(fixture, run, machine);
    CHECK(machine.told_list_share > 1);
    run.pipeline.f1 = 0.2;
    compare(fixture, run, machine);
    CHECK(machine.told_list_share == 1);
    run.pipeline.max = true;
    run.pipeline.f1 = run.pipeline.f2 = run.pipeline.f3 = 1;
    compare(fixture, run, machine);
    CHECK(machine.told_list_share == 1);
}

TEST_CASE("without filters a device needs Forward alone" * doctest::test_suite(kLaterUnderSanitizers)) {
    const Fixture fixture;
    Run run;
    run.pipeline.max = true;
    run.pipeline.f1 = run.pipeline.f2 = run.pipeline.f3 = 1;
    run.chunk_bytes = 20'000;
    run.shares = fewer(7, 2);
    FakeMachine machine;
    machine.sends_more = 0.05;
    SUBCASE("by E-value, of the targets so far") {
        run.thresholds.evalue = 1;
        CHECK(compare(fixture, run, machine).hits > 100);
    }
    SUBCASE("by E-value, of Z") {
        run.thresholds.evalue = 0.5;
        run.targets_z = 1e5;
        CHECK(compare(fixture, run, machine).hits > 50);
    }
    SUBCASE("by E-value, with a limit that everything passes") {
        run.thresholds.evalue = 1e9;
        CHECK(compare(fixture, run, machine).hits > 1000);
    }
    SUBCASE("by bits") {
        run.thresholds.by_evalue = run.thresholds.include_by_evalue = false;
        run.thresholds.bits = 9;
        CHECK(compare(fixture, run, machine).hits > 50);
    }
}

TEST_CASE("a host that helps changes nothing of what is printed and counted" *
          doctest::test_suite(kLaterUnderSanitizers)) {
    for (const bool max : {false, true}) {
        for (const bool by_sequence : fewer<std::vector<bool>>({false, true}, {max})) {
            CAPTURE(max);
            CAPTURE(by_sequence);
            Fixture fixture;
            if (max) fixture.databases.restrict_search(some_members(fixture.databases, 6));
            Run run;
            run.pipeline.max = max;
            run.pipeline.f1 = run.pipeline.f2 = run.pipeline.f3 = max ? 1 : 0.5;
            run.chunk_bytes = 1'500;
            run.batches = 2;
            run.host_helps = true;
            if (by_sequence) run.models_before = 7;
            FakeMachine machine;
            machine.leaves_open = 0.3;
            const Outcome outcome = compare(fixture, run, machine);
            CHECK(outcome.hits > 5);
            CHECK(outcome.counts.host.cells > 0);
            CHECK(outcome.counts.host.cells < outcome.counts.cells);
        }
    }
    // If only the best targets are scored, they are the best of host and GPU together.
    Fixture fixture;
    Run run;
    run.thresholds.evalue = 1000;
    run.pipeline.f1 = run.pipeline.f2 = run.pipeline.f3 = 0.5;
    run.chunk_bytes = 1'500;
    run.batches = 3;
    run.host_helps = true;
    run.most_targets = 3;
    FakeMachine machine;
    CHECK(compare(fixture, run, machine).counts.host.cells > 0);
}

TEST_CASE("if the system refuses a thread for the tables of profiles, they are made without it") {
    const Fixture fixture;
    Run run;
    run.batches = 3;
    run.chunk_bytes = 5'000;
    run.ordinals = {0, 1};
    run.refuses_threads = true;
    FakeMachine machine;
    CHECK(compare(fixture, run, machine).hits > 0);
}

TEST_CASE("a GPU has three workers where memory is ample, two where it is short, four for few targets") {
    const ScratchFolder folder;
    const std::vector<ResidueCode> some(1000, 0);
    make_database(folder.path("few.wsdb"), {{"few", some}});
    make_database(folder.path("many.wsdb"), std::vector<TestSequence>(kFewTargetResidues / 1000, {"many", some}));
    const auto workers = [&](const char* database, std::uint64_t memory_bytes) {
        const auto databases = DatabaseSet::open({folder.path(database)});
        REQUIRE(databases.ok());
        FakeMachine machine;
        machine.free_bytes = memory_bytes;
        HmmGpuSettings settings;
        settings.ordinals = {0, 1};
        REQUIRE(HmmGpuFilter::create(*databases, settings, machine.gpus()).ok());
        return machine.workers / 2;
    };
    CHECK(workers("many.wsdb", std::uint64_t{64} << 30) == 3);
    CHECK(workers("many.wsdb", std::uint64_t{4} << 30) == 2);
    CHECK(workers("few.wsdb", std::uint64_t{64} << 30) == 4);
}

TEST_CASE("a database without residues is searched") {
    const ScratchFolder folder;
    make_database(folder.path("empty.wsdb"), {{"void", {}}});
    const auto databases = DatabaseSet::open({folder.path("empty.wsdb")});
    REQUIRE(databases.ok());
    FakeMachine machine;
    HmmGpuSettings settings;
    settings.ordinals = {0};
    const auto filter = HmmGpuFilter::create(*databases, settings, machine.gpus());
    REQUIRE(filter.ok());
    ThreadPool pool(1);
    Random random(3);
    ProfileHmm hmm = random_profile(random, 20);
    hmm.statistics = HmmStatistics{-8, 0.7F, -9, 0.7F, -4, 0.7F};
    const auto batch = prepare_batch({hmm}, {HmmThresholds()}, {}, pool);
    REQUIRE(batch.ok());
    const auto filtered = (*filter)->submit(*batch, whole_share(*databases), {observer}).get();
    REQUIRE(filtered.ok());
    CHECK(filtered->survivors.empty());
    CHECK(filtered->counts.size() == 1);
}

TEST_CASE("a device's error is the batch's; a missing device cannot be opened; an abandoned search ends") {
    const Fixture fixture;
    ThreadPool pool(1);
    const auto prepared =
        prepare_batch(fixture.profiles, std::vector<HmmThresholds>(fixture.profiles.size()), {}, pool);
    REQUIRE(prepared.ok());
    const HmmBatch& batch = *prepared;
    const TargetShare everything = whole_share(fixture.databases);
    HmmGpuSettings settings;
    settings.chunk_bytes = 4'000;
    FakeMachine machine;
    settings.ordinals = {9};
    CHECK_FALSE(HmmGpuFilter::create(fixture.databases, settings, machine.gpus()).ok());

    settings.ordinals = {0, 1};
    machine.fails_after = 3;
    const auto filter = HmmGpuFilter::create(fixture.databases, settings, machine.gpus());
    REQUIRE(filter.ok());
    const auto failed = (*filter)->submit(batch, everything, {observer}).get();
    REQUIRE_FALSE(failed.ok());
    CHECK(failed.status().message() == "the fake GPU fails");
    CHECK((*filter)->submit(batch, everything, {observer}).get().ok());
    machine.batches_throw = true;
    const auto unmade = (*filter)->submit(batch, everything, {observer}).get();
    REQUIRE_FALSE(unmade.ok());
    CHECK(unmade.status().code() == StatusCode::kOutOfMemory);
    machine.batches_throw = false;
    const auto abandoned = (*filter)->submit(batch, everything, {observer});
}

TEST_CASE("thresholds of a search without filters") {
    Random random(5);
    ProfileHmm hmm = random_profile(random, 20);
    hmm.statistics = HmmStatistics{-8, 0.7F, -9, 0.7F, -4, 0.7F};
    HmmPipelineSettings settings;
    settings.max = true;
    const HmmPipeline pipeline(hmm, settings);
    HmmThresholds thresholds;
    thresholds.evalue = 0.1;
    const cuda::FilterThresholds by_evalue = filter_thresholds(pipeline, thresholds, true);
    for (const double z : {1.0, 17.0, 1e6}) {
        const double bits = static_cast<double>(by_evalue.report_bits) +
                            static_cast<double>(by_evalue.report_bits_per_log_target) * std::log(z);
        CHECK(std::exp(-0.7 * (bits + 4)) * z == doctest::Approx(0.1).epsilon(1e-4));
    }
    thresholds.by_evalue = false;
    thresholds.bits = 25;
    const cuda::FilterThresholds by_bits = filter_thresholds(pipeline, thresholds, true);
    CHECK(by_bits.report_bits == 25);
    CHECK(by_bits.report_bits_per_log_target == 0);
}

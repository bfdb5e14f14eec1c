// The host's part of a blastp search on GPUs, tested with fake GPUs. Their candidates give the hits
// of the CPU's screen, with and without seeds. Errors are returned, and nothing remains.
#include "engines/blastp/seed_gpu_scan.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "engines/blastp/blastp_gpu_screen.h"
#include "engines/blastp/blastp_screen.h"
#include "engines/blastp/blastp_search.h"
#include "engines/blastp/query_parts.h"
#include "kernels/seeds/word_hits.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/blastp_hits.h"
#include "tests/support/fake_gpus.h"
#include "tests/support/make_database.h"
#include "tests/support/random_proteins.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/some_members.h"
#include "tests/support/wait_until.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

using Candidates = std::vector<std::vector<Hit>>;

/// A fake GPU that searches with the CPU's word hit finders. It gets them in addition to the
/// tables, because these do not say where words may start.
class FakeSeedGpu final : public cuda::WordHitGpu {
   public:
    FakeSeedGpu(FakeMachine& machine, int ordinal, std::span<const BlastpQuery* const> parts, const bool& finds_all)
        : machine_(machine),
          gpu_(machine.gpus[static_cast<std::size_t>(ordinal)]),
          parts_(parts),
          finds_all_(finds_all) {}

    Result<std::shared_ptr<cuda::DeviceTargets>> upload(std::span<const TileView> tiles,
                                                        std::shared_ptr<cuda::DeviceTargets> reuse,
                                                        const cuda::UploadSource& source) override {
        return fake_upload(machine_, gpu_, tiles, std::move(reuse), source);
    }

    Result<std::span<const cuda::WordHitPair>> find(const std::shared_ptr<const cuda::WordHitTables>& tables,
                                                    const cuda::DeviceTargets& targets) override {
        WARPSEQ_TRY(machine_.begin_kernel(gpu_));
        const auto& on_gpu = static_cast<const FakeTargets&>(targets);
        if (&on_gpu.gpu != &gpu_) return Status::unavailable("these targets are on another GPU");
        if (tables->query_count() != parts_.size()) return Status::unavailable("other queries than expected");
        pairs_.clear();
        std::vector<UngappedAlignment> found;
        // Return the last target first, because the order is not specified.
        for (std::size_t lane = on_gpu.sequences.size(); lane-- > 0;) {
            for (std::size_t query = 0; query < parts_.size(); ++query) {
                if (!parts_[query]->finder) continue;
                parts_[query]->finder->find(on_gpu.sequences[lane], workspace_, found);
                if (!found.empty() || finds_all_)
                    pairs_.push_back({static_cast<std::uint32_t>(query), static_cast<std::uint32_t>(lane)});
            }
        }
        return std::span<const cuda::WordHitPair>(pairs_);
    }

    float kernel_milliseconds() const override { return 1; }

   private:
    FakeMachine& machine_;
    FakeMachine::Gpu& gpu_;
    std::span<const BlastpQuery* const> parts_;
    const bool& finds_all_;
    WordHitWorkspace workspace_;
    std::vector<cuda::WordHitPair> pairs_;
};

Observer observer;  // shared by all searches

struct Fixture {
    ScratchFolder folder;
    ScoringScheme scheme{*builtin_matrix("BLOSUM62"), {11, 1}};
    AlignmentStatistics statistics = *AlignmentStatistics::find(scheme);
    SearchSpace space;
    DatabaseSet databases;
    std::optional<BlastpParameters> parameters;
    std::vector<BlastpQuery> queries;
    std::vector<const BlastpQuery*> parts;
    std::vector<Query> scanned;
    SwGpuSettings settings;
    bool finds_all = false;       // whether the GPU also returns pairs without seeds
    bool waits_for_host = false;  // whether GPUs that keep their chunks wait for the host
    std::string expected;         // the CPU's hits

    explicit Fixture(int word_residues = 3) {
        Random random(61);
        std::vector<Sequence> residues = {{}, encode_residues("XXXXXXXXXX"), encode_residues("WC")};
        std::vector<TestSequence> a = {{"empty", {}}}, b;
        for (int family = 0; family < 6; ++family) {
            const Sequence ancestor = random_protein(random, 120 + random.below(60));
            residues.push_back(mutated(random, ancestor, 0.8));
            for (int member = 0; member < 6; ++member)
                (member % 2 == 0 ? a : b).push_back({"m", mutated(random, ancestor, 0.3 + 0.1 * member)});
        }
        for (int i = 0; i < 200; ++i)
            (i % 3 == 0 ? b : a).push_back({"r", random_protein(random, 1 + random.below(120))});
        // Sequences around the length from which pairs are not scored hold a member of a family.
        for (const std::uint64_t residues_in_all :
             {kMostScoredResidues, kMostScoredResidues + 1, std::uint64_t{30'000}}) {
            Sequence giant = random_protein(random, residues_in_all);
            std::ranges::copy(residues[5], giant.begin() + 2000);
            a.push_back({"giant", giant});
        }
        // One score does not fit into the GPU's 16 bits. There are enough residues for seeds to
        // pay.
        residues.push_back(random_protein(random, 600));
        a.push_back({"self", residues.back()});
        residues.push_back(random_protein(random, kLeastSeedResidues - 1000));
        make_database(folder.path("a.wsdb"), a);
        make_database(folder.path("b.wsdb"), b, {.codec = ResidueCodec::kZstd});
        make_database(folder.path("c.wsdb"), {{"void", {}}});
        databases = *DatabaseSet::open({folder.path("a.wsdb"), folder.path("c.wsdb"), folder.path("b.wsdb")});
        space.database_residues = databases.residue_count();
        parameters.emplace(
            BlastpParameters{scheme, statistics, WordRule::uncompressed(scheme.matrix, word_residues, 13)});
        parameters->window_residues = 40;
        for (const Sequence& query : residues) {
            const auto cut = parts_of_group(std::vector<std::uint64_t>{query.size()}).front();
            queries.push_back(make_blastp_query("q", query, {}, *parameters, space, cut));
        }
        parts = all_searched_parts(queries);
        scanned = scanned_parts(parts);
        settings.ordinals = {0};
        settings.chunk_bytes = 3'000;
        settings.host_threads = 2;

        set_expected();
        CHECK(expected.size() > 300);
    }

    /// Sets the CPU's hits as the expected ones.
    void set_expected() {
        ThreadPool pool(2);
        BlastpScreen screen(databases, *parameters, space, 1 << 20, pool);
        Progress progress;
        const auto candidates = screen.find_candidates(parts, scanned, whole_share(databases), progress);
        REQUIRE(candidates.ok());
        expected = hits_in(*candidates);
    }

    std::string hits_in(const Candidates& candidates) const {
        ThreadPool pool(1);
        BlastpSearch search(databases, *parameters, space, {}, pool);
        const auto hits = find_hits(search, queries, candidates);
        REQUIRE(hits.ok());
        return shown(*hits);
    }

    SeedGpus gpus(FakeMachine& machine) const {
        SeedGpus made;
        made.create = [this, &machine](int ordinal) -> Result<std::unique_ptr<cuda::WordHitGpu>> {
            if (const auto there = machine.free_bytes(ordinal); !there.ok()) return there.status();
            return std::unique_ptr<cuda::WordHitGpu>(std::make_unique<FakeSeedGpu>(machine, ordinal, parts, finds_all));
        };
        made.workspace_bytes = [](std::uint64_t chunk_bytes, std::uint64_t table_bytes) {
            return chunk_bytes + table_bytes;
        };
        made.bytes_per_lane = 16;
        made.scores = fake_sw_gpus(machine);
        return made;
    }

    std::unique_ptr<BlastpGpuScreen> open(FakeMachine& machine) const {
        return BlastpGpuScreen::create(databases, *parameters, space, settings, gpus(machine));
    }

    /// Compares the hits with the expected ones. The host helps if the settings say so.
    BlastpGpuCounts compare(FakeMachine& machine, int batches = 1) const {
        const auto screen = open(machine);
        ThreadPool pool(2);
        BlastpScreen host(databases, *parameters, space, 1 << 20, pool);
        std::deque<Candidates> of_host(static_cast<std::size_t>(batches), Candidates(parts.size()));
        std::vector<std::future<Result<Candidates>>> found;
        std::atomic<int> helped = 0;
        if (waits_for_host) {
            // The GPU must have its chunks. Then all kernels but the first wait for the host.
            CHECK(screen->submit(parts, scanned, whole_share(databases), {observer}, {}).get().ok());
            machine.at_kernel = [&helped, first = machine.kernels.load()](int number) {
                if (number > first) wait_until([&] { return helped > 0; });
            };
        }
        for (Candidates& kept : of_host) {
            const auto help = [&](const TargetShare& share, Progress& progress) -> Status {
                ++helped;
                auto more = host.find_candidates(parts, scanned, share, progress);
                if (!more.ok()) return more.status();
                for (std::size_t p = 0; p < kept.size(); ++p)
                    kept[p].insert(kept[p].end(), (*more)[p].begin(), (*more)[p].end());
                return {};
            };
            found.push_back(
                screen->submit(parts, scanned, whole_share(databases), {observer}, {help, BlastpScreen::kUnits}));
        }
        for (std::size_t i = 0; i < found.size(); ++i) {
            auto candidates = found[i].get();
            REQUIRE_MESSAGE(candidates.ok(), candidates.status().message());
            for (std::size_t p = 0; p < parts.size(); ++p)
                (*candidates)[p].insert((*candidates)[p].end(), of_host[i][p].begin(), of_host[i][p].end());
            const bool same = hits_in(*candidates) == expected;
            CHECK(same);
        }
        return screen->counts();
    }
};

}  // namespace

TEST_CASE("fake GPUs leave what gives the CPU's hits, for any chunks and threads") {
    Fixture fixture;
    for (const unsigned host_threads : {1U, 5U}) {
        for (const std::uint64_t chunk_bytes : {0U, 3'000U}) {
            fixture.settings.host_threads = host_threads;
            fixture.settings.chunk_bytes = chunk_bytes;
            FakeMachine machine;
            CHECK(fixture.compare(machine).seeded_pairs > 0);
            CHECK(machine.longest_gathered == kMostScoredResidues);
        }
    }
}

TEST_CASE("a host helps with scores, not with seeds; what they leave gives the same hits") {
    for (const int word_residues : {3, 5}) {  // the GPU's seeds do not take the second
        Fixture fixture(word_residues);
        fixture.settings.chunk_bytes = 1'000;
        fixture.settings.speeds_with_help = CellSpeeds{.cpu_cells_per_second = 1e15, .gpus_cells_per_second = 1e6};
        fixture.waits_for_host = word_residues == 5;
        FakeMachine machine;
        const BlastpGpuCounts counts = fixture.compare(machine, 2);
        CHECK((counts.host.cells > 0) == (word_residues == 5));
        CHECK(counts.host.cells < counts.cells);
    }
}

TEST_CASE("sequences that are not searched are neither counted nor found") {
    for (const std::uint64_t of_ten : {2U, 6U}) {
        CAPTURE(of_ten);
        Fixture fixture;
        fixture.finds_all = true;
        FakeMachine whole, machine;
        const std::uint64_t all = fixture.compare(whole).seeded_pairs;
        const std::string everything = fixture.expected;
        fixture.databases.restrict_search(some_members(fixture.databases, of_ten));
        fixture.set_expected();
        CHECK(!fixture.expected.empty());
        CHECK(fixture.expected.size() < everything.size());
        const std::uint64_t seeded = fixture.compare(machine).seeded_pairs;
        CHECK(seeded > all * (of_ten - 1) / 10 / 2);
        CHECK(seeded < all * (of_ten + 1) / 10 * 3 / 2);
        CHECK(seeded < all);
    }
}

TEST_CASE("a GPU that finds every pair: long lists") {
    Fixture fixture;
    FakeMachine machine;
    const std::uint64_t seeded = fixture.compare(machine).seeded_pairs;
    fixture.finds_all = true;
    FakeMachine all;
    CHECK(fixture.compare(all).seeded_pairs > 20 * seeded);
}

TEST_CASE("several batches in flight on several GPUs, one of them slow") {
    Fixture fixture;
    fixture.settings.ordinals = {0, 2};
    FakeMachine machine(3);
    machine.gpus[2].delay = std::chrono::milliseconds(10);
    fixture.compare(machine, 3);
    CHECK(machine.gpus[1].kernels == 0);
    CHECK(machine.gpus[0].used_bytes + machine.gpus[2].used_bytes == 0);
}

TEST_CASE("if one of two GPUs has no room for chunks that stay, none stay on either") {
    Fixture fixture;
    fixture.settings.ordinals = {0, 1};
    FakeMachine machine(2);
    machine.gpus[1].free_bytes = 0;
    fixture.compare(machine, 2);
    CHECK(machine.reuses > 3);
}

TEST_CASE("pairs are scored one by one where the seeds do not take a batch, or memory is short") {
    SUBCASE("words of five residues") {
        const Fixture fixture(5);
        FakeMachine machine;
        CHECK(fixture.compare(machine, 2).seeded_pairs == 0);
    }
    SUBCASE("a limit below a gigabyte") {
        Fixture fixture;
        fixture.settings.memory.bytes = 200'000;
        FakeMachine machine;
        CHECK(fixture.compare(machine, 2).seeded_pairs == 0);
    }
}

TEST_CASE("a GPU that fails, or memory that runs out, at any call: the batch's error, and the next batch is searched") {
    Fixture fixture;
    fixture.settings.ordinals = {0, 1};
    fixture.settings.chunk_bytes = 6'000;
    FakeMachine undisturbed(2);
    fixture.compare(undisturbed);
    const int kernels = undisturbed.kernels, uploads = undisturbed.uploads;
    REQUIRE(kernels > 20);
    const auto threads = thread_count();
    const auto disturb = [&](int FakeMachine::*place, int call) {
        CAPTURE(call);
        FakeMachine machine(2);
        machine.*place = call;
        const auto screen = fixture.open(machine);
        const auto failed =
            screen->submit(fixture.parts, fixture.scanned, whole_share(fixture.databases), {observer}).get();
        // The number of copies depends on which GPU takes which chunk.
        if (failed.ok()) {
            CHECK(call * 2 > uploads);
        } else if (place == &FakeMachine::failing_kernel || place == &FakeMachine::failing_upload) {
            CHECK(failed.status().message() == "the fake GPU fails");
        } else {
            CHECK(failed.status().code() == StatusCode::kOutOfMemory);
        }
        const auto found =
            screen->submit(fixture.parts, fixture.scanned, whole_share(fixture.databases), {observer}).get();
        REQUIRE(found.ok());
        const bool same = fixture.hits_in(*found) == fixture.expected;
        CHECK(same);
    };
    for (int call = 0; call < kernels; call += 17) {
        disturb(&FakeMachine::failing_kernel, call);
        disturb(&FakeMachine::throwing_kernel, call + 3);
    }
    for (int call = 1; call < uploads; call += 23) disturb(&FakeMachine::throwing_upload, call);
    CHECK(thread_count() == threads);
}

TEST_CASE("GPUs that are not there, a batch that finds no memory, a search that is given up") {
    Fixture fixture;
    const auto threads = thread_count();
    {
        FakeMachine machine(2);
        fixture.settings.ordinals = {0, 9};
        CHECK_FALSE(fixture.open(machine)
                        ->submit(fixture.parts, fixture.scanned, whole_share(fixture.databases), {observer})
                        .get()
                        .ok());
        fixture.settings.ordinals = {0, 1};
        machine.throwing_batch = 2;
        machine.gpus[0].delay = machine.gpus[1].delay = std::chrono::milliseconds(5);
        const auto screen = fixture.open(machine);
        const auto failed =
            screen->submit(fixture.parts, fixture.scanned, whole_share(fixture.databases), {observer}).get();
        REQUIRE_FALSE(failed.ok());
        CHECK(failed.status().code() == StatusCode::kOutOfMemory);
        CHECK(screen->submit(fixture.parts, fixture.scanned, whole_share(fixture.databases), {observer}).get().ok());
        const auto abandoned =
            screen->submit(fixture.parts, fixture.scanned, whole_share(fixture.databases), {observer});
    }
    CHECK(thread_count() == threads);
}

TEST_CASE("a chunk and a batch with more pairs than the kernel can count are an error that says what to do") {
    Fixture fixture;
    FakeMachine machine;
    const auto screen = fixture.open(machine);
    machine.gpus[0].claimed_lanes = std::uint64_t{1} << 31;
    const auto found =
        screen->submit(fixture.parts, fixture.scanned, whole_share(fixture.databases), {observer}, {}).get();
    REQUIRE_FALSE(found.ok());
    CHECK(found.status().advice() == Advice::kSmallerChunks);
    CHECK(found.status().message().find("more pairs than a GPU can count") != std::string::npos);
}

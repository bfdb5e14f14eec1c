// SwScanFixture: a Smith-Waterman search on fake GPUs, whose hits are compared with the CPU's.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engines/sw/sw_gpu_scan.h"
#include "engines/sw/sw_search.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/fake_gpus.h"
#include "tests/support/make_database.h"
#include "tests/support/random_proteins.h"
#include "tests/support/scratch_folder.h"

namespace warpseq::testing {

using Hits = std::vector<std::vector<Hit>>;

inline std::string shown(const Hits& hits) {
    std::string text;
    for (const auto& of_query : hits) {
        text += "query\n";
        for (const Hit& hit : of_query) {
            text += std::to_string(hit.evalue) + " " + std::to_string(hit.score_raw) + " " +
                    std::to_string(hit.database) + " " + std::to_string(hit.rank) + " " +
                    std::to_string(hit.input_position) + "\n";
        }
    }
    return text;
}

/// Three databases, one of them without residues. The others have families among random sequences.
struct SwScanFixture {
    ScratchFolder folder;
    ScoringScheme scheme{*builtin_matrix("BLOSUM62"), {11, 1}};
    std::optional<AlignmentStatistics> statistics = AlignmentStatistics::find(scheme);
    std::vector<Query> queries;
    DatabaseSet databases;
    SwGpuSettings settings;

    SwScanFixture() {
        Random random(33);
        queries.push_back({"nothing", {}});
        std::vector<TestSequence> a = {{"empty", {}}}, b;
        for (int family = 0; family < 3; ++family) {
            const Sequence ancestor = random_protein(random, 40 + random.below(60));
            queries.push_back({"q", mutated(random, ancestor, 0.8)});
            for (int member = 0; member < 5; ++member) {
                a.push_back({std::to_string(family), mutated(random, ancestor, 0.5)});
                b.push_back({std::to_string(family), mutated(random, ancestor, 0.7)});
            }
        }
        for (int i = 0; i < 300; ++i)
            (i % 3 == 0 ? b : a).push_back({"r", random_protein(random, 1 + random.below(90))});
        // This score does not fit into the 16 bits of the GPU.
        queries.push_back({"self", Sequence(200, encode_residues("W")[0])});
        a.push_back({"self", queries.back().residues});
        make_database(folder.path("a.wsdb"), a);
        make_database(folder.path("b.wsdb"), b, {.codec = ResidueCodec::kZstd});
        make_database(folder.path("c.wsdb"), {{"void", {}}});
        databases = *DatabaseSet::open({folder.path("a.wsdb"), folder.path("c.wsdb"), folder.path("b.wsdb")});
        settings.ordinals = {0};
        settings.chunk_bytes = 1'600;
        settings.host_threads = 2;
        settings.space.database_residues = databases.residue_count();
    }

    /// Returns the CPU's hits as text.
    std::string expected() const {
        ThreadPool pool(2);
        SwSearchSettings cpu;
        cpu.evalue = settings.evalue;
        cpu.max_hits = settings.max_hits;
        cpu.space = settings.space;
        SwSearch search(databases, scheme, statistics, cpu, pool);
        Progress progress;
        const auto hits = search.find_hits(queries, whole_share(databases), progress);
        REQUIRE_MESSAGE(hits.ok(), hits.status().message());
        return shown(*hits);
    }

    Result<std::unique_ptr<SwGpuScan>> open(FakeMachine& machine) const {
        return SwGpuScan::create(databases, scheme, statistics, settings, fake_sw_gpus(machine));
    }

    /// Searches with `batches` batches in flight at once, and checks that each has the CPU's hits.
    SwGpuCounts compare(FakeMachine& machine, int batches = 1) const {
        const auto scan = open(machine);
        REQUIRE_MESSAGE(scan.ok(), scan.status().message());
        Observer nobody;
        std::vector<std::future<Result<Hits>>> found;
        for (int i = 0; i < batches; ++i) found.push_back((*scan)->submit(queries, whole_share(databases), {nobody}));
        const std::string wanted = expected();
        CHECK(wanted.size() > 200);
        for (auto& future : found) {
            const auto hits = future.get();
            REQUIRE_MESSAGE(hits.ok(), hits.status().message());
            const bool same = shown(*hits) == wanted;
            CHECK(same);
        }
        return (*scan)->counts();
    }
};

}  // namespace warpseq::testing

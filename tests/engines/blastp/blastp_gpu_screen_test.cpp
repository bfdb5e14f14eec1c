// The GPU's screen. Its candidates give the same hits as the CPU's, in every way that the screen
// can run. Prints a note if there is no GPU.
#include "engines/blastp/blastp_gpu_screen.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "engines/blastp/blastp_screen.h"
#include "engines/blastp/blastp_search.h"
#include "engines/blastp/query_parts.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/blastp_hits.h"
#include "tests/support/gpu.h"
#include "tests/support/make_database.h"
#include "tests/support/random_proteins.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;

TEST_CASE("GPU and CPU leave what gives the same hits") {
    if (!have_gpu()) return;
    Random random(61);
    Observer observer;
    std::vector<Sequence> queries = {{}, encode_residues("XXXXXXXXXX"), encode_residues("WC")};
    std::vector<TestSequence> sequences = {{"empty", {}}};
    for (int family = 0; family < 8; ++family) {
        const Sequence ancestor = random_protein(random, 300 + random.below(300));
        queries.push_back(mutated(random, ancestor, 0.8));
        for (int member = 0; member < 8; ++member) {
            sequences.push_back({std::to_string(family) + "." + std::to_string(member),
                                 mutated(random, ancestor, 0.3 + 0.08 * member)});
        }
    }
    for (int i = 0; i < 200; ++i)
        sequences.push_back({"r" + std::to_string(i), random_protein(random, 1 + random.below(400))});
    // This score does not fit into the GPU's 16 bits.
    queries.push_back(random_protein(random, 900));
    sequences.push_back({"self", queries.back()});
    queries.push_back(random_protein(random, 20'000));
    const auto long_query = std::span(queries.back());
    for (const std::size_t begin : {std::size_t{500}, std::size_t{9'800}, std::size_t{15'000}})
        sequences.push_back({"l" + std::to_string(begin), mutated(random, long_query.subspan(begin, 300), 0.5)});
    ScratchFolder folder;
    make_database(folder.path("a.wsdb"), sequences);
    const auto databases = *DatabaseSet::open({folder.path("a.wsdb")});
    SearchSpace space;
    space.database_residues = databases.residue_count();
    const ScoringScheme scheme{*builtin_matrix("BLOSUM62"), {11, 1}};
    const std::optional<AlignmentStatistics> statistics = AlignmentStatistics::find(scheme);

    for (const int word_residues : {3, 5}) {  // the GPU's seeds do not take the second
        for (const std::uint32_t window : {0u, 40u}) {
            BlastpParameters parameters{scheme, *statistics, WordRule::uncompressed(scheme.matrix, word_residues, 13)};
            parameters.window_residues = window;
            std::vector<BlastpQuery> prepared;
            for (const Sequence& query : queries) {
                // A long one is searched in its parts.
                const auto cut = parts_of_group(std::vector<std::uint64_t>{query.size()}).front();
                prepared.push_back(make_blastp_query("q", query, {}, parameters, space, cut));
            }
            const auto parts = all_searched_parts(prepared);
            const auto scanned = scanned_parts(parts);
            CHECK(parts.size() > prepared.size());
            ThreadPool pool(2);
            BlastpSearch search(databases, parameters, space, {}, pool);
            BlastpScreen screen(databases, parameters, space, 1 << 20, pool);
            Progress progress;
            const auto expected = screen.find_candidates(parts, scanned, whole_share(databases), progress);
            REQUIRE(expected.ok());
            const std::string expected_hits = shown(*find_hits(search, prepared, *expected));
            CHECK(expected_hits.size() > 1000);
            for (const std::uint64_t chunk_bytes : {std::uint64_t{0}, std::uint64_t{4096}}) {
                SwGpuSettings settings;
                settings.ordinals = {0};
                settings.chunk_bytes = chunk_bytes;
                settings.host_threads = 2;
                const auto gpus =
                    BlastpGpuScreen::create(databases, parameters, space, settings, SeedGpus::of_this_machine());
                for (int batch = 0; batch < 2; ++batch) {
                    const auto candidates = gpus->submit(parts, scanned, whole_share(databases), {observer}).get();
                    REQUIRE_MESSAGE(candidates.ok(), candidates.status().message());
                    CHECK(shown(*find_hits(search, prepared, *candidates)) == expected_hits);
                }
                CHECK((gpus->counts().seeded_pairs > 0) == (word_residues == 3));
            }
        }
    }
}

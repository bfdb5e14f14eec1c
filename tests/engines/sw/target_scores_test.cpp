// Scores without hits: in memory and of databases they are those of the reference, in the order of
// the input.
#include "engines/sw/target_scores.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "kernels/smith_waterman/smith_waterman.h"
#include "libcore/base/random.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/make_database.h"
#include "tests/support/random_proteins.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/tile_builder.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

const ScoringScheme kScheme{builtin_matrix("BLOSUM62").value(), {11, 1}};

std::vector<std::span<const ResidueCode>> spans_of(const std::vector<Sequence>& sequences) {
    return {sequences.begin(), sequences.end()};
}

/// Returns the scores of the reference, which gets one sequence at a time.
std::vector<std::int32_t> expected_scores(const std::vector<Sequence>& queries, const std::vector<Sequence>& targets) {
    const auto scorer = make_smith_waterman_scorer(CpuBackend::kReference, spans_of(queries), kScheme);
    REQUIRE(scorer.ok());
    const auto workspace = (*scorer)->make_workspace();
    std::vector<std::int32_t> expected(queries.size() * targets.size());
    for (std::size_t t = 0; t < targets.size(); ++t) {
        TileBuilder tile;
        tile.add_linear(targets[t]);
        std::vector<std::int32_t> scores_raw(queries.size());
        (*scorer)->score(tile.views(), *workspace, scores_raw);
        for (std::size_t q = 0; q < queries.size(); ++q) expected[q * targets.size() + t] = scores_raw[q];
    }
    return expected;
}

/// Sequences of many lengths: relatives, empty ones, a long one, and scores beyond 8 and 16 bits.
struct Sample {
    std::vector<Sequence> queries, targets;
    Sample() {
        Random random(61);
        for (const std::size_t residues : {120u, 0u, 1u, 3500u}) queries.push_back(random_protein(random, residues));
        for (int t = 0; t < 150; ++t) targets.push_back(random_protein(random, random.below(90)));
        targets[3].clear();
        targets[20] = mutated(random, queries[0], 0.7);
        targets[90] = queries[3];
        targets[91] = random_protein(random, 2500);
    }
};

}  // namespace

TEST_CASE("scores of sequences in memory, with every back end and any number of threads") {
    const Sample sample;
    const std::vector<std::int32_t> expected = expected_scores(sample.queries, sample.targets);
    CHECK(expected[20] > 127);
    CHECK(expected[3 * sample.targets.size() + 90] > 16'000);
    for (const CpuBackend backend : runnable_cpu_backends()) {
        CAPTURE(std::string(cpu_backend_name(backend)));
        for (const unsigned threads : {1u, 3u}) {
            const ThreadPool pool(threads);
            std::vector<std::int32_t> scores_raw(expected.size(), -1);
            REQUIRE(
                score_sequences(spans_of(sample.queries), spans_of(sample.targets), kScheme, backend, pool, scores_raw)
                    .ok());
            CHECK(scores_raw == expected);
        }
    }
}

TEST_CASE("scores beyond 16 bits, few targets, and nothing to score") {
    const CpuBackend backend = runnable_cpu_backends().back();
    const ThreadPool pool(2);
    Random random(62);
    const std::vector<Sequence> one{random_protein(random, 7000)};
    std::int32_t score_raw = 0;
    REQUIRE(score_sequences(spans_of(one), spans_of(one), kScheme, backend, pool, {&score_raw, 1}).ok());
    CHECK(score_raw > 32'767);
    CHECK(score_raw == expected_scores(one, one).front());
    CHECK(score_sequences({}, spans_of(one), kScheme, backend, pool, {}).ok());
    CHECK(score_sequences(spans_of(one), {}, kScheme, backend, pool, {}).ok());
}

TEST_CASE("a stop ends the scoring") {
    const Sample sample;
    std::stop_source stop;
    stop.request_stop();
    const ThreadPool pool(2);
    std::vector<std::int32_t> scores_raw(sample.queries.size() * sample.targets.size());
    const Status status = score_sequences(spans_of(sample.queries), spans_of(sample.targets), kScheme,
                                          CpuBackend::kPortable, pool.with_stop(stop.get_token()), scores_raw);
    CHECK(status.code() == StatusCode::kInterrupted);
}

TEST_CASE("scores of several databases, in the order of their inputs") {
    const Sample sample;
    const ScratchFolder scratch;
    const auto write = [&](const std::string& name, std::size_t first, std::size_t count) {
        std::string text;
        for (std::size_t t = first; t < first + count; ++t)
            text += ">t" + std::to_string(t) + "\n" + decode_residues(sample.targets[t]) + "\n";
        return scratch.write(name, text);
    };
    SessionSettings settings;
    settings.database_files = {write("a.fa", 0, 70), write("b.fa", 70, 80)};
    settings.device.kind = DeviceRequest::Kind::kCpu;
    settings.threads = 2;
    const auto session = Session::open(settings);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    std::vector<Query> queries;
    for (const Sequence& residues : sample.queries) queries.push_back({"q", residues});
    Observer nobody;
    std::vector<std::int32_t> scores_raw(queries.size() * sample.targets.size(), -1);
    const Status status = score_databases(queries, **session, kScheme, {nobody}, scores_raw);
    REQUIRE_MESSAGE(status.ok(), status.message());
    CHECK(scores_raw == expected_scores(sample.queries, sample.targets));
}

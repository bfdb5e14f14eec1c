// Decisions of a session before any engine runs.
#include "engines/session.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engines/blastp/blastp_engine.h"
#include "engines/hmm/hmm_engine.h"
#include "engines/sw/sw_engine.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/scan_in_parts.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/small_session.h"

using namespace warpseq;

TEST_CASE("a session of small FASTA uses the CPU on every machine, unless there are many queries") {
    const testing::ScratchFolder folder;
    SessionSettings settings;
    settings.database_files = {folder.write("targets.fasta", ">a\nMKVLAWCDEF\n")};
    settings.threads = 1;
    const auto session = Session::open(settings);
    REQUIRE(session.ok());
    CHECK((*session)->gpus().empty());
    CHECK((*session)->device_note().empty());
    CHECK((*session)->databases().sequence_count() == 1);
}

namespace {

using namespace warpseq::testing;

/// Hits that engines find in a session, by query: a target's name, its score and its E-value.
using Found = std::vector<std::tuple<std::string, double, double>>;

Found found_in(const SmallSession& given, const Session& session, std::uint64_t parts) {
    Found found;
    Observer observer;
    const SearchControl control{observer};
    Random random(3);
    const auto sw = *SwEngine::create(session, {.scheme = {*builtin_matrix("BLOSUM62"), {11, 1}}, .evalue = 100});
    const auto sw_batch = *sw->prepare(given.queries);
    const auto sw_results = *sw->finish(sw_batch, scan_in_parts(*sw, session, sw_batch, parts, random), 0,
                                        sw_batch.queries.size(), {}, control);
    for (const auto& of_query : sw_results) {
        for (const ReportedHit& hit : of_query)
            found.emplace_back(hit.target_header, hit.hit.score_raw, hit.hit.evalue);
    }
    found.emplace_back("sw", 0, 0);
    const auto blastp =
        *BlastpEngine::create(session, {.scheme = {*builtin_matrix("BLOSUM62"), {11, 1}}, .evalue = 100});
    const auto blastp_batch = *blastp->prepare(given.blastp_queries(), control);
    const auto results =
        *blastp->finish(blastp_batch, scan_in_parts(*blastp, session, blastp_batch, parts, random), control);
    for (const BlastpQueryResult& result : results) {
        for (std::size_t h = 0; h < result.hits.size(); ++h) {
            for (const Hsp& hsp : result.hits[h].hsps) found.emplace_back(result.headers[h], hsp.score_raw, hsp.evalue);
        }
        found.emplace_back("space", static_cast<double>(result.effective_search_space), 0);
    }
    for (const bool max : {false, true}) {
        HmmSettings settings;
        settings.pipeline.max = max;
        const auto hmm = *HmmEngine::create(session, settings);
        const auto batch = *hmm->prepare(given.profiles, std::vector<HmmThresholds>(given.profiles.size()));
        const auto reports = *hmm->finish(batch, scan_in_parts(*hmm, session, batch, parts, random), control);
        for (const HmmReport& report : reports) {
            for (const HmmHit& hit : report.hits) found.emplace_back(hit.target_name, hit.score_bits, hit.log_pvalue);
            const HmmStageCounts& counts = report.counts;
            const std::uint64_t all_counts[] = {counts.targets,     counts.residues,       counts.passed_msv,
                                                counts.passed_bias, counts.passed_viterbi, counts.passed_forward};
            for (const std::uint64_t count : all_counts)
                found.emplace_back("count", static_cast<double>(count), report.targets_z);
        }
    }
    return found;
}

}  // namespace

TEST_CASE("removed and unlisted sequences have no effect: results are those of databases without them") {
    const SmallSession whole(2);
    Random random(17);
    for (const std::uint64_t keep_of_ten : {1U, 5U, 9U}) {
        CAPTURE(keep_of_ten);
        // Make databases of the sequences that are kept, in the order of the input.
        std::vector<std::vector<std::uint64_t>> removed(2);
        std::vector<TargetMembers> members;
        std::vector<std::filesystem::path> files;
        for (std::size_t d = 0; d < 2; ++d) {
            const WsdbReader& reader = whole.session->databases().reader(d);
            TargetMembers kept(reader.sequence_count());
            std::map<std::uint64_t, TestSequence> sequences;
            TileBuffer buffer;
            for (std::uint64_t rank = 0; rank < reader.sequence_count(); ++rank) {
                if (random.below(10) >= keep_of_ten) {
                    removed[d].push_back(rank);
                    continue;
                }
                kept.add(rank);
                sequences[reader.input_positions()[rank]] = {*reader.header(rank), *reader.residues(rank, buffer)};
            }
            std::vector<TestSequence> in_order;
            for (auto& [position, sequence] : sequences) in_order.push_back(std::move(sequence));
            files.push_back(whole.folder.path(std::to_string(d) + "." + std::to_string(keep_of_ten) + ".wsdb"));
            make_database(files.back(), in_order);
            members.push_back(std::move(kept));
        }
        SessionSettings settings = whole.session->settings();
        settings.database_files = files;
        const auto alone = *Session::open(settings);
        const Found expected = found_in(whole, *alone, 1);
        CHECK(expected.size() > 20);
        settings.database_files = whole.session->settings().database_files;
        for (const std::uint64_t parts : {1U, 4U}) {
            settings.choose_targets = [&](const DatabaseSet&, const ThreadPool&) { return members; };
            CHECK(found_in(whole, **Session::open(settings), parts) == expected);
        }
        settings.choose_targets = {};
        // Some sequences of a single database are removed, too.
        auto target =
            *open_target(settings.database_files[0], {}, whole.session->pool(), *std::make_unique<Observer>());
        target.removed_ranks = removed[0];
        const auto one = whole.session->with_database(settings.database_files[0], std::move(target));
        settings.database_files = {files[0]};
        CHECK(found_in(whole, *one, 1) == found_in(whole, **Session::open(settings), 3));
    }
}

// Sequences as queries of a search in models. The numbers are those of the opposite search,
// exchanged, for any batches of profiles.
#include "engines/hmm/hmm_sequence_reports.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engines/hmm/calibration.h"
#include "engines/hmm/hmm_engine.h"
#include "engines/hmm/hmm_model.h"
#include "engines/hmm/hmm_query_reader.h"
#include "engines/hmm/hmm_sequence_batch.h"
#include "engines/hmm/hmm_thresholds.h"
#include "formats/fasta/fasta.h"
#include "formats/profiles/pressed_profiles.h"
#include "tests/support/make_database.h"
#include "tests/support/random_profile.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/under_sanitizers.h"

namespace warpseq::testing {
namespace {

struct Fixture {
    ScratchFolder folder;
    std::vector<ProfileHmm> profiles;
    std::vector<Sequence> sequences;
    std::unique_ptr<Session> machine;

    Fixture() {
        Random random(7);
        for (const int length : {12, 40, 90, 33, 64}) {
            ProfileHmm hmm = random_profile(random, length);
            hmm.name = "p" + std::to_string(length);
            hmm.statistics = *calibrate(hmm, CpuBackend::kPortable);
            profiles.push_back(std::move(hmm));
        }
        std::string fasta;
        for (int i = 0; i < 60; ++i) {
            Sequence sequence = i == 7 ? Sequence() : random_protein(random, 20 + random.below(150));
            for (int copies = i % 3; copies > 0 && i != 7; --copies) {
                const ProfileHmm& hmm = profiles[random.below(profiles.size())];
                const Sequence domain = emitted(random, hmm, 1, static_cast<std::size_t>(hmm.length));
                sequence.insert(sequence.end(), domain.begin(), domain.end());
            }
            fasta += ">s" + std::to_string(i) + " number " + std::to_string(i) + "\n";
            for (const ResidueCode code : sequence) fasta += residue_letter(code);
            fasta += "\n";
            sequences.push_back(std::move(sequence));
        }
        folder.write("q.fasta", fasta);
        SessionSettings settings;
        settings.device.kind = DeviceRequest::Kind::kCpu;
        settings.threads = 2;
        machine = *Session::open(settings);
    }

    /// Returns the reports of all sequences against all profiles, in batches of these sizes.
    std::vector<HmmReport> scan(std::size_t sequences_at_once, std::size_t profiles_at_once) const {
        HmmSequenceReader reader(folder.path("q.fasta"), {.sequences = sequences_at_once});
        std::vector<HmmReport> all;
        Observer observer;
        for (;;) {
            const auto batch = reader.next_batch(*machine);
            REQUIRE(batch.ok());
            if (!*batch) return all;
            const auto engine = HmmEngine::create(*(*batch)->session, {});
            REQUIRE(engine.ok());
            HmmSequenceReports collected((*batch)->residues, {});
            for (std::size_t first = 0; first < profiles.size(); first += profiles_at_once) {
                const std::size_t end = std::min(profiles.size(), first + profiles_at_once);
                std::vector<ProfileHmm> some(profiles.begin() + static_cast<std::ptrdiff_t>(first),
                                             profiles.begin() + static_cast<std::ptrdiff_t>(end));
                std::vector<HmmThresholds> thresholds(some.size());
                auto prepared = (*engine)->prepare(std::move(some), std::move(thresholds));
                REQUIRE(prepared.ok());
                prepared->models_before = first;
                auto partial = (*engine)->scan(*prepared, whole_share((*batch)->session->databases()), {observer});
                REQUIRE(partial.ok());
                REQUIRE(collected.add(*prepared, *std::move(partial)).ok());
            }
            CHECK(collected.models() == profiles.size());
            auto reports = collected.finish(machine->pool());
            REQUIRE(reports.ok());
            for (HmmReport& report : *reports) all.push_back(std::move(report));
        }
    }

    void press() const {
        const auto file = folder.write("p.hmm", "the text is not read\n");
        auto presser = ProfilePresser::create(file);
        REQUIRE(presser.ok());
        for (const ProfileHmm& hmm : profiles) REQUIRE(presser->add(hmm).ok());
        REQUIRE(presser->finish().ok());
    }

    /// Returns the reports of all sequences against the pressed profiles.
    Result<std::vector<HmmReport>> scan_pressed(bool by_forms, std::size_t profiles_at_once) const {
        HmmSequenceReader reader(folder.path("q.fasta"), {});
        const auto batch = reader.next_batch(*machine);
        const auto engine = HmmEngine::create(*(*batch)->session, {});
        HmmSequenceReports collected((*batch)->residues, {});
        auto pressed = HmmQueryReader::open({.file = folder.path("p.hmm"), .by_forms = by_forms},
                                            {.profiles = profiles_at_once}, machine->pool());
        if (!pressed.ok()) return pressed.status();
        Observer observer;
        for (;;) {
            auto sources = pressed->next_sources();
            if (!sources.ok()) return sources.status();
            if (sources->empty()) break;
            std::vector<HmmThresholds> thresholds(sources->size());
            auto prepared = (*engine)->prepare_sources(*std::move(sources), std::move(thresholds));
            REQUIRE(prepared.ok());
            prepared->models_before = collected.models();
            auto partial = (*engine)->scan(*prepared, whole_share((*batch)->session->databases()), {observer});
            if (!partial.ok()) return partial.status();
            WARPSEQ_TRY(collected.add(*prepared, *std::move(partial)));
        }
        WARPSEQ_TRY(pressed->check());
        return collected.finish(machine->pool());
    }
};

std::string shown(const HmmReport& report) {
    std::string text = std::to_string(report.targets_z) + " " + std::to_string(report.domains_z) + " " +
                       std::to_string(report.counts.passed_msv) + " " + std::to_string(report.counts.passed_bias) +
                       " " + std::to_string(report.counts.passed_viterbi) + " " +
                       std::to_string(report.counts.passed_forward) + " " + std::to_string(report.counts.residues);
    for (const HmmHit& hit : report.hits) {
        text += "\n" + hit.target_name + " " + std::to_string(hit.score_bits) + " " +
                std::to_string(hit.domains.size()) + " " + std::to_string(hit.reported) + std::to_string(hit.included) +
                " " + std::to_string(hit.input_position);
    }
    return text;
}

TEST_CASE("the numbers are those of the search the other way round") {
    const Fixture fixture;
    const std::vector<HmmReport> reports = fixture.scan(1000, 2);
    REQUIRE(reports.size() == fixture.sequences.size());

    // The opposite search has profiles as queries, and a database of the same sequences.
    HmmSequenceReader reader(fixture.folder.path("q.fasta"), {});
    const auto batch = reader.next_batch(*fixture.machine);
    const auto engine = HmmEngine::create(*(*batch)->session, {});
    Observer observer;
    auto prepared = (*engine)->prepare(fixture.profiles, std::vector<HmmThresholds>(fixture.profiles.size()));
    const auto partial = (*engine)->scan(*prepared, whole_share((*batch)->session->databases()), {observer});
    REQUIRE(partial.ok());
    CHECK(partial->sequence_counts.empty());
    std::map<std::pair<std::uint64_t, std::string>, float> scores;
    for (std::size_t p = 0; p < fixture.profiles.size(); ++p) {
        for (const HmmHit& hit : partial->hits[p])
            scores[{hit.input_position, fixture.profiles[p].name}] = hit.score_bits;
    }
    std::size_t hits = 0, passed_msv = 0, passed_forward = 0;
    for (std::size_t s = 0; s < reports.size(); ++s) {
        const HmmReport& report = reports[s];
        CHECK(report.targets_z == 5);
        CHECK(report.counts.models == 5);
        CHECK(report.counts.nodes == 239);
        CHECK(report.counts.targets == 1);
        CHECK(report.counts.residues == fixture.sequences[s].size());
        CHECK(std::ranges::is_sorted(report.hits, printed_before));
        passed_msv += report.counts.passed_msv;
        passed_forward += report.counts.passed_forward;
        for (const HmmHit& hit : report.hits) {
            ++hits;
            REQUIRE(hit.model);
            CHECK(hit.model->name == hit.target_name);
            CHECK(hit.model->name == fixture.profiles[hit.input_position].name);
            CHECK(scores.at({s, hit.target_name}) == hit.score_bits);
        }
    }
    // There are fewer models than sequences, so E-values up to 10 keep everything.
    CHECK(hits == scores.size());
    CHECK(hits > 30);
    std::size_t of_profiles = 0, forward_of_profiles = 0;
    for (const HmmStageCounts& counts : partial->counts) {
        of_profiles += counts.passed_msv;
        forward_of_profiles += counts.passed_forward;
    }
    CHECK(passed_msv == of_profiles);
    CHECK(passed_forward == forward_of_profiles);
}

TEST_CASE("batches of sequences and of profiles change nothing") {
    const Fixture fixture;
    const auto whole = fixture.scan(1000, 1000);
    for (const auto& [sequences, profiles] : {std::pair<std::size_t, std::size_t>{1, 5}, {7, 1}, {60, 3}}) {
        const auto cut = fixture.scan(sequences, profiles);
        REQUIRE(cut.size() == whole.size());
        for (std::size_t s = 0; s < whole.size(); ++s) CHECK(shown(cut[s]) == shown(whole[s]));
    }
}

std::string shown(const std::vector<HmmReport>& reports) {
    std::string text;
    for (const HmmReport& report : reports) text += shown(report) + "\n";
    return text;
}

TEST_CASE("pressed profiles, by their forms or whole, are the same profiles") {
    const Fixture fixture;
    fixture.press();
    const std::string expected = shown(fixture.scan(1000, 1000));
    for (const bool by_forms : {true, false}) {
        for (const std::size_t profiles : {1U, 3U, 100U}) {
            const auto reports = fixture.scan_pressed(by_forms, profiles);
            REQUIRE(reports.ok());
            CHECK(shown(*reports) == expected);
        }
    }
}

TEST_CASE("a changed byte of pressed files is an error, or changes nothing") {
    const Fixture fixture;
    fixture.press();
    const PressedFiles files(fixture.folder.path("p.hmm"));
    const std::string expected = shown(*fixture.scan_pressed(true, 2));
    Random random(3);
    std::size_t errors = 0;
    for (const auto& file : {files.own, files.models}) {
        std::ifstream in(file, std::ios::binary);
        const std::string sound{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
        for (std::size_t round = 0; round < fewer<std::size_t>(120, 30); ++round) {
            std::string damaged = sound;
            // Headers are small.
            const std::size_t at = random.below(round % 2 == 0 ? 200 : sound.size());
            damaged[at] = static_cast<char>(damaged[at] ^ 1 << random.below(8));
            fixture.folder.write(file.filename().string(), damaged);
            CAPTURE(file.string());
            CAPTURE(at);
            const auto reports = fixture.scan_pressed(true, 2);
            if (reports.ok()) {
                CHECK(shown(*reports) == expected);
            } else {
                CHECK(reports.status().message().find("p.hmm") != std::string::npos);
                ++errors;
            }
        }
        fixture.folder.write(file.filename().string(), sound);
    }
    CHECK(errors > 20);
}

TEST_CASE("each hit is judged by its own model's thresholds") {
    HmmThresholds strict;
    strict.by_evalue = strict.domain_by_evalue = strict.include_by_evalue = strict.include_domain_by_evalue = false;
    HmmThresholds loose = strict;
    strict.bits = strict.include_bits = strict.domain_bits = strict.include_domain_bits = 50;
    HmmReport report;
    report.models_are_targets = true;
    report.counts.models = 2;
    report.thresholds = loose;
    for (const auto& [name, limits] : {std::pair("a", strict), std::pair("b", loose)}) {
        HmmModel model;
        model.name = name;
        model.thresholds = limits;
        HmmHit hit;
        hit.target_name = name;
        hit.model = std::make_shared<const HmmModel>(model);
        hit.score_bits = 20;
        hit.domains.resize(1);
        hit.domains[0].score_bits = 20;
        report.hits.push_back(std::move(hit));
    }
    finish_report(report);
    CHECK(report.targets_z == 2);
    CHECK(report.reported == 1);
    CHECK(report.domains_z == 1);
    CHECK_FALSE(report.hits[0].reported);
    CHECK(report.hits[1].reported);
    CHECK(report.hits[1].domains[0].included);
}

TEST_CASE("a partial of another batch is refused") {
    HmmSequenceReports collected({10, 20}, {});
    HmmBatch batch;
    batch.models_before = 1;
    HmmPartial partial;
    partial.sequence_counts.resize(2);
    CHECK_FALSE(collected.add(batch, partial).ok());
    batch.models_before = 0;
    CHECK(collected.add(batch, partial).ok());
    partial.sequence_counts.resize(1);
    CHECK_FALSE(collected.add(batch, partial).ok());
}

}  // namespace
}  // namespace warpseq::testing

#include "reports/hmmer/hmm_outputs.h"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>

#include "engines/hmm/hmm_thresholds.h"
#include "libcore/sequence/alphabet.h"
#include "tests/support/hmm_report_samples.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

std::string content(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::size_t occurrences(const std::string& text, std::string_view part) {
    std::size_t count = 0;
    for (auto place = text.find(part); place != std::string::npos; place = text.find(part, place + 1)) ++count;
    return count;
}

/// A profile that can be configured. Its odds decide on '+' in alignments.
ProfileHmm whole_profile() {
    ProfileHmm hmm = sample_profile();
    ProfileHmm::Residues even{};
    even.fill(0.05F);
    const auto nodes = static_cast<std::size_t>(hmm.length) + 1;
    hmm.match.assign(nodes, even);
    hmm.insert.assign(nodes, even);
    hmm.transitions.assign(nodes, {0.98F, 0.01F, 0.01F, 0.5F, 0.5F, 0.5F, 0.5F});
    return hmm;
}

Status add(HmmOutputs& outputs, const HmmReport& report, bool first) {
    const ProfileHmm hmm = whole_profile();
    return outputs.append(outputs.format(hmm, forward_odds(configure_plan7(hmm)), report, first));
}

HmmOutputFiles files_in(const ScratchFolder& folder) {
    return {folder.path("report"), folder.path("alignment"), folder.path("targets"), folder.path("domains"),
            folder.path("pfam")};
}

}  // namespace

TEST_CASE("all files appear at the end, each whole") {
    const ScratchFolder folder;
    const HmmRun run;
    HmmReport found = sample_report(), nothing;
    finish_report(found);
    finish_report(nothing);
    auto outputs = HmmOutputs::open(run, files_in(folder));
    REQUIRE(outputs.ok());
    outputs->begin(HmmQueryKind::kProfile, DatabaseSet());
    CHECK(add(*outputs, nothing, true).ok());
    CHECK(add(*outputs, found, false).ok());
    CHECK(add(*outputs, found, false).ok());
    for (const char* name : {"report", "alignment", "targets", "domains", "pfam"})
        CHECK_FALSE(std::filesystem::exists(folder.path(name)));
    REQUIRE(outputs->finish().ok());

    const std::string report = content(folder.path("report"));
    CHECK(report.starts_with("# search hmm :: "));
    CHECK(report.ends_with("//\n# Alignment of 3 hits satisfying inclusion thresholds saved to: " +
                           folder.path("alignment").string() + "\n[ok]\n"));
    CHECK(occurrences(report, "Query:       PF14604") == 3);
    CHECK(occurrences(report, "\n# No hits satisfy inclusion thresholds; no alignment saved\n") == 1);
    for (const char* name : {"targets", "domains"}) {
        const std::string table = content(folder.path(name));
        CHECK(table.starts_with("#    "));
        CHECK(occurrences(table, "# target name") == 1);
        CHECK(table.ends_with("# [ok]\n"));
    }
    CHECK(occurrences(content(folder.path("targets")), "\nO60861 ") == 2);
    CHECK(occurrences(content(folder.path("domains")), "\nA7HWS2 ") == 4);
    CHECK(occurrences(content(folder.path("pfam")), "# Sequence scores") == 3);
    CHECK(content(folder.path("pfam")).ends_with("# [ok]\n"));
    CHECK(occurrences(content(folder.path("alignment")), "# STOCKHOLM 1.0\n") == 2);
    CHECK(occurrences(content(folder.path("alignment")), "#=GF AU search hmm (warpseq ") == 2);
    CHECK(content(folder.path("alignment")).ends_with("//\n"));
}

TEST_CASE("a report that is not read is not made, but other requested outputs are") {
    const ScratchFolder folder;
    const HmmRun run;
    HmmReport found = sample_report();
    finish_report(found);
    const ProfileHmm hmm = whole_profile();
    const ForwardProfile odds = forward_odds(configure_plan7(hmm));
    std::filesystem::create_symlink("/dev/null", folder.path("link"));
    std::string table;
    for (const std::filesystem::path& report :
         {folder.path("report"), std::filesystem::path("/dev/null"), folder.path("link")}) {
        HmmOutputFiles files = files_in(folder);
        files.report = report;
        auto outputs = HmmOutputs::open(run, files);
        REQUIRE(outputs.ok());
        outputs->leave_out_unread_report();
        outputs->begin(HmmQueryKind::kProfile, DatabaseSet());
        const HmmOutputs::Text text = outputs->format(hmm, odds, found, true);
        CHECK((text.report.find("Query: ") != std::string::npos) == (report == folder.path("report")));
        if (table.empty()) table = text.targets;
        CHECK(text.targets == table);
        CHECK_FALSE(text.alignment.empty());
    }
}

TEST_CASE("outputs that are written elsewhere have the same text, for the requested files") {
    const ScratchFolder folder;
    const HmmRun run;
    HmmReport found = sample_report();
    finish_report(found);
    const ProfileHmm hmm = whole_profile();
    const ForwardProfile odds = forward_odds(configure_plan7(hmm));
    for (const bool all : {true, false}) {
        HmmOutputFiles files = files_in(folder);
        if (!all) files.alignment = files.domains = std::nullopt;
        auto opened = HmmOutputs::open(run, files);
        REQUIRE(opened.ok());
        opened->begin(HmmQueryKind::kProfile, DatabaseSet());
        auto elsewhere = HmmOutputs::elsewhere(run, files, make_hmm_text_format());
        elsewhere.begin(HmmQueryKind::kProfile, DatabaseSet());
        const HmmOutputs::Text there = opened->format(hmm, odds, found, true);
        const HmmOutputs::Text here = elsewhere.format(hmm, odds, found, true);
        CHECK(here.report == there.report);
        CHECK(here.alignment == there.alignment);
        CHECK(here.targets == there.targets);
        CHECK(here.domains == there.domains);
        CHECK(here.pfam == there.pfam);
        CHECK(here.targets.size() > 100);
        CHECK(here.domains.empty() == !all);
        CHECK(here.alignment.empty() == !all);
    }
}

TEST_CASE("without the end of a search nothing appears, and old files stay") {
    const ScratchFolder folder;
    const auto old = folder.write("targets", "old");
    const HmmRun run;
    {
        auto outputs = HmmOutputs::open(run, files_in(folder));
        REQUIRE(outputs.ok());
        outputs->begin(HmmQueryKind::kProfile, DatabaseSet());
        HmmReport found = sample_report();
        finish_report(found);
        CHECK(add(*outputs, found, true).ok());
    }
    CHECK(content(old) == "old");
    CHECK_FALSE(std::filesystem::exists(folder.path("report")));
}

TEST_CASE("a file that cannot be written is known before the search") {
    const ScratchFolder folder;
    HmmOutputFiles files = files_in(folder);
    files.pfam = folder.path("missing/pfam");
    const HmmRun run;
    const auto outputs = HmmOutputs::open(run, files);
    REQUIRE_FALSE(outputs.ok());
    CHECK(outputs.status().exit_status() == 1);
    CHECK(outputs.status().message().find("missing/pfam") != std::string::npos);
}

TEST_CASE("--notextw writes alignments in one block") {
    const ScratchFolder folder;
    HmmRun run;
    HmmReport report;
    report.counts.targets = 1;
    HmmHit hit = named_hit("long", 1e-30, 100, 0);
    hit.domains.resize(1);
    const std::string residues(400, 'w');
    set_alignment(hit.domains[0], 1, 1, "A" + std::string(398, '.') + "l", residues, std::string(400, '9'));
    hit.domains[0].log_pvalue = -50;
    report.hits.push_back(std::move(hit));
    finish_report(report);
    for (const int width : {120, 0}) {
        run.text_width = width;
        auto outputs = HmmOutputs::open(run, files_in(folder));
        REQUIRE(outputs.ok());
        outputs->begin(HmmQueryKind::kProfile, DatabaseSet());
        CHECK(add(*outputs, report, true).ok());
        REQUIRE(outputs->finish().ok());
        // There are 50 columns of nodes and 398 of inserts, with 200 columns in a block.
        CHECK(occurrences(content(folder.path("alignment")), "#=GC RF ") == (width == 0 ? 1 : 3));
    }
}

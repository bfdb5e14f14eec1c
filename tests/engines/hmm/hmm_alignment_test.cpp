#include "engines/hmm/hmm_alignment.h"

#include <doctest/doctest.h>

#include "engines/hmm/hmm_thresholds.h"
#include "formats/alignments/stockholm_writer.h"
#include "tests/support/hmm_report_samples.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

/// Returns a report with one hit for each domain. All are included.
HmmReport included(std::vector<HmmDomain> domains) {
    HmmReport report;
    report.counts.targets = 520;
    for (HmmDomain& domain : domains) {
        domain.log_pvalue = -50;
        HmmHit hit = named_hit(std::string(1, static_cast<char>('a' + report.hits.size())), 1e-9, 50, 0);
        hit.domains.push_back(std::move(domain));
        report.hits.push_back(std::move(hit));
    }
    finish_report(report);
    return report;
}

HmmDomain aligned(int node, std::string_view model, std::string_view residues, std::string_view posteriors) {
    HmmDomain domain;
    set_alignment(domain, node, 1, model, residues, posteriors);
    return domain;
}

}  // namespace

TEST_CASE("the sample's alignment is the one that hmmsearch -A writes") {
    HmmReport report = sample_report();
    report.hits[1].target_description.clear();
    finish_report(report);
    const auto alignment = align_domains(sample_profile(), report);
    REQUIRE(alignment);
    std::string text;
    append_stockholm(*alignment, 200, text);
    CHECK(text.substr(text.find("\n\n")) ==
          "\n\n"
          "#=GS O60861/24-58 DE [subseq from] O60861\n"
          "#=GS A7HWS2/5-17  DE [subseq from] A7HWS2\n"
          "#=GS A7HWS2/21-41 DE [subseq from] A7HWS2\n"
          "\n"
          "O60861/24-58         ---------------AAGELITLLQV-PDGGWWEGEKEDgLRGWFPASYVQ\n"
          "#=GR O60861/24-58 PP ...............78*********.6***********99********97\n"
          "A7HWS2/5-17          --------------IKKGDKVVILTGK------------.-----------\n"
          "#=GR A7HWS2/5-17  PP ..............89*******9984........................\n"
          "A7HWS2/21-41         ---------------KKGDVVAVFPK-ENKALVQGVN--.-----------\n"
          "#=GR A7HWS2/21-41 PP ...............79*********.6999999987..............\n"
          "#=GC PP_cons         ..............889********946999999999**.9********97\n"
          "#=GC RF              xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.xxxxxxxxxxx\n"
          "//\n");
}

TEST_CASE("every node has a column, and inserts as many as the longest; short ones are split to both sides") {
    const ProfileHmm hmm = named_profile("m", "acdef");
    const auto alignment =
        align_domains(hmm, included({aligned(1, "a.....c", "AkkkkkC", "99999*9"), aligned(1, "a..c", "AwyC", "9129"),
                                     aligned(1, "a...c", "AwyvC", "91239"), aligned(1, "a.cde", "AgC-E", "9599*"),
                                     aligned(2, "cd", "CD", "44")}));
    REQUIRE(alignment);
    CHECK(alignment->reference == "x.....xxxx");
    CHECK(alignment->rows[0].residues == "AkkkkkC---");
    CHECK(alignment->rows[0].posteriors == "99999*9...");
    CHECK(alignment->rows[1].residues == "Aw...yC---");
    CHECK(alignment->rows[1].posteriors == "91...29...");
    CHECK(alignment->rows[2].residues == "Aw..yvC---");
    CHECK(alignment->rows[2].posteriors == "91..239...");
    CHECK(alignment->rows[3].residues == "A....gC-E-");
    CHECK(alignment->rows[3].posteriors == "9....59.*.");
    CHECK(alignment->rows[4].residues == "-.....CD--");
    CHECK(alignment->rows[4].posteriors == "......44..");
    CHECK(alignment->posterior_consensus == "9.....84*.");
}

TEST_CASE("only included domains of included targets") {
    HmmReport report = sample_report();
    report.thresholds.include_domain_evalue = 1e-4;
    finish_report(report);
    const auto alignment = align_domains(sample_profile(), report);
    REQUIRE(alignment);
    REQUIRE(alignment->rows.size() == 2);
    CHECK(alignment->rows[0].name == "O60861/24-58");
    CHECK(alignment->rows[0].description == "[subseq from] Growth arrest-specific protein 7");
    CHECK(alignment->rows[1].name == "A7HWS2/21-41");
    report.thresholds.include_evalue = 1e-30;
    finish_report(report);
    CHECK_FALSE(align_domains(sample_profile(), report));
}

TEST_CASE("the alignment has the profile's name, accession and description") {
    ProfileHmm hmm = named_profile("m", "ac");
    hmm.accession = "PF1";
    hmm.description = "something";
    const auto alignment = align_domains(hmm, included({aligned(1, "ac", "AC", "99")}));
    REQUIRE(alignment);
    CHECK(alignment->name == "m");
    CHECK(alignment->accession == "PF1");
    CHECK(alignment->description == "something");
}

namespace {

AlignedSequence sequence(const std::string& name, std::string_view letters, std::vector<TraceStep> trace) {
    AlignedSequence made;
    made.name = name;
    made.residues = encode_residues(letters);
    made.trace = std::move(trace);
    return made;
}

TraceStep match(int node, std::int64_t residue) { return {TraceState::kMatch, node, residue, 0.9F}; }
TraceStep insert(int node, std::int64_t residue) { return {TraceState::kInsert, node, residue, 0.5F}; }
TraceStep del(int node, std::int64_t residue) { return {TraceState::kDelete, node, residue, 0}; }

std::vector<std::string> residues_of(const MultipleAlignment& alignment) {
    std::vector<std::string> rows;
    for (const MultipleAlignment::Row& row : alignment.rows) rows.push_back(row.residues);
    return rows;
}

}  // namespace

TEST_CASE("a sequence that leads the domains has its own name, no posterior letters and no part in their mean") {
    const ProfileHmm hmm = named_profile("m", "acdef");
    const AlignedSequence query = sequence("query", "ACDEF", matches_throughout(5));
    const auto alignment = align_domains(hmm, included({aligned(1, "a.c", "AwC", "919")}), {&query, 1});
    REQUIRE(alignment);
    CHECK(residues_of(*alignment) == std::vector<std::string>{"A.CDEF", "AwC---"});
    CHECK(alignment->rows[0].name == "query");
    CHECK(alignment->rows[0].posteriors.empty());
    CHECK(alignment->rows[1].posteriors == "919...");
    CHECK(alignment->posterior_consensus == "9.9...");
    const auto alone = align_domains(hmm, HmmReport(), {&query, 1});
    REQUIRE(alone);
    CHECK(residues_of(*alone) == std::vector<std::string>{"ACDEF"});
    CHECK(alone->posterior_consensus.empty());
    CHECK_FALSE(align_domains(hmm, HmmReport()));
}

TEST_CASE("whole sequences: residues before the first node are aligned right, those behind the last one left") {
    ProfileHmm hmm = named_profile("m", "acd");
    hmm.mask = "m.m";
    std::vector<AlignedSequence> sequences = {
        sequence("a", "WWWACDYY", {match(1, 4), match(2, 5), match(3, 6)}),
        sequence("b", "WAYYYYY", {match(1, 2)}),
        sequence("c", "CVVDY", {match(2, 1), insert(2, 2), insert(2, 3), match(3, 4)}),
        sequence("empty", "", {}),
    };
    for (AlignedSequence& s : sequences) {
        s.has_posteriors = true;
        s.flank_posteriors.assign(s.residues.size(), 0.7F);
    }
    const MultipleAlignment whole = align_sequences(hmm, sequences, false);
    CHECK(residues_of(whole) ==
          std::vector<std::string>{"wwwAC..Dyy...", "..wA-..-yyyyy", "...-CvvDy....", "...--..-....."});
    CHECK(whole.rows[1].posteriors == "..79....77777");
    CHECK(whole.rows[3].posteriors == ".............");
    CHECK(whole.posterior_consensus == "...99..9.....");
    CHECK(whole.reference == "...xx..x.....");
    CHECK(whole.mask == "...m.........");  // HMMER leaves the last node out
    const MultipleAlignment trimmed = align_sequences(hmm, sequences, true);
    CHECK(residues_of(trimmed) == std::vector<std::string>{"AC..D", "A-..-", "-CvvD", "--..-"});
    CHECK(trimmed.rows[1].posteriors == "9....");
}

TEST_CASE("rows of an alignment that a model was made of: inserts of any node, fragments") {
    const ProfileHmm hmm = named_profile("m", "acd");
    std::vector<AlignedSequence> sequences = {
        sequence("a", "WACVDY", {insert(0, 1), match(1, 2), match(2, 3), insert(2, 4), match(3, 5), insert(3, 6)}),
        sequence("b", "CD", {match(2, 1), match(3, 2)}),
        sequence("c", "AC", {match(1, 1), match(2, 2)}),
        sequence("d", "VD", {insert(2, 1), match(3, 2)}),
        sequence("e", "D", {del(1, 0), del(2, 0), match(3, 1)}),
        sequence("f", "ACVV", {match(1, 1), match(2, 2), insert(2, 3), insert(2, 4)}),
    };
    sequences[1].cut_before = sequences[3].cut_before = true;
    sequences[2].cut_behind = sequences[5].cut_behind = true;
    const MultipleAlignment alignment = align_sequences(hmm, sequences, false);
    CHECK(residues_of(alignment) ==
          std::vector<std::string>{"wAC.vDy", "~~C..D.", ".AC~~~~", "~~~.vD.", ".--..D.", ".ACvv~~"});
    CHECK(alignment.posterior_consensus.empty());
    CHECK(residues_of(align_sequences(hmm, sequences, true)) ==
          std::vector<std::string>{"AC.vD", "~C..D", "AC~~~", "~~.vD", "--..D", "ACvv~"});
    // In the last insert of a fragment, no residue moves.
    sequences[5] = sequence("f", "ACV", {match(1, 1), match(2, 2), insert(2, 3)});
    sequences[5].cut_behind = true;
    sequences[0] =
        sequence("a", "ACVVVD", {match(1, 1), match(2, 2), insert(2, 3), insert(2, 4), insert(2, 5), match(3, 6)});
    CHECK(residues_of(align_sequences(hmm, sequences, false)).back() == "ACv~~~");
}

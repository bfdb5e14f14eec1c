// Paths of rows through a model, and their counts.
#include "libcore/profile/profile_counts.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace warpseq {
namespace {

AlignedRows row_of(std::string_view residues) {
    MultipleAlignment alignment;
    alignment.rows.push_back({.name = "s", .residues = std::string(residues)});
    Result<AlignedRows> rows = AlignedRows::from(alignment);
    REQUIRE(rows.ok());
    return *std::move(rows);
}

/// A step as its state's letter, its node and its column.
std::string path_of(std::string_view residues, std::string_view reference) {
    RowTrace trace;
    trace_row(row_of(residues)[0], columns_by_reference(reference), trace);
    std::string path;
    for (const RowStep& step : trace) {
        constexpr std::string_view kLetters = "BMIDXE";
        if (!path.empty()) path += ' ';
        path += kLetters[static_cast<std::size_t>(step.state)];
        if (step.node != 0 || step.state == RowState::kInsert) path += std::to_string(step.node);
        if (step.column != 0) path += "@" + std::to_string(step.column);
    }
    return path;
}

TEST_CASE("paths of rows") {
    CHECK(path_of("AC-D", "xxxx") == "B M1@1 M2@2 D3 M4@4 E");
    CHECK(path_of("ACCD", "x..x") == "B M1@1 I1@2 I1@3 M2@4 E");
    CHECK(path_of("A--D", "x..x") == "B M1@1 M2@4 E");
    CHECK(path_of("aAa", ".x.") == "B I0@1 M1@2 I1@3 E");
    CHECK(path_of("*A*", ".xx") == "B I0@1 M1@2 M2@3 E");
    CHECK(path_of("~~A~", "x.xx") == "B X1 M2@3 X3 E");
    CHECK(path_of("~~~", "xxx") == "B X1 E");
    CHECK(path_of("---", "xxx") == "B D1 D2 D3 E");
}

TEST_CASE("an insert beside a delete moves into its node") {
    CHECK(path_of("A-cA", "xx.x") == "B M1@1 M2@3 M3@4 E");
    CHECK(path_of("Ac-A", "x.xx") == "B M1@1 M2@2 M3@4 E");
    CHECK(path_of("-c-", "x.x") == "B M1@2 D2 E");
    CHECK(path_of("-cc-", "x..x") == "B M1@2 M2@3 E");
    CHECK(path_of("c-c", ".x.") == "B M1@1 I1@3 E");
}

TEST_CASE("residues of a path") {
    RowTrace trace;
    trace_row(row_of("~aA-Ac")[0], columns_by_reference("x.xxx."), trace);
    CHECK(trace_of_residues(trace) == std::vector<TraceStep>{{TraceState::kInsert, 1, 1, 0},
                                                             {TraceState::kMatch, 2, 2, 0},
                                                             {TraceState::kDelete, 3, 2, 0},
                                                             {TraceState::kMatch, 4, 3, 0},
                                                             {TraceState::kInsert, 4, 4, 0}});
}

ProfileHmm counts_of(std::string_view residues, std::string_view reference, float weight = 1) {
    const AlignedRows rows = row_of(residues);
    const std::vector<bool> is_match = columns_by_reference(reference);
    RowTrace trace;
    trace_row(rows[0], is_match, trace);
    ProfileHmm counts = empty_counts(static_cast<int>(std::count(is_match.begin(), is_match.end(), true)));
    count_row(trace, rows[0], weight, counts);
    return counts;
}

TEST_CASE("counts of a row") {
    const ProfileHmm counts = counts_of("AcB-", "x.xx", 2);
    CHECK(counts.match[1][0] == 2);
    CHECK(counts.insert[1][kCodeC] == 2);
    CHECK(counts.match[2][2] == 1);   // B is half a D
    CHECK(counts.match[2][11] == 1);  // and half an N
    CHECK(counts.transitions[0] == ProfileHmm::Transitions{2, 0, 0, 0, 0, 0, 0});
    CHECK(counts.transitions[1] == ProfileHmm::Transitions{0, 2, 0, 2, 0, 0, 0});
    CHECK(counts.transitions[2] == ProfileHmm::Transitions{0, 0, 2, 0, 0, 0, 0});
    CHECK(counts.transitions[3] == ProfileHmm::Transitions{0, 0, 0, 0, 0, 2, 0});
}

TEST_CASE("a stop counts as a step of the path, but not as a residue") {
    const ProfileHmm counts = counts_of("*", "x");
    CHECK(counts.match[1] == ProfileHmm::Residues{});
    CHECK(counts.transitions[0][kMatchMatch] == 1);
    CHECK(counts.transitions[1][kMatchMatch] == 1);
}

TEST_CASE("a fragment counts only between its first and last match state") {
    const ProfileHmm counts = counts_of("~aACD~", "x.xxxx");
    CHECK(counts.insert[1] == ProfileHmm::Residues{});
    CHECK(counts.match[2][0] == 1);
    CHECK(counts.match[3][kCodeC] == 1);
    CHECK(counts.match[4] == ProfileHmm::Residues{});  // the last one is left out: that is HMMER's rule
    CHECK(counts.transitions[0] == ProfileHmm::Transitions{});
    CHECK(counts.transitions[2][kMatchMatch] == 1);
    CHECK(counts.transitions[3][kMatchMatch] == 1);
    CHECK(counts.transitions[4] == ProfileHmm::Transitions{});
}

TEST_CASE("columns that become nodes") {
    MultipleAlignment alignment;
    for (const char* const row : {"AA-~*", "A--AA", "--A~-"}) alignment.rows.push_back({.name = "s", .residues = row});
    const Result<AlignedRows> rows = AlignedRows::from(alignment);
    REQUIRE(rows.ok());
    const std::vector<double> even = {1, 1, 1}, uneven = {4, 1, 1};
    CHECK(columns_by_occupancy(*rows, even, 0.5f) == std::vector<bool>{true, false, false, true, true});
    CHECK(columns_by_occupancy(*rows, uneven, 0.5f) == std::vector<bool>{true, true, false, true, true});
    CHECK(columns_by_occupancy(*rows, even, 0) == std::vector<bool>{true, true, true, true, true});
    CHECK(columns_by_occupancy(*rows, even, 1) == std::vector<bool>{false, false, false, true, false});
    CHECK(columns_by_reference("x.-_~X") == std::vector<bool>{true, false, false, false, true, true});
}

}  // namespace
}  // namespace warpseq

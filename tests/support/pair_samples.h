// Inputs and results of `search pair`, for tests of the steps before and after the alignment.
#pragma once

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/base/version.h"
#include "reports/pair/pair_report.h"
#include "tests/support/scratch_folder.h"

namespace warpseq::testing {

inline std::vector<ResidueCode> pair_residues(Alphabet alphabet, std::string_view letters) {
    return alphabet == Alphabet::kNucleotide ? *encode_nucleotides(letters) : encode_residues(letters);
}

/// Returns an input with one pair of sequences.
inline PairInput one_pair(Alphabet alphabet, std::string_view query, std::string_view target) {
    PairInput input;
    input.alphabet = alphabet;
    input.queries.push_back({"query the first", pair_residues(alphabet, query)});
    input.targets.push_back({"target the second", pair_residues(alphabet, target)});
    input.listed.emplace_back(0, 0);
    return input;
}

/// Parses runs such as "12M3I". M is a pair, I a query residue alone, D a target residue alone.
inline std::vector<AlignmentRun> runs_of(std::string_view text) {
    std::vector<AlignmentRun> runs;
    std::uint64_t length = 0;
    for (const char letter : text) {
        if (letter >= '0' && letter <= '9') {
            length = 10 * length + static_cast<std::uint64_t>(letter - '0');
            continue;
        }
        runs.push_back({letter == 'M'   ? AlignmentOperation::kMatch
                        : letter == 'I' ? AlignmentOperation::kInsert
                                        : AlignmentOperation::kDelete,
                        length});
        length = 0;
    }
    return runs;
}

/// Returns the result of the only pair.
inline PairResult result_of(const PairInput& input, bool minus, std::uint64_t query_begin, std::uint64_t target_begin,
                            std::string_view runs, std::int64_t score_raw) {
    PairResult result;
    result.minus = minus;
    if (minus) result.reversed = reverse_complement(input.queries[0].residues);
    Alignment& alignment = result.alignment;
    alignment = {score_raw, query_begin, query_begin, target_begin, target_begin, runs_of(runs)};
    for (const AlignmentRun& run : alignment.runs) {
        if (run.operation != AlignmentOperation::kDelete) alignment.query_end += run.length;
        if (run.operation != AlignmentOperation::kInsert) alignment.target_end += run.length;
    }
    return result;
}

/// Returns the text that a writer makes of a run with these results. The program's version is
/// replaced by VERSION.
inline std::string report_of(const PairRun& run, std::string_view outfmt, const std::vector<PairResult>& results,
                             bool header = false) {
    const ScratchFolder scratch;
    const auto file = scratch.path("report");
    auto opened = ReportText::open(file);
    const auto writer = make_pair_report(outfmt, run.score_only, header);
    if (!opened.ok() || !writer.ok()) return "cannot write";
    ReportText& text = *opened;
    bool ok = (*writer)->begin(run, text).ok();
    for (const PairResult& result : results) ok = (*writer)->add(run, result, text).ok() && ok;
    ok = (*writer)->end(run, text).ok() && ok;
    ok = text.finish().ok() && ok;
    std::ifstream in(file, std::ios::binary);
    if (!ok) return "cannot write";
    std::string report(std::istreambuf_iterator<char>(in), {});
    const std::string_view version = program_version();
    for (std::size_t at = report.find(version); at != std::string::npos; at = report.find(version, at)) {
        report.replace(at, version.size(), "VERSION");
    }
    return report;
}

}  // namespace warpseq::testing

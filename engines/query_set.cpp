#include "engines/query_set.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace warpseq {
namespace {

/// Cuts the record to the range. Returns false if the record ends before the range.
bool keep_range(const ResidueRange& range, FastaRecord& record) {
    if (record.residues.size() < range.begin || range.end <= range.begin) return false;
    const auto position = [&](std::uint64_t residue) {
        return record.residues.begin() + static_cast<std::ptrdiff_t>(residue);
    };
    if (range.end < record.residues.size()) record.residues.erase(position(range.end), record.residues.end());
    record.residues.erase(record.residues.begin(), position(range.begin));
    std::vector<ResidueRange> lower_case;
    for (const ResidueRange& stretch : record.lower_case) {
        const std::uint64_t begin = std::max(stretch.begin, range.begin), end = std::min(stretch.end, range.end);
        if (begin < end) lower_case.push_back({begin - range.begin, end - range.begin});
    }
    record.lower_case = std::move(lower_case);
    return true;
}

}  // namespace

QueryReader::QueryReader(const std::filesystem::path& file, QueryBatchLimits limits, FastaOptions options)
    : file_(file), limits_(limits), reader_({file}, std::move(options)) {}

Result<std::vector<Query>> QueryReader::next_batch() {
    std::vector<Query> batch;
    std::uint64_t residues = 0;
    FastaRecord record;
    while (!finished_ && batch.size() < limits_.queries && residues < limits_.residues) {
        const auto more = reader_.next(record);
        if (!more.ok()) return more.status();
        if (!*more) {
            finished_ = true;
            if (range_ && taken_ == 0 && batch.empty())
                return Status::invalid_input(file_.string() + ": no sequence reaches residue " +
                                             std::to_string(range_->begin + 1) + ", where the range begins")
                    .with(Advice::kQueryRange);
            break;
        }
        ++records_;
        nucleotides_.add(record.residues);
        const std::uint64_t whole_residues = record.residues.size();
        if (range_ && !keep_range(*range_, record)) continue;
        ++taken_;
        residues += record.residues.size();
        batch.push_back({.header = std::string(header_without_trailing_blanks(record.header)),
                         .residues = std::move(record.residues),
                         .lower_case = std::move(record.lower_case),
                         .number = records_,
                         .whole_residues = whole_residues});
        record = {};
    }
    return batch;
}

std::vector<std::string> QueryReader::warnings() const {
    std::vector<std::string> warnings;
    const FastaCounts& counts = reader_.counts();
    const auto warn = [&](std::uint64_t count, const std::string& what) {
        if (count > 0) warnings.push_back(file_.string() + ": " + std::to_string(count) + " " + what);
    };
    warn(counts.gaps_removed, "gap characters ('-' or '.') removed from queries");
    warn(counts.empty_sequences, "queries without residues; they have no hits");
    warn(counts.unnamed, "queries without a name were given one (unnamed_N)");
    auto nucleotides = nucleotides_;
    if (const auto answer = nucleotides.take_answer(file_.string())) warnings.push_back(*answer);
    return warnings;
}

}  // namespace warpseq

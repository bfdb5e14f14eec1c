#include "engines/query_set.h"

#include <utility>

namespace warpseq {

QueryReader::QueryReader(const std::filesystem::path& file, QueryBatchLimits limits, bool find_lower_case)
    : file_(file), limits_(limits), reader_({file}, {.on_invalid_record = {}, .find_lower_case = find_lower_case}) {}

Result<std::vector<Query>> QueryReader::next_batch() {
    std::vector<Query> batch;
    std::uint64_t residues = 0;
    FastaRecord record;
    while (!finished_ && batch.size() < limits_.queries && residues < limits_.residues) {
        const auto more = reader_.next(record);
        if (!more.ok()) return more.status();
        if (!*more) {
            finished_ = true;
            break;
        }
        residues += record.residues.size();
        batch.push_back({std::string(header_without_trailing_blanks(record.header)), std::move(record.residues),
                         std::move(record.lower_case)});
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
    warn(counts.empty_sequences, "queries without residues; they find nothing");
    warn(counts.unnamed, "queries without a name were given one (unnamed_N)");
    return warnings;
}

}  // namespace warpseq

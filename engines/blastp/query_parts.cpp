#include "engines/blastp/query_parts.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace warpseq {

std::vector<std::vector<QueryStretch>> parts_of_group(std::span<const std::uint64_t> query_residues) {
    std::vector<std::vector<QueryStretch>> parts(query_residues.size());
    const std::uint64_t total = std::accumulate(query_residues.begin(), query_residues.end(), std::uint64_t{0});
    const std::uint64_t chunks = total / (kQueryGroupResidues - kPartOverlapResidues);
    if (chunks <= 1) return parts;
    std::uint64_t chunk_residues = (total + (chunks - 1) * kPartOverlapResidues) / chunks;
    if (chunks < chunk_residues - kPartOverlapResidues) ++chunk_residues;  // otherwise there would be one chunk less

    for (std::uint64_t c = 0; c < chunks; ++c) {
        const std::uint64_t chunk_begin = c * (chunk_residues - kPartOverlapResidues);
        const std::uint64_t chunk_end = c + 1 == chunks ? total : std::min(total, chunk_begin + chunk_residues);
        std::uint64_t query_begin = 0;
        for (std::size_t q = 0; q < query_residues.size(); ++q) {
            const std::uint64_t query_end = query_begin + query_residues[q];
            const std::uint64_t begin = std::max(chunk_begin, query_begin), end = std::min(chunk_end, query_end);
            if (begin < end) {
                parts[q].push_back(
                    {static_cast<std::uint32_t>(begin - query_begin), static_cast<std::uint32_t>(end - query_begin)});
            }
            query_begin = query_end;
        }
        if (chunk_end == total) break;
    }
    return parts;
}

PartedQueryReader::PartedQueryReader(const std::filesystem::path& file, QueryBatchLimits limits, FastaOptions options)
    : limits_(limits),
      reader_(file, {.queries = std::numeric_limits<std::size_t>::max(), .residues = kQueryGroupResidues},
              std::move(options)) {}

Result<std::vector<QueryWithParts>> PartedQueryReader::next_batch() {
    std::vector<QueryWithParts> batch;
    std::uint64_t residues = 0;
    while (batch.size() < limits_.queries && residues < limits_.residues) {
        auto group = reader_.next_batch();
        if (!group.ok()) return group.status();
        if (group->empty()) break;
        std::vector<std::uint64_t> lengths;
        for (const Query& query : *group) lengths.push_back(query.residues.size());
        residues = std::accumulate(lengths.begin(), lengths.end(), residues);
        auto parts = parts_of_group(lengths);
        for (std::size_t q = 0; q < group->size(); ++q) {
            batch.push_back({std::move((*group)[q]), std::move(parts[q]), groups_});
        }
        ++groups_;
    }
    return batch;
}

}  // namespace warpseq

#include "formats/query_file.h"

#include <cstdint>
#include <span>
#include <utility>

#include "formats/byte_source.h"

namespace warpseq {

Result<QueryFileReader> open_query_file(const std::filesystem::path& file, FastaOptions fasta_options) {
    Result<ByteSource> source = ByteSource::open(file);
    if (!source.ok()) return source.status();
    const Result<std::span<const std::uint8_t>> start = source->peek_block();
    if (!start.ok()) return start.status();
    if (begins_like_profiles(*start)) return QueryFileReader(HmmFileReader(std::move(*source)));
    return QueryFileReader(FastaReader(file, std::move(*source), std::move(fasta_options)));
}

}  // namespace warpseq

#include "formats/profiles/query_file.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "formats/io/byte_source.h"

namespace warpseq {
namespace {

bool begins_with_comment(std::span<const std::uint8_t> start) {
    const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
    const std::size_t first = text.find_first_not_of(" \t\v\f\r\n");
    return first != std::string_view::npos && text[first] == '#';
}

}  // namespace

Result<QueryFileReader> open_query_file(const std::filesystem::path& file, const SequenceFileFormat& format) {
    Result<ByteSource> source = ByteSource::open(file);
    if (!source.ok()) return source.status();
    const Result<std::span<const std::uint8_t>> start = source->peek_block();
    if (!start.ok()) return start.status();
    // A comment may stand before profiles or at the beginning of an alignment.
    const bool are_sequences =
        format.is_asserted() ||
        (begins_with_comment(*start) && recognised_format(file, *start, format).kind == SequenceFileKind::kAlignments);
    if (begins_like_profiles(*start) && !are_sequences) return QueryFileReader(HmmFileReader(std::move(*source)));
    Result<SequenceFileReader> sequences = SequenceFileReader::open(file, *std::move(source), format);
    if (!sequences.ok()) return sequences.status();
    return QueryFileReader(*std::move(sequences));
}

}  // namespace warpseq

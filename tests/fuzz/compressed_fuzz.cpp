// Fuzz target: hostile compressed files. Several decoders must give the same as one: the same
// bytes, or an error after bytes of which one's are the beginning of the other's. Members of gzip
// are cut wherever a header seems to be.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "formats/io/byte_source.h"
#include "formats/io/decoder.h"
#include "formats/io/gzip_members.h"
#include "tests/fuzz/fuzz_support.h"

namespace {

using namespace warpseq;
using namespace warpseq::fuzz;

struct Content {
    std::string bytes;
    bool failed = false;
    std::string digest;
};

Content read(const std::string& file, std::size_t block_bytes, unsigned decoders) {
    constexpr std::size_t kMostBytes = std::size_t{64} << 20;
    Content content;
    auto source = ByteSource::open(file, block_bytes, decoders);
    require(source.ok(), "a file that is there is opened");
    while (content.bytes.size() < kMostBytes) {
        const auto block = source->next_block();
        if (!block.ok()) {
            require_message(block.status());
            content.failed = true;
            return content;
        }
        if (block->empty()) {
            content.digest = source->stored_xxh3_128();
            return content;
        }
        require(block->size() <= block_bytes, "a block is as large as was asked for at most");
        content.bytes.append(reinterpret_cast<const char*>(block->data()), block->size());
    }
    content.bytes.resize(kMostBytes);
    return content;
}

Content read_members(std::span<const std::uint8_t> stored, bool can_read_again) {
    const auto read_at = [stored](std::uint64_t offset_bytes, std::span<std::uint8_t> buffer) {
        const auto wanted = stored.subspan(static_cast<std::size_t>(offset_bytes), buffer.size());
        std::copy(wanted.begin(), wanted.end(), buffer.begin());
        return Status();
    };
    constexpr std::size_t kMostBytes = std::size_t{8} << 20;
    GzipMembers members(can_read_again ? GzipMembers::ReadAt(read_at) : nullptr,
                        {.block_bytes = 5000, .decoders = 3, .ahead_bytes = 0, .least_run_bytes = 1});
    require(members.add(stored), "there is room for what is short");
    members.finish({});
    Content content;
    while (content.bytes.size() < kMostBytes) {
        const auto block = members.next_block();
        content.failed = !block.ok();
        if (content.failed) require_message(block.status());
        if (content.failed || block->empty()) break;
        content.bytes.append(reinterpret_cast<const char*>(block->data()), block->size());
    }
    return content;
}

void require_same(const Content& one, const Content& several) {
    require(one.failed == several.failed, "damage is damage for several decoders");
    const std::size_t both = std::min(one.bytes.size(), several.bytes.size());
    require(one.bytes.compare(0, both, several.bytes, 0, both) == 0, "the bytes are the same");
    require(one.failed || one.bytes.size() == several.bytes.size(), "so many bytes are the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const MemoryFile input(text_of(data, size));
    const Content one = read(input.path(), kDefaultBlockBytes, 1);
    for (const std::size_t block_bytes : {std::size_t{100} + size % 1000, kDefaultBlockBytes}) {
        const Content several = read(input.path(), block_bytes, 3);
        require(one.digest == several.digest, "the stored bytes are the same");
        require_same(one, several);
    }
    const std::span<const std::uint8_t> stored(data, size);
    constexpr std::size_t kMostBytes = std::size_t{4} << 20;
    if (compression_of(stored) != Compression::kGzip || one.bytes.size() > kMostBytes) return 0;
    for (const bool can_read_again : {true, false}) require_same(one, read_members(stored, can_read_again));
    return 0;
}

// Fuzz target: hostile compressed files. Whatever the bytes, several decoders say what one says: the same bytes, or an error
// behind bytes of which those of the other are the beginning.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "formats/byte_source.h"
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const MemoryFile input(text_of(data, size));
    const Content one = read(input.path(), kDefaultBlockBytes, 1);
    for (const std::size_t block_bytes : {std::size_t{100} + size % 1000, kDefaultBlockBytes}) {
        const Content several = read(input.path(), block_bytes, 3);
        require(one.failed == several.failed, "damage is damage for several decoders");
        require(one.digest == several.digest, "the stored bytes are the same");
        const std::size_t both = std::min(one.bytes.size(), several.bytes.size());
        require(one.bytes.compare(0, both, several.bytes, 0, both) == 0, "the bytes are the same");
        require(one.failed || one.bytes.size() == several.bytes.size(), "so many bytes are the same");
    }
    return 0;
}

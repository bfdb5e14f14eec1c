// The checksum of a section that is hashed piece by piece, beside other work on the same bytes.
#pragma once

#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <span>

#include "formats/wsdb_layout.h"
#include "formats/xxh3_state.h"

namespace warpseq {

/// One thread at a time.
class SectionHash {
   public:
    explicit SectionHash(const wsdb::SectionEntry& entry) : entry_(entry), state_(make_xxh3_state()) {
        XXH3_64bits_reset(state_.get());
    }
    const wsdb::SectionEntry& entry() const { return entry_; }
    /// On to `done` of `total` parts of the section.
    void advance(std::span<const std::uint8_t> file, double done, double total) {
        const double share = total > 0 ? done / total : 1;
        advance_to(file, static_cast<std::uint64_t>(share * static_cast<double>(entry_.size_bytes)));
    }
    /// To the end, and the checksum.
    std::uint64_t finish(std::span<const std::uint8_t> file) {
        advance_to(file, entry_.size_bytes);
        return XXH3_64bits_digest(state_.get());
    }

   private:
    void advance_to(std::span<const std::uint8_t> file, std::uint64_t end) {
        end = std::clamp(end, hashed_bytes_, entry_.size_bytes);
        XXH3_64bits_update(state_.get(), file.data() + entry_.offset_bytes + hashed_bytes_, end - hashed_bytes_);
        hashed_bytes_ = end;
    }
    wsdb::SectionEntry entry_;
    Xxh3State state_;
    std::uint64_t hashed_bytes_ = 0;
};

}  // namespace warpseq

// Puts the sections of a database behind each other, enters them in the header's table, and keeps
// their checksums for the last one, CHECKSUMS.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "formats/io/atomic_file.h"
#include "formats/io/spool.h"
#include "formats/wsdb/wsdb_layout.h"
#include "libcore/base/status.h"

namespace warpseq {

class WsdbSectionWriter {
   public:
    /// Both have to outlive it.
    WsdbSectionWriter(AtomicFile& out, wsdb::FileHeader& header) : out_(out), header_(header) {}

    /// A section that is a spooled column, which this empties.
    Status append(wsdb::SectionType type, Spool& column);
    /// A section that is in memory.
    Status append(wsdb::SectionType type, std::span<const std::uint8_t> bytes);

    // A section that its owner writes: begin(), any number of write(), end().
    /// Grows the file with zeros to where the next section starts.
    Status begin(wsdb::SectionType type);
    Status write(std::span<const std::uint8_t> bytes);
    void end();

    /// Enters the last `size_bytes` of the file as a section that has no part in CHECKSUMS.
    void enter(wsdb::SectionType type, std::uint64_t size_bytes);

    /// Appends CHECKSUMS. Nothing follows it.
    Status finish();

   private:
    /// The block of CHECKSUMS that is not full yet.
    void end_block();

    AtomicFile& out_;
    wsdb::FileHeader& header_;
    wsdb::SectionType type_{};  // of what is written
    std::uint64_t start_bytes_ = 0;
    std::vector<std::uint8_t> block_;
    std::vector<std::uint64_t> checksums_;
};

}  // namespace warpseq

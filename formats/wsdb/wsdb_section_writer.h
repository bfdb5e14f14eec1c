// WsdbSectionWriter writes the sections of a database one after another, enters them in the
// header's table, and collects their checksums for the last section, CHECKSUMS.
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
    /// `out` and `header` have to outlive the writer.
    WsdbSectionWriter(AtomicFile& out, wsdb::FileHeader& header) : out_(out), header_(header) {}

    /// Appends a section from a spooled column, which is empty afterwards.
    Status append(wsdb::SectionType type, Spool& column);
    /// Appends a section that is in memory.
    Status append(wsdb::SectionType type, std::span<const std::uint8_t> bytes);

    // The caller writes a section with begin(), any number of calls of write(), and end().
    /// Grows the file with zeros to where the next section starts.
    Status begin(wsdb::SectionType type);
    Status write(std::span<const std::uint8_t> bytes);
    void end();

    /// Enters the last `size_bytes` bytes of the file as a section that CHECKSUMS does not cover.
    void enter(wsdb::SectionType type, std::uint64_t size_bytes);

    /// Appends CHECKSUMS. Nothing follows it.
    Status finish();

   private:
    /// Ends the current block of a section and keeps its checksum.
    void end_block();

    AtomicFile& out_;
    wsdb::FileHeader& header_;
    wsdb::SectionType type_{};  // type of the section that is being written
    std::uint64_t start_bytes_ = 0;
    std::vector<std::uint8_t> block_;
    std::vector<std::uint64_t> checksums_;
};

}  // namespace warpseq

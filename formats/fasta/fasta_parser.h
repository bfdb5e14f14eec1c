// FASTA taken apart, from bytes that come in blocks: what readers of files share. Other code uses
// formats/fasta/fasta.h, which says what FASTA is.
//
// A file may be read in pieces that end between two records, on several threads: each piece by a
// parser of its own, which begin_piece() has told that it stands in the middle of a file. Where a
// piece is plain, the parser of the whole file takes over what the other one has found. Any other
// piece (an error, a record without a name, which is named by its number, a line that a CR alone
// ends) it reads itself, so that its errors and names are those of a file read in one go.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>

#include "formats/fasta/fasta.h"
#include "formats/io/byte_source.h"
#include "libcore/base/status.h"

namespace warpseq {

/// What provenance says of a file that has been read to its end.
FastaSource source_of(const std::filesystem::path& file, const ByteSource& read);

class FastaParser {
   public:
    /// The next bytes, which stay until it is called again; empty at the end.
    using NextBlock = std::function<Result<std::span<const std::uint8_t>>()>;

    explicit FastaParser(FastaOptions options);
    /// The part of a record that is held: only the front of a longer one, which bounds the memory.
    /// The rest is read and counted. Not for readers of lower-case letters.
    struct Limits {
        std::uint64_t residues = std::numeric_limits<std::uint64_t>::max();
        std::uint64_t header_bytes = std::numeric_limits<std::uint64_t>::max();
    };
    void set_limits(const Limits& limits);
    ~FastaParser();
    FastaParser(FastaParser&&) noexcept;
    FastaParser& operator=(FastaParser&&) noexcept;

    /// A file begins, which messages call `name`. skip_to_first_record() follows.
    void begin_file(std::string name, NextBlock next_block);
    Status skip_to_first_record();
    /// The file goes on with other blocks. After next() has returned false, or before anything was
    /// read.
    void read_on(NextBlock next_block);
    /// Reads the next record as FastaReader::next() does, but returns false at the end of the
    /// bytes: more may come, with a record first.
    Result<bool> next(FastaRecord& record);
    /// Returns how much of the last record is not in it because of the limits.
    const Limits& beyond_limits() const;
    /// Returns an error where the file had no record, except in HMMER's dialect. Called after the
    /// last byte; `stored_bytes` is the file's size.
    Status finish_file(std::uint64_t stored_bytes) const;

    /// A piece begins, in the middle of a file whose lines end with LF; its first byte is the '>'
    /// of a record. Whatever was read before is forgotten.
    void begin_piece(NextBlock next_block);
    /// Behind the last record of a piece: whether take_over() may follow.
    bool is_plain_piece() const;
    /// Whether plain pieces may be taken over here.
    bool takes_plain_pieces() const;
    /// `piece` has read the next `bytes` of the file.
    void take_over(const FastaParser& piece, std::uint64_t bytes);

    /// Of all files.
    const FastaCounts& counts() const;

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace warpseq

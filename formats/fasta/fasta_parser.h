// FastaParser: the FASTA parser that all FASTA readers share. It gets bytes in blocks. Other code
// uses formats/fasta/fasta.h, which describes the format.
//
// A file may be read on several threads, in pieces that end between two records. Each piece has its
// own parser, and begin_piece() tells that parser that it starts in the middle of a file. If a
// piece is plain, the parser of the whole file takes over what the piece's parser has found. A
// piece is not plain if it has an error, a record without a name (which is named by its number), or
// a line that a CR alone ends. The parser of the whole file reads such a piece itself. So errors
// and names are the same as those of a file that is read in one go.
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

/// Returns the provenance of a file that has been read to its end.
FastaSource source_of(const std::filesystem::path& file, const ByteSource& read);

class FastaParser {
   public:
    /// A function that returns the next bytes, or nothing at the end. The bytes stay valid until
    /// its next call.
    using NextBlock = std::function<Result<std::span<const std::uint8_t>>()>;

    explicit FastaParser(FastaOptions options);
    /// The limits of what is held of a record, which bound the memory. Of a longer record, only the
    /// front is held; the rest is read and counted. Limits do not work together with
    /// FastaOptions::find_lower_case.
    struct Limits {
        std::uint64_t residues = std::numeric_limits<std::uint64_t>::max();
        std::uint64_t header_bytes = std::numeric_limits<std::uint64_t>::max();
    };
    void set_limits(const Limits& limits);
    ~FastaParser();
    FastaParser(FastaParser&&) noexcept;
    FastaParser& operator=(FastaParser&&) noexcept;

    /// Begins a file, whose name in messages is `name`. Call skip_to_first_record() next.
    void begin_file(std::string name, NextBlock next_block);
    /// Skips what may come before the first record. Returns an error if something else is there.
    Status skip_to_first_record();
    /// Continues the current file with other blocks. Call it after next() has returned false, or
    /// before anything was read.
    void read_on(NextBlock next_block);
    /// Reads the next record as FastaReader::next() does, but returns false at the end of the
    /// bytes. More bytes may come then, beginning with a record.
    Result<bool> next(FastaRecord& record);
    /// Returns how much of the last record was not held because of the limits.
    const Limits& beyond_limits() const;
    /// Returns an error if the file had no record, except in HMMER's dialect. Call it after the
    /// last byte. `stored_bytes` is the file's size.
    Status finish_file(std::uint64_t stored_bytes) const;

    /// Begins a piece in the middle of a file whose lines end with LF. The first byte of the piece
    /// is the '>' of a record. Everything that was read before is forgotten.
    void begin_piece(NextBlock next_block);
    /// Whether the piece is plain, so that take_over() may follow. Call it after the last record of
    /// the piece.
    bool is_plain_piece() const;
    /// Whether this parser, which reads the whole file, may take over plain pieces now.
    bool takes_plain_pieces() const;
    /// Takes over what `piece` has found in the next `bytes` of the file.
    void take_over(const FastaParser& piece, std::uint64_t bytes);

    /// Returns the counts of all files.
    const FastaCounts& counts() const;

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace warpseq

// FASTA records from plain, gzip or zstd files, or from standard input.
//
// Lines end with LF, CRLF or CR. A CR alone ends a header or a comment only in a file without any
// LF. In any other file such a CR is an error that names line and column, because the rest of the
// line would be read as residues. A CR in front of an LF, or in a sequence line, is white space.
// Blank lines and lines that begin with ';' are skipped everywhere. A UTF-8 byte order mark at the
// start is skipped. Anything else before the first '>' is an error, as are NUL bytes, FASTQ and
// binary data.
//
// In sequence lines white space is skipped, and '-' and '.' are removed and counted. Letters of
// either case become residue codes (libcore/sequence/alphabet.h). Any other byte is an error that
// names file, line, column and the byte. With `skip_invalid_records` the whole record is left out
// and reported instead.
//
// A header is the text behind '>' and the white space that follows it, up to the end of the line,
// byte for byte. Its identifier is everything up to the first white space or Ctrl-A. If the
// identifier is empty (nothing after '>', white space alone, or Ctrl-A first), a unique one is put
// before the header's text. It is "unnamed_N", where N is the record's number in all input, counted
// from 1. A header may be megabytes long, but not longer than kLongestHeaderBytes.
//
// formats/fasta holds FASTA records, their names, and selections of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/io/byte_source.h"
#include "libcore/base/status.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// The maximum size of a header line. A longer line is an error, because it is no real header and
/// would have to be held in memory.
inline constexpr std::size_t kLongestHeaderBytes = std::size_t{64} << 20;

/// Residues begin .. end - 1 of a sequence.
struct ResidueRange {
    std::uint64_t begin, end;
    bool operator==(const ResidueRange&) const = default;
};

/// A record as FastaReader::next() returns it.
struct FastaRecord {
    std::string header;                    // without '>'; see the top of this file
    std::vector<ResidueCode> residues;     // may be empty
    std::vector<ResidueRange> lower_case;  // ascending, never touching; empty unless asked for
    std::uint64_t line = 0;                // the line of its '>' in its file, from 1
    /// The number of residues before each '-', ascending; empty unless asked for.
    std::vector<std::uint64_t> hyphens = {};
};

/// Counts of what a reader found, including faults that did not stop it. They add up over all files
/// of one reader.
struct FastaCounts {
    std::uint64_t records = 0;
    std::uint64_t residues = 0;
    std::uint64_t gaps_removed = 0;
    std::uint64_t empty_sequences = 0;
    std::uint64_t unnamed = 0;
    std::uint64_t skipped_invalid = 0;  // records left out
};

/// The parts of a line of residues that were left out.
struct FastaLeftOut {
    std::uint64_t line = 0;  // in its file, from 1
    bool has_hyphens = false;
    /// The columns of left-out bytes other than hyphens: first and last of each run, ascending.
    /// Columns count from 1, which is the first one behind the blanks at the beginning of the line.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> columns = {};
};

/// The rules by which FASTA is read: those at the top of this file, or those of HMMER 3
/// (formats/fasta/hmmer_fasta.h). The other options of FastaOptions do not change HMMER's rules.
enum class FastaDialect : unsigned char {
    kWarpseq,
    kHmmer,       // HMMER's rules for a file whose format is not given
    kHmmerFasta,  // HMMER's rules for a file that is known to be FASTA
    kHmmpgmd,     // FASTA behind a line that begins with '#'
    kDaemon,      // FASTA with "//" behind each sequence
};
constexpr bool is_hmmer(FastaDialect dialect) { return dialect != FastaDialect::kWarpseq; }

struct FastaOptions {
    /// Whether bytes in sequence lines that are not residues are left out instead of being errors.
    /// These include '.' and control characters, and with `as_makeblastdb` also a '>' within a
    /// line. A NUL in a header is then not an error, either, and becomes another control character.
    bool leaves_out_others = false;
    FastaDialect dialect = FastaDialect::kWarpseq;
    /// Called for each line from which `leaves_out_others` leaves something out.
    std::function<void(const FastaLeftOut&)> on_left_out = {};
    /// Whether residues before the first '>' are a record with an empty header, instead of an
    /// error. Their line may hold only residues, digits, blanks and hyphens.
    bool takes_bare_residues = false;
    /// The header that a record with an empty header gets, instead of one that begins with
    /// "unnamed_N". It may be an empty text.
    std::optional<std::string> empty_header = {};
    /// Called with each header, as FastaRecord has it before `empty_header` counts, and the number
    /// of its line. An error ends the reading.
    std::function<Status(std::string_view header, std::uint64_t line)> on_header = {};
    std::uint64_t records_before = 0;  // records in other inputs, for the numbers in made-up names
    bool skip_invalid_records = false;
    /// Called for each invalid record that is left out, with the message that would have been the
    /// error.
    std::function<void(const std::string&)> on_invalid_record = {};
    /// Whether records get the positions of lower-case letters, with which some programs mask.
    bool find_lower_case = false;
    /// Whether lines are read as NCBI's makeblastdb reads them. Lines that begin with '!' or '#'
    /// are comments too, and so is the text behind a ';'. '>' within a line and control characters
    /// can be left out (`leaves_out_others`). A record whose first residues do not look like
    /// residues is an error with makeblastdb's message, and so is text before the first '>', or a
    /// file without one. An empty file is no error. Headers keep blanks at their beginning and may
    /// consist of blanks. Hyphens go into the records.
    bool as_makeblastdb = false;
    /// The number of bytes that are read and decompressed at a time. Only tests need another value.
    std::size_t block_bytes = kDefaultBlockBytes;
};

/// A source file as it was read, for the provenance of its data.
struct FastaSource {
    std::string name;              // file name without its folder; "-" for standard input
    std::uint64_t size_bytes = 0;  // as stored, that is, compressed
    std::string xxh3_128;          // of the stored bytes, 32 hexadecimal digits, high half first
};

/// Returns the identifier of a header: everything up to the first white space or Ctrl-A.
std::string_view identifier_of(std::string_view header);
/// Functions for the made-up identifier of a record without one. made_up_name() returns it for the
/// record's number, from 1. is_made_up_name() returns whether an identifier has this form.
std::string made_up_name(std::uint64_t record);
bool is_made_up_name(std::string_view identifier);
/// Returns the text behind the identifier and the white space that follows it.
std::string_view description_of(std::string_view header);
/// Returns the header without blanks at its end.
std::string_view header_without_trailing_blanks(std::string_view header);

/// Returns why a file that begins with these decompressed bytes is not FASTA, such as "looks like
/// FASTQ; ...". The text is meant to follow "this file". Returns nothing if it may be FASTA: the
/// first line that is neither blank nor a comment begins with '>', or is not among these bytes.
/// With `takes_bare_residues` that line may also be as described in FastaOptions.
std::optional<std::string> why_not_fasta(std::span<const std::uint8_t> start, bool takes_bare_residues = false);

/// Reads the records of one or more files, one file after the other. Compression is recognised by
/// the first bytes, not by the name. Truncated or damaged gzip and zstd files are errors that name
/// the offset in the compressed bytes. Not thread-safe. May use its own thread to read and
/// decompress ahead.
class FastaReader {
   public:
    /// Reads `files` in this order; "-" is standard input. A file is opened when the files before
    /// it have been read, and a missing one is an error then.
    FastaReader(std::vector<std::filesystem::path> files, FastaOptions options = {});
    /// Reads a single file that is open already, from its first byte on. The source's own block
    /// size is used instead of `block_bytes`.
    FastaReader(std::filesystem::path file, ByteSource source, FastaOptions options = {});
    ~FastaReader();
    FastaReader(FastaReader&&) noexcept;
    FastaReader& operator=(FastaReader&&) noexcept;

    /// Reads the next record into `record`, whose memory is used again. Returns false after the
    /// last record. A file without any record is an error ("no sequence in it"), and so is one
    /// whose records were all left out. The end of a damaged file is an error too, even if records
    /// came before the damage. After an error, every further call returns the same error.
    Result<bool> next(FastaRecord& record);

    const FastaCounts& counts() const;
    const std::vector<FastaSource>& sources() const;  // complete once next() has returned false
    std::uint64_t bytes_read() const;                 // in the files as stored, so far; for a progress bar

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace warpseq

// FASTA records from plain, gzip or zstd files, or standard input.
//
// Line ends are LF, CRLF or CR. A CR alone ends a header or a comment only in a file that has no
// LF: in any other file it is an error that names line and column, since what follows would be read
// as residues. In front of an LF, and in sequence lines, it is white space. Blank lines, and lines
// that begin with ';', are skipped wherever they stand. A UTF-8 byte order mark at the start is
// skipped. Anything else before the first '>' is an error, as are NUL bytes, FASTQ and binary data.
// In sequence lines white space is skipped, '-' and '.' are removed and counted, letters of either
// case become residue codes (libcore/sequence/alphabet.h), and any other byte is an error that
// names file, line, column and the byte; with `skip_invalid_records` the whole record is left out
// and reported instead.
//
// A header is what follows '>' and the white space behind it, up to the end of the line, byte for
// byte. Its identifier is everything up to the first white space or Ctrl-A. A header whose
// identifier is empty (nothing after '>', white space alone, or Ctrl-A first) is kept under a
// made-up unique one: "unnamed_N", N the record's number in all input counted from 1, put before
// what there is. A header may be megabytes long, but not longer than kLongestHeaderBytes.
//
// formats/fasta: FASTA records, their names, and selections of them.
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

/// A longer header line is refused: it is no header, and it would have to be held in memory.
inline constexpr std::size_t kLongestHeaderBytes = std::size_t{64} << 20;

/// Residues begin .. end - 1 of a sequence.
struct ResidueRange {
    std::uint64_t begin, end;
    bool operator==(const ResidueRange&) const = default;
};

struct FastaRecord {
    std::string header;                    // without '>', see above
    std::vector<ResidueCode> residues;     // may be empty
    std::vector<ResidueRange> lower_case;  // ascending, never touching; empty unless asked for
    std::uint64_t line = 0;                // line of its '>' in its file, from 1
    /// The number of residues before each '-', ascending; empty unless asked for.
    std::vector<std::uint64_t> hyphens = {};
};

/// What a reader noticed and survived. Counts add up over all files of one reader.
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
    std::uint64_t line = 0;  // of its file, from 1
    bool has_hyphens = false;
    /// The columns of left-out bytes other than hyphens: first and last of each stretch, ascending.
    /// They count from 1, where blanks at the line's front end.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> columns = {};
};

/// Whose rules FASTA is read by: those above, or HMMER 3's (formats/fasta/hmmer_fasta.h), of which
/// the options below know nothing.
enum class FastaDialect : unsigned char { kWarpseq, kHmmer };

struct FastaOptions {
    /// Whether bytes that are no residues are left out instead of being errors. '.' and control
    /// characters are among them; a '>' in a line only with `as_makeblastdb`. A NUL in a header
    /// becomes another control character.
    bool leaves_out_others = false;
    FastaDialect dialect = FastaDialect::kWarpseq;
    /// Called, with `leaves_out_others`, for each line that something is left out of.
    std::function<void(const FastaLeftOut&)> on_left_out = {};
    /// Residues before the first '>', if in a line of residues, digits, blanks and hyphens, are a
    /// record whose header is empty, instead of an error.
    bool takes_bare_residues = false;
    /// What an empty header becomes, instead of "unnamed_N"; may be empty.
    std::optional<std::string> empty_header = {};
    std::uint64_t records_before = 0;  // in other inputs, for the numbers in made-up names
    bool skip_invalid_records = false;
    /// Called for each record that is left out, with the message that would have been the error.
    std::function<void(const std::string&)> on_invalid_record = {};
    /// Where letters are lower-case ones, which is how some programs mask, goes into the records.
    bool find_lower_case = false;
    /// Lines are what they are for NCBI's makeblastdb: one that begins with '!' or '#' is a
    /// comment, too, and so is what follows a ';'; '>' in a line and control characters are among
    /// what is left out (`leaves_out_others`); a record whose first residues do not look like any
    /// is an error, whose message is makeblastdb's. Headers keep blanks at their front and may be
    /// blanks alone; hyphens go into the records.
    bool as_makeblastdb = false;
    /// How much is read and decompressed at a time; only tests need another value.
    std::size_t block_bytes = kDefaultBlockBytes;
};

/// A source file as it was read, for provenance.
struct FastaSource {
    std::string name;              // file name without its folder; "-" for standard input
    std::uint64_t size_bytes = 0;  // as stored, that is compressed
    std::string xxh3_128;          // of those bytes, 32 hexadecimal digits, high half first
};

/// The identifier of a header: up to the first white space or Ctrl-A.
std::string_view identifier_of(std::string_view header);
/// The identifier that is made up for a record without one, and whether one has this form.
std::string made_up_name(std::uint64_t record);
bool is_made_up_name(std::string_view identifier);
/// What follows the identifier and the white space behind it.
std::string_view description_of(std::string_view header);
std::string_view header_without_trailing_blanks(std::string_view header);

/// Why a file that begins with these bytes (decompressed ones) is no FASTA: "looks like FASTQ;
/// ...", behind "this file". Nothing where it may be FASTA: its first line that is neither blank
/// nor a comment begins with '>', or is not among them. With `takes_bare_residues` that line may
/// also be as FastaOptions has it.
std::optional<std::string> why_not_fasta(std::span<const std::uint8_t> start, bool takes_bare_residues = false);

/// Reads records of one or more files in turn. Compression is recognised by the first bytes, not by
/// the name. Truncated or damaged gzip and zstd are errors that name the compressed byte offset.
/// Not thread-safe; may use a thread of its own to read and decompress ahead.
class FastaReader {
   public:
    /// "-" is standard input. Files are opened when their turn comes; a missing one is an error
    /// then.
    FastaReader(std::vector<std::filesystem::path> files, FastaOptions options = {});
    /// A single file that is open already, from its first byte on; `block_bytes` is the source's
    /// own.
    FastaReader(std::filesystem::path file, ByteSource source, FastaOptions options = {});
    ~FastaReader();
    FastaReader(FastaReader&&) noexcept;
    FastaReader& operator=(FastaReader&&) noexcept;

    /// The next record into `record` (reusing its memory): true, or false after the last one. A
    /// file without any record is an error ("no sequence in it"), as is one of which every record
    /// was left out; so is the end of a damaged file, however many records came before. After an
    /// error every further call returns the same error.
    Result<bool> next(FastaRecord& record);

    const FastaCounts& counts() const;
    const std::vector<FastaSource>& sources() const;  // complete once next() has returned false
    std::uint64_t bytes_read() const;                 // of the files as stored, so far; for a progress bar

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace warpseq

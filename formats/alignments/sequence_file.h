// SequenceFileReader reads named sequences from FASTA, or from the rows of alignments without their
// gaps.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/alignments/alignment_format.h"
#include "formats/fasta/fasta.h"
#include "formats/io/byte_source.h"
#include "libcore/base/status.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

struct NamedSequence {
    std::string name, accession, description;  // accession and description may be empty
    std::string unscored = {};                 // for HMMER's dialect of FASTA: unscored_note() of the header
    std::vector<ResidueCode> residues;
};

/// The way in which the content of a file of sequences is determined.
enum class SequenceFileKind {
    kByContent,
    /// By content, with the rules by which HMMER's searches recognise alignments of queries. Only a
    /// regular file whose name does not end with ".gz", ".fa" or ".gb" can then hold alignments. A
    /// file that is not recognised is read as FASTA, so that an error message says what is wrong
    /// with it as FASTA.
    kByContentOfQueries,
    kFasta,
    kAlignments
};

/// The properties of a file of queries that are known before it is opened.
struct QuerySequenceFormat {
    SequenceFileKind kind = SequenceFileKind::kByContentOfQueries;
    std::optional<AlignmentFormat> alignments = {};  // for kAlignments
    FastaDialect dialect = FastaDialect::kWarpseq;   // for kFasta
};

/// Whether a file that begins with `start` holds alignments by the rules of kByContentOfQueries.
/// Opens the file once more to examine it.
bool holds_alignments_of_queries(const std::filesystem::path& file, std::span<const std::uint8_t> start);

/// A reader of named sequences. Not thread-safe.
class SequenceFileReader {
   public:
    /// Opens `file`, which may be compressed; "-" is standard input. With kByContent, a file is
    /// read as alignments if its beginning does not look like FASTA. `format` is the format of the
    /// alignments, if it is known.
    static Result<SequenceFileReader> open(const std::filesystem::path& file, SequenceFileKind kind,
                                           std::optional<AlignmentFormat> format = std::nullopt,
                                           FastaDialect dialect = FastaDialect::kWarpseq);
    /// Reads a file that is open already, from its first byte on.
    static Result<SequenceFileReader> open(const std::filesystem::path& file, ByteSource source, SequenceFileKind kind,
                                           std::optional<AlignmentFormat> format = std::nullopt,
                                           FastaDialect dialect = FastaDialect::kWarpseq);
    ~SequenceFileReader();
    SequenceFileReader(SequenceFileReader&&) noexcept;

    /// Reads the next sequence. Returns false after the last one. A file without any sequence is an
    /// error, and so is a malformed one. After an error, every further call returns the same error.
    Result<bool> next(NamedSequence& sequence);

    /// Returns the counts of FASTA. They are 0 for alignments.
    const FastaCounts& counts() const;

   private:
    struct State;
    explicit SequenceFileReader(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace warpseq

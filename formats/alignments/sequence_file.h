// Sequences with their names out of FASTA, or out of the rows of alignments, without their gaps.
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
    std::string name, accession, description;  // the last two empty: none
    std::string unscored = {};                 // the note of formats/fasta/hmmer_fasta.h, of FASTA in that dialect
    std::vector<ResidueCode> residues;
};

/// What a file of sequences holds.
enum class SequenceFileKind {
    kByContent,
    /// By content where HMMER's searches tell alignments of queries: in a file, not a stream, and
    /// not named as FASTA or as compressed by gzip. What can't be told is read as FASTA, whose
    /// messages say what is wrong with it.
    kByContentOfQueries,
    kFasta,
    kAlignments
};

/// What is known of a file of queries.
struct QuerySequenceFormat {
    SequenceFileKind kind = SequenceFileKind::kByContentOfQueries;
    std::optional<AlignmentFormat> alignments = {};  // kAlignments
    FastaDialect dialect = FastaDialect::kWarpseq;   // kFasta
};

/// Whether a file that begins with `start` holds alignments, of kByContentOfQueries. It is opened
/// and looked at once more.
bool holds_alignments_of_queries(const std::filesystem::path& file, std::span<const std::uint8_t> start);

/// Not thread-safe.
class SequenceFileReader {
   public:
    /// Opens `file` ("-" is standard input; it may be compressed). By content: alignments where it
    /// begins as one in a format that does not look like FASTA, else FASTA. `format` is that of
    /// alignments, where it is known.
    static Result<SequenceFileReader> open(const std::filesystem::path& file, SequenceFileKind kind,
                                           std::optional<AlignmentFormat> format = std::nullopt,
                                           FastaDialect dialect = FastaDialect::kWarpseq);
    /// A file that is open already, from its first byte on.
    static Result<SequenceFileReader> open(const std::filesystem::path& file, ByteSource source, SequenceFileKind kind,
                                           std::optional<AlignmentFormat> format = std::nullopt,
                                           FastaDialect dialect = FastaDialect::kWarpseq);
    ~SequenceFileReader();
    SequenceFileReader(SequenceFileReader&&) noexcept;

    /// The next sequence: true, or false after the last one. A file without any is an error, as is
    /// what is malformed; after an error every further call returns it again.
    Result<bool> next(NamedSequence& sequence);

    /// What was noticed in FASTA; nothing in alignments.
    const FastaCounts& counts() const;

   private:
    struct State;
    explicit SequenceFileReader(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace warpseq

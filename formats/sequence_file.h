// Sequences with their names out of FASTA, or out of the rows of alignments, without their gaps.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/alignment_format.h"
#include "libcore/base/status.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

struct NamedSequence {
    std::string name, accession, description;  // the last two empty: none
    std::vector<ResidueCode> residues;
};

/// What a file of sequences holds.
enum class SequenceFileKind { kByContent, kFasta, kAlignments };

/// Not thread-safe.
class SequenceFileReader {
   public:
    /// Opens `file` ("-" is standard input; it may be compressed). By content: alignments where it begins as one in a format that
    /// does not look like FASTA, else FASTA. `format` is that of alignments, where it is known.
    static Result<SequenceFileReader> open(const std::filesystem::path& file, SequenceFileKind kind,
                                           std::optional<AlignmentFormat> format = std::nullopt);
    ~SequenceFileReader();
    SequenceFileReader(SequenceFileReader&&) noexcept;

    /// The next sequence: true, or false after the last one. A file without any is an error, as is what is malformed; after
    /// an error every further call returns it again.
    Result<bool> next(NamedSequence& sequence);

   private:
    struct State;
    explicit SequenceFileReader(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace warpseq

// SequenceFileReader reads named sequences from text files of all formats: FASTA, EMBL, UniProt and
// GenBank, and alignments, whose rows are sequences without their gaps.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "formats/fasta/fasta.h"
#include "formats/io/byte_source.h"
#include "formats/sequences/named_sequence.h"
#include "formats/sequences/sequence_format.h"
#include "libcore/base/status.h"

namespace warpseq {

/// A reader of named sequences. Not thread-safe.
class SequenceFileReader {
   public:
    /// Opens `file`, which may be compressed; "-" is standard input. If the format is to be
    /// recognised, the content decides (recognised_format()).
    static Result<SequenceFileReader> open(const std::filesystem::path& file, const SequenceFileFormat& format);
    /// Reads a file that is open already, from its first byte on.
    static Result<SequenceFileReader> open(const std::filesystem::path& file, ByteSource source,
                                           const SequenceFileFormat& format);
    ~SequenceFileReader();
    SequenceFileReader(SequenceFileReader&&) noexcept;

    /// Reads the next sequence. Returns false after the last one. A malformed sequence is an error,
    /// and so is a file without any, unless HMMER accepts it in HMMER's dialect. After an error,
    /// every further call returns the same error.
    Result<bool> next(NamedSequence& sequence);

    /// Sets the limit of the residues of a sequence in EMBL and GenBank files that are held. Those
    /// beyond it are counted.
    void set_most_residues(std::uint64_t most);
    /// Returns the number of residues of the last sequence that were not held.
    std::uint64_t beyond_residues() const;

    /// Returns the counts of FASTA. They are 0 for other formats.
    const FastaCounts& counts() const;
    /// Returns how much of the file, as it is stored, has been read. Thread-safe.
    std::uint64_t bytes_read() const;

   private:
    struct State;
    explicit SequenceFileReader(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace warpseq

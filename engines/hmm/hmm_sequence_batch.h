// A reader of the queries of a search for models in sequences (as hmmscan's). It reads the
// sequences of a file in order, in batches that become databases in memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engines/session.h"
#include "formats/fasta/nucleotide_detector.h"
#include "formats/sequences/sequence_file.h"
#include "libcore/base/status.h"

namespace warpseq {

struct HmmSequenceBatch {
    struct Title {
        std::string name, accession, description;
        std::string unscored;  // the note of formats/fasta/hmmer_fasta.h
    };
    std::vector<Title> titles;  // in the order of the file
    std::vector<std::uint64_t> residues;
    std::unique_ptr<const Session> session;  // of a database of these sequences, with another session's devices

    std::size_t size() const { return titles.size(); }
};

/// Limits of a batch. A batch ends with the sequence that reaches a limit. All profiles are read
/// once for each batch, and its hits are kept until the last profile.
struct HmmSequenceLimits {
    std::size_t sequences = 16 << 10;
    std::uint64_t residues = 16 << 20;
};

class HmmSequenceReader {
   public:
    /// Makes a reader of a file; "-" is standard input.
    HmmSequenceReader(std::filesystem::path file, const HmmSequenceLimits& limits, SequenceFileFormat format = {});

    /// Returns the next batch, or nothing after the last sequence. If a sequence cannot be read,
    /// the sequences before it are returned first. The batch has the devices of `machine`, which
    /// has to outlive it.
    Result<std::optional<HmmSequenceBatch>> next_batch(const Session& machine);

    /// Returns warnings about the sequences that were read so far, one sentence each.
    std::vector<std::string> warnings() const;
    /// Returns an answer if the queries that were read so far look like nucleotides. It is returned
    /// once, and warnings() has it only if it was not.
    std::optional<std::string> take_nucleotide_answer() { return nucleotides_.take_answer(file_.string()); }

   private:
    std::filesystem::path file_;
    HmmSequenceLimits limits_;
    SequenceFileFormat format_;
    std::optional<SequenceFileReader> reader_;  // set by the first next_batch()
    NucleotideDetector nucleotides_;
    bool finished_ = false;
};

}  // namespace warpseq

// Sequences whose letters are in memory, read by the rules of FASTA files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

struct SequenceOfLetters {
    std::vector<ResidueCode> residues;  // codes of proteins, whatever the sequence is; may be empty
    std::uint64_t gaps_removed = 0;     // '-' and '.' among the letters
};

/// Reads a sequence as FastaReader reads the lines behind a header (formats/fasta/fasta.h): in
/// either case, with white space skipped and gaps removed. Errors name the sequence `name` and
/// count lines from the header's, so the first line of letters is line 2. A second record among
/// the letters is an error.
Result<SequenceOfLetters> read_letters(std::string_view letters, const std::string& name);

/// Many sequences. Moving them leaves the residues where they are.
struct SequencesOfLetters {
    std::vector<std::span<const ResidueCode>> residues;  // of each sequence
    std::uint64_t total_residues = 0, gaps_removed = 0;
    std::vector<ResidueCode> codes;                // of the sequences of letters alone
    std::vector<std::vector<ResidueCode>> others;  // of the sequences with other signs among their letters
};

/// Reads sequences as read_letters() does, with the threads of a pool. Errors name a sequence by
/// `name` and its index, as in "targets[3]"; the one of the lowest index is returned.
Result<SequencesOfLetters> read_all_letters(std::span<const std::string_view> letters, const std::string& name,
                                            const ThreadPool& pool);

}  // namespace warpseq

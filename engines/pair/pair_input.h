// The sequences of `search pair`, and which of them are aligned with each other.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/base/status.h"
#include "libcore/sequence/alphabet.h"
#include "libcore/sequence/nucleotide.h"

namespace warpseq {

struct PairInputSettings {
    std::filesystem::path query_file, target_file;    // "-", for one of them, is standard input
    std::optional<Alphabet> alphabet;                 // nothing: guessed
    bool all_pairs = false;                           // every query with every target
    std::optional<std::filesystem::path> pairs_file;  // lists queries with their targets
};

struct PairSequence {
    std::string header;
    std::vector<ResidueCode> residues;  // at least one; codes of PairInput::alphabet
};

/// A note for the user: a sentence, and what to change if it is not what was meant.
struct PairNote {
    std::string text;
    Advice advice = Advice::kNone;
};

struct PairInput {
    Alphabet alphabet = Alphabet::kProtein;
    std::vector<PairSequence> queries, targets;
    std::vector<std::pair<std::size_t, std::size_t>> listed;  // query and target, with --pairs
    bool all_pairs = false;
    std::vector<PairNote> notes;

    std::uint64_t pair_count() const;
    /// Returns the query and the target of a pair. Pairs are in the order of the output: that of
    /// the list, or targets within queries.
    std::pair<std::size_t, std::size_t> pair(std::uint64_t index) const;
};

/// Reads both files. Decides on the alphabet if it is not given. A file holds nucleotides if all
/// its letters are IUPAC's for nucleotides and nine tenths of them are A, C, G, T, U or N. Any
/// other file holds proteins. Refuses two files of different kinds.
Result<PairInput> read_pair_input(const PairInputSettings& settings);

}  // namespace warpseq

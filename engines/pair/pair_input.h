// The input of the pair search: the sequences, and the pairs of them to align.
#pragma once

#include <cstddef>
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
    std::filesystem::path query_file, target_file;    // one of them may be "-", which is standard input
    std::optional<Alphabet> alphabet;                 // none: read_pair_input() decides
    bool all_pairs = false;                           // whether every query is aligned with every target
    std::optional<std::filesystem::path> pairs_file;  // lists queries with their targets
};

struct PairSequence {
    std::string header;
    std::vector<ResidueCode> residues;  // at least one; codes of PairInput::alphabet
};

/// A note for the user: a sentence, and advice on what to change if it is not what the user meant.
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
    /// Returns the indices of the query and the target of a pair. Pairs are numbered in the order
    /// of the output: the order of the list, or else all targets of the first query, then of the
    /// second, and so on.
    std::pair<std::size_t, std::size_t> pair(std::uint64_t index) const;
};

/// Reads both files. If settings.alphabet is not set, a file holds nucleotides if all its letters
/// are IUPAC letters for nucleotides and nine tenths of them are A, C, G, T, U or N. Any other file
/// holds proteins. Returns an error if the two files hold different kinds.
Result<PairInput> read_pair_input(const PairInputSettings& settings);
/// Makes the input for one pair of sequences in memory, by the same rules. `query` and `target`
/// come with codes of proteins. `names` are the names of the query and the target in messages.
Result<PairInput> make_pair_input(PairSequence query, PairSequence target, std::optional<Alphabet> alphabet,
                                  const std::pair<std::string, std::string>& names);

}  // namespace warpseq

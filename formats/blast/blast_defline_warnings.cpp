#include "formats/blast/blast_defline_warnings.h"

#include <algorithm>

#include "libcore/base/ascii.h"

namespace warpseq {
namespace {

/// The number of letters that still do not look like a sequence.
constexpr std::size_t kMostLetters = 50;

std::size_t letters_at_end(std::string_view text) {
    return static_cast<std::size_t>(std::find_if_not(text.rbegin(), text.rend(), is_ascii_letter) - text.rbegin());
}

}  // namespace

std::string seqid_warnings(std::span<const BlastSeqId> ids, std::string_view word, std::uint64_t line) {
    std::string warnings;
    // The reader looks for commas in names without a kind, of which there is just one.
    const bool is_name =
        ids.size() == 1 && ids.front().kind == BlastSeqId::Kind::kLocal && word.find('|') == std::string_view::npos;
    if (is_name && word.find(',') != std::string_view::npos) {
        warnings = "Near line " + std::to_string(line) +
                   ", the sequence id string contains 'comma' symbol, which has been replaced with 'underscore' "
                   "symbol. Please correct the sequence id string.\n";
    }
    if (ids.empty()) return warnings;
    // The last identifier stands for all.
    if (const std::size_t letters = letters_at_end(ids.back().label(false)); letters > kMostLetters) {
        warnings += "Fasta Reader: sequence id ends with " + std::to_string(letters) +
                    " valid amino-acid characters.  Was the sequence accidentally placed in the definition line?\n";
    }
    return warnings;
}

std::string title_warning(std::string_view title) {
    if (title.size() <= kMostLetters || letters_at_end(title) < kMostLetters) return "";
    return "FASTA-Reader: Title ends with at least " + std::to_string(kMostLetters) +
           " valid amino acid characters.  Was the sequence accidentally put in the title line?\n";
}

}  // namespace warpseq

#include "formats/blast/given_defline.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <vector>

#include "formats/blast/blast_seqid.h"
#include "formats/blast/blast_seqid_parser.h"

namespace warpseq {
namespace {

/// The number of letters above which the end of an identifier may be a sequence. A title has to
/// have more characters, too, but of letters only as many.
constexpr std::size_t kMostLetters = 50;

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20; }

std::size_t letters_at_end(std::string_view text) {
    const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
    std::size_t count = 0;
    while (count < text.size() && is_letter(text[text.size() - 1 - count])) ++count;
    return count;
}

std::string warnings_of_ids(std::string_view word, std::uint64_t line, const std::vector<BlastSeqId>& ids) {
    std::string warnings;
    if (has_replaced_comma(word)) {
        warnings = "Near line " + std::to_string(line) +
                   ", the sequence id string contains 'comma' symbol, which has been replaced with 'underscore' "
                   "symbol. Please correct the sequence id string.\n";
    }
    // The last identifier stands for all.
    const std::size_t letters = ids.empty() ? 0 : letters_at_end(ids.back().label(false));
    if (letters > kMostLetters) {
        warnings += "Fasta Reader: sequence id ends with " + std::to_string(letters) +
                    " valid amino-acid characters.  Was the sequence accidentally placed in the definition line?\n";
    }
    return warnings;
}

/// Whether a character may be part of a modifier's name.
bool is_of_modifier(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == ' ' || is_control(c);
}

/// Returns how many characters the identifiers at the beginning of a definition line have. They end
/// before a blank, a control character or a modifier, which is a bracket, a name and '='. NCBI's
/// reader looks for '=' only in the first characters of a line. Where it looks in vain, it goes on
/// behind what it has seen, if that has no blank.
std::size_t id_length(std::string_view header) {
    constexpr std::size_t kExaminedCharacters = 30;
    const auto ends_id = [](char c) { return c == ' ' || is_control(c); };
    const std::size_t examined = std::min(header.size(), kExaminedCharacters);
    for (std::size_t i = 0; i < header.size(); ++i) {
        if (ends_id(header[i])) return i;
        if (header[i] != '[' || i + 1 >= kExaminedCharacters) continue;
        std::size_t end = i + 1;
        while (end < examined && is_of_modifier(header[end])) ++end;
        if (end < examined && header[end] == '=') return i;
        if (end < kExaminedCharacters) {
            const auto begin = header.begin() + static_cast<std::ptrdiff_t>(i) + 1;
            const auto blank = std::find_if(begin, header.begin() + static_cast<std::ptrdiff_t>(end), ends_id);
            const auto length = static_cast<std::size_t>(blank - header.begin());
            // A control character at the line's end belongs to the identifier.
            if (length + 1 == header.size() && !is_space(*blank)) return header.size();
            if (length < end) return length;
        }
        i = end;
    }
    return header.size();
}

}  // namespace

GivenDefline split_given_defline(std::string_view header, bool parses_ids) {
    const auto skip_blanks = [&] {
        while (!header.empty() && is_space(header.front())) header.remove_prefix(1);
    };
    GivenDefline parts;
    skip_blanks();
    if (parses_ids) {
        parts.id = header.substr(0, id_length(header));
        header.remove_prefix(parts.id.size());
        skip_blanks();
    }
    if (!header.empty()) {
        const auto end = std::find_if(header.begin() + 1, header.end(), is_control);
        parts.title = header.substr(0, static_cast<std::size_t>(end - header.begin()));
    }
    return parts;
}

DeflineFindings check_given_defline(std::string_view header, std::uint64_t line, bool parses_ids) {
    const GivenDefline parts = split_given_defline(header, parses_ids);
    DeflineFindings findings;
    if (parses_ids && !std::ranges::all_of(header, is_space)) {
        auto ids = parse_fasta_seqids(parts.id);
        findings.status = ids.status();
        if (!findings.status.ok()) return findings;
        findings.ids = *std::move(ids);
        findings.id_warnings = warnings_of_ids(parts.id, line, findings.ids);
        findings.status = check_seqid_lengths(findings.ids, line);
        if (!findings.status.ok()) return findings;
    }
    if (parts.title.size() > kMostLetters && letters_at_end(parts.title) >= kMostLetters) {
        findings.title_warnings = "FASTA-Reader: Title ends with at least " + std::to_string(kMostLetters) +
                                  " valid amino acid characters.  Was the sequence accidentally put in the title "
                                  "line?\n";
    }
    return findings;
}

}  // namespace warpseq

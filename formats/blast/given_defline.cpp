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

void warn_of_identifiers(std::string_view text, std::uint64_t line, const std::vector<BlastSeqId>& ids,
                         std::string& warnings) {
    if (has_replaced_comma(text)) {
        warnings += "Near line " + std::to_string(line) +
                    ", the sequence id string contains 'comma' symbol, which has been replaced with 'underscore' "
                    "symbol. Please correct the sequence id string.\n";
    }
    for (const BlastSeqId& id : ids) {
        const std::size_t letters = letters_at_end(id.label(false));
        if (letters <= kMostLetters) continue;
        warnings += "Fasta Reader: sequence id ends with " + std::to_string(letters) +
                    " valid amino-acid characters.  Was the sequence accidentally placed in the definition line?\n";
    }
}

}  // namespace

GivenDefline split_given_defline(std::string_view header, bool parses_ids) {
    const auto skip_blanks = [&] {
        while (!header.empty() && is_space(header.front())) header.remove_prefix(1);
    };
    const auto up_to = [&](auto end) { return header.substr(0, static_cast<std::size_t>(end - header.begin())); };
    GivenDefline parts;
    if (parses_ids) {
        const auto ends_id = [](char c) { return c == ' ' || is_control(c); };
        parts.id = up_to(std::ranges::find_if(header, ends_id));
        header.remove_prefix(parts.id.size());
    }
    skip_blanks();
    if (!header.empty()) parts.title = up_to(std::find_if(header.begin() + 1, header.end(), is_control));
    return parts;
}

DeflineFindings check_given_defline(std::string_view header, std::uint64_t line, bool parses_ids) {
    const GivenDefline parts = split_given_defline(header, parses_ids);
    DeflineFindings findings;
    if (!parts.id.empty()) {
        const auto ids = parse_fasta_seqids(parts.id);
        findings.status = ids.status();
        if (!findings.status.ok()) return findings;
        warn_of_identifiers(parts.id, line, *ids, findings.warnings);
        findings.status = check_seqid_lengths(*ids, line);
        if (!findings.status.ok()) return findings;
    }
    if (parts.title.size() > kMostLetters && letters_at_end(parts.title) >= kMostLetters) {
        findings.warnings += "FASTA-Reader: Title ends with at least " + std::to_string(kMostLetters) +
                             " valid amino acid characters.  Was the sequence accidentally put in the title line?\n";
    }
    return findings;
}

}  // namespace warpseq

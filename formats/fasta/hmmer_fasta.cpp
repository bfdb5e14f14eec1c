#include "formats/fasta/hmmer_fasta.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

#include "formats/fasta/fasta.h"

namespace warpseq {

namespace {

constexpr std::string_view kMark = "\x01\x02";
constexpr std::size_t kLongestNoteBytes = std::size_t{1} << 20;
constexpr std::size_t kMostNotedRuns = kLongestNoteBytes / std::string_view("0+1-").size();

/// The mark between the description and the accession in a header of header_of_title().
constexpr std::string_view kTitleMark = "\x01\x03";
/// In such a header this byte and a letter stand for another byte.
constexpr char kEscape = '\x02';
struct Escaped {
    char byte, letter;
};
constexpr std::array<Escaped, 5> kEscaped = {{{'\n', 'n'}, {'\r', 'r'}, {' ', 's'}, {'\x01', 'a'}, {kEscape, 'e'}}};

std::string_view before_control_a(std::string_view text) { return text.substr(0, text.find('\x01')); }

/// Appends a text with replacements for bytes that headers cannot have. `is_word` says whether
/// blanks are replaced, too.
void append_escaped(std::string_view text, bool is_word, std::string& out) {
    for (const char byte : text) {
        const auto* const escaped = std::ranges::find(kEscaped, byte, &Escaped::byte);
        if (escaped == kEscaped.end() || (byte == ' ' && !is_word)) {
            out += byte;
        } else {
            out += kEscape;
            out += escaped->letter;
        }
    }
}

std::string without_escapes(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto* const escaped = text[i] == kEscape && i + 1 < text.size()
                                        ? std::ranges::find(kEscaped, text[i + 1], &Escaped::letter)
                                        : kEscaped.end();
        if (escaped == kEscaped.end()) {
            plain += text[i];
        } else {
            plain += escaped->byte;
            ++i;
        }
    }
    return plain;
}

}  // namespace

HmmerTitle hmmer_title(std::string_view header) {
    const std::string_view noted = header.substr(0, header.find(kMark));
    if (const std::size_t mark = noted.find(kTitleMark); mark != std::string_view::npos) {
        const std::string_view names = noted.substr(0, mark);
        const std::string_view name = names.substr(0, names.find(' '));
        return {without_escapes(name), without_escapes(names.substr(std::min(name.size() + 1, names.size()))),
                without_escapes(noted.substr(mark + kTitleMark.size()))};
    }
    const std::string_view name = noted.substr(0, noted.find_first_of(" \t\n\v\f\r"));
    const std::string_view rest = noted.substr(name.size());
    return {std::string(name),
            std::string(before_control_a(rest.substr(std::min(rest.find_first_not_of(" \t"), rest.size()))))};
}

std::string header_of_title(const HmmerTitle& title) {
    std::string header;
    append_escaped(title.name, true, header);
    header += ' ';
    append_escaped(title.description, false, header);
    header += kTitleMark;
    append_escaped(title.accession, false, header);
    return header;
}

void disarm_marks(std::string& header) {
    constexpr char kNoMark = '\x04';
    for (const std::string_view mark : {kMark, kTitleMark})
        for (std::size_t at = 0; (at = header.find(mark, at)) != std::string::npos;) header[at + 1] = kNoMark;
}

bool has_title(std::string_view header) {
    return header.substr(0, header.find(kMark)).find(kTitleMark) != std::string_view::npos;
}

Status misformatted_sequences(const std::string& file) {
    return Status::invalid_input("Sequence file " + (file == "standard input" ? "-" : file) +
                                 " is empty or misformatted");
}

std::string_view hmmer_description(std::string_view header) { return before_control_a(description_of(header)); }

void add_unscored(std::uint64_t position, char letter, std::vector<UnscoredRun>& runs) {
    if (runs.empty() || runs.back().letter != letter || runs.back().begin + runs.back().residues != position) {
        if (runs.size() > kMostNotedRuns) return;
        runs.push_back({position, 0, letter});
    }
    ++runs.back().residues;
}

void note_unscored(std::span<const UnscoredRun> runs, std::string& header) {
    if (runs.empty()) return;
    std::string note(kMark);
    for (const UnscoredRun& run : runs) {
        note += std::to_string(run.begin) + "+" + std::to_string(run.residues) + run.letter;
        if (note.size() > kLongestNoteBytes) return;
    }
    header += note;
}

std::string_view unscored_note(std::string_view header) {
    const std::size_t mark = header.rfind(kMark);
    return mark == std::string_view::npos ? std::string_view() : header.substr(mark);
}

void show_unscored(std::string_view note, std::uint64_t first, std::span<ResidueCode> residues) {
    const char* at = note.data() + std::min(kMark.size(), note.size());
    const char* const end = note.data() + note.size();
    while (at != end) {
        UnscoredRun run;
        const auto begin = std::from_chars(at, end, run.begin);
        if (begin.ec != std::errc() || begin.ptr == end || *begin.ptr != '+') return;
        const auto count = std::from_chars(begin.ptr + 1, end, run.residues);
        if (count.ec != std::errc() || count.ptr == end) return;
        const ResidueCode code = *count.ptr == '~' ? kShownMissing : kShownGap;
        at = count.ptr + 1;
        if (run.begin + run.residues <= first || run.begin >= first + residues.size()) continue;
        const std::uint64_t from = std::max(run.begin, first) - first;
        const std::uint64_t to = std::min<std::uint64_t>(run.begin + run.residues - first, residues.size());
        for (std::uint64_t i = from; i < to; ++i)
            if (residues[i] == kCodeStop) residues[i] = code;
    }
}

}  // namespace warpseq

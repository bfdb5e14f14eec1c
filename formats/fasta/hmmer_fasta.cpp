#include "formats/fasta/hmmer_fasta.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "formats/fasta/fasta.h"

namespace warpseq {

namespace {

constexpr std::string_view kMark = "\x01\x02";
constexpr std::size_t kLongestNoteBytes = std::size_t{1} << 20;

std::string_view before_control_a(std::string_view text) { return text.substr(0, text.find('\x01')); }

}  // namespace

HmmerTitle hmmer_title(std::string_view header) {
    const std::string_view noted = header.substr(0, header.find(kMark));
    const std::string_view name = noted.substr(0, noted.find_first_of(" \t\n\v\f\r"));
    const std::string_view rest = noted.substr(name.size());
    return {name, before_control_a(rest.substr(std::min(rest.find_first_not_of(" \t"), rest.size())))};
}

std::string_view hmmer_description(std::string_view header) { return before_control_a(description_of(header)); }

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

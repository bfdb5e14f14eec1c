#include "reports/blast/blastp_report_text.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "formats/blast/given_defline.h"
#include "libcore/base/version.h"
#include "reports/alignment_text.h"
#include "reports/html_entities.h"
#include "reports/utf8.h"

namespace warpseq {
namespace {

constexpr auto kNone = std::string_view::npos;

/// Prefixes that are removed from titles. After one is removed, later ones of the list may follow.
constexpr std::array<std::string_view, 12> kPrefixes = {"MAG ",
                                                        "MAG:",
                                                        "TPA:",
                                                        "TPA_exp:",
                                                        "TPA_inf:",
                                                        "TPA_reasm:",
                                                        "TPA_asm:",
                                                        "TSA:",
                                                        "UNVERIFIED_ORG:",
                                                        "UNVERIFIED_ASMBLY:",
                                                        "UNVERIFIED_CONTAM:",
                                                        "UNVERIFIED:"};

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20; }

bool starts_with_in_any_case(std::string_view text, std::string_view prefix) {
    const auto upper = [](char c) { return std::toupper(static_cast<unsigned char>(c)); };
    return text.size() >= prefix.size() && std::ranges::equal(text.substr(0, prefix.size()), prefix, {}, upper, upper);
}

std::string_view without_leading_blanks(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return text;
}

/// Returns `text` without these characters at its end, if another character remains.
std::string_view without_trailing(std::string_view text, std::string_view characters) {
    const std::size_t last = text.find_last_not_of(characters);
    return last == kNone ? text : text.substr(0, last + 1);
}

/// Returns `text` with blanks set as between words. There is one blank between words, and none
/// inside brackets. There is one blank after a comma or semicolon and none before it. Of several
/// commas or semicolons one stays.
std::string with_set_blanks(std::string_view text) {
    text = without_leading_blanks(text);
    text = text.substr(0, text.find_last_not_of(' ') + 1);
    std::string out;
    if (text.empty()) return out;
    // `held` is written when its successor is known. `before` is the character that precedes `next`
    // for the rules below.
    char held = text[0], before = text[0];
    for (std::size_t i = 1; i < text.size(); ++i) {
        char next = text[i];
        const auto pair = [&](char a, char b) { return before == a && next == b; };
        char seen = next;
        if (pair(',', ',')) {
            out += held;
            next = ' ';
        } else if (pair(' ', ' ') || pair(' ', ')')) {
            // One of the blanks stays held, or the bracket replaces the blank.
        } else if (pair('(', ' ')) {
            next = seen = held;
        } else if (pair(' ', ',') || pair(' ', ';')) {
            out += next;
            next = seen = held;
        } else if (pair(',', ' ') || pair(';', ' ')) {
            out += held;
            out += ' ';
            while (i < text.size() && (text[i] == ' ' || text[i] == before)) ++i;
            next = seen = i < text.size() ? text[i] : '\0';
        } else {
            out += held;
        }
        held = next;
        before = seen;
    }
    if (held != '\0' && held != ' ') out += held;
    return out;
}

void remove_before_bracket(std::string& text, char mark) {
    const std::string from = {mark, ' ', '['};
    for (std::size_t at = 0; (at = text.find(from, at)) != kNone;) text.erase(at, 1);
}

}  // namespace

std::string_view query_title(std::string_view header) {
    std::string_view title = split_given_defline(header, false).title;
    while (!title.empty() && is_space(title.back())) title.remove_suffix(1);
    return title;
}

std::string_view first_word(std::string_view title) { return title.substr(0, title.find(' ')); }

std::string target_title(std::string_view header) {
    std::string title;
    for (const char c : header) {
        if (c == '\t') {
            title += "   ";
        } else {
            title += c == '\x01' ? ' ' : is_control(c) || c == '\x7f' ? '#' : c;
        }
    }
    return title;
}

std::string cleaned_title(std::string_view title, std::string_view prefix) {
    title = without_trailing(title, ".,;~ ");
    for (const std::string_view known : kPrefixes) {
        if (starts_with_in_any_case(title, known)) title = without_leading_blanks(title.substr(known.size()));
    }
    const std::string decoded = decode_html_entities(as_utf8(without_leading_blanks(title)));
    std::string clean = with_set_blanks(std::string(prefix) + std::string(without_trailing(decoded, ",;~ ")));
    remove_before_bracket(clean, '.');
    remove_before_bracket(clean, ',');
    return clean;
}

std::string wrapped(std::string_view text, std::size_t columns) {
    std::string out;
    while (text.size() > columns) {
        // Find the best place to break. Of equally good places, take the last.
        std::size_t best = columns;
        int best_rank = 0;
        for (std::size_t i = 0; i <= columns; ++i) {
            const bool ends_line = i < columns && i + 1 < text.size();
            const int rank = is_space(text[i])             ? 3
                             : text[i] == ',' && ends_line ? 2
                             : text[i] == '-' && ends_line ? 1
                                                           : 0;
            const std::size_t place = rank == 3 ? i : i + 1;
            if (rank > 0 && rank >= best_rank && place > 0) {
                best = place;
                best_rank = rank;
            }
        }
        out += text.substr(0, best);
        out += '\n';
        text.remove_prefix(best);
        while (best_rank == 3 && !text.empty() && is_space(text.front())) text.remove_prefix(1);
    }
    if (!text.empty()) {
        out += text;
        out += '\n';
    }
    return out;
}

std::string broken_title(std::string_view title) {
    constexpr std::size_t kColumns = 60;
    std::string out;
    bool is_due = false;
    for (std::size_t i = 0; i < title.size(); ++i) {
        if (i > 0 && i % kColumns == 0) is_due = true;
        out += title[i];
        if (is_due && is_space(title[i])) {
            out += '\n';
            is_due = false;
        }
    }
    return out;
}

int whole_percent(std::uint64_t part, std::uint64_t whole) {
    if (part == whole) return 100;
    return std::min(99, static_cast<int>(0.5 + 100 * static_cast<double>(part) / static_cast<double>(whole)));
}

SubstitutionMatrix positives_matrix(const SubstitutionMatrix& matrix, std::span<const ResidueCode> without_positives) {
    SubstitutionMatrix::Table table = matrix.table();
    for (const ResidueCode code : without_positives) {
        for (std::size_t other = 0; other < kResidueCodes; ++other) table[code][other] = table[other][code] = -1;
    }
    for (std::size_t code = 0; code < kResidueCodes; ++code) table[code][code] = 1;
    return {matrix.name(), table};
}

void show_masked(std::span<const QueryStretch> masked, std::uint64_t begin, std::string& letters) {
    std::uint64_t position = begin;
    auto stretch = masked.begin();
    for (char& letter : letters) {
        if (letter == '-') continue;
        while (stretch != masked.end() && stretch->end <= position) ++stretch;
        if (stretch != masked.end() && stretch->begin <= position)
            letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
        ++position;
    }
}

std::string html_escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            default: out += c;
        }
    }
    return out;
}

std::string masked_in_grey(std::string_view row, std::size_t at, std::size_t count) {
    const auto is_masked = [](char c) { return c >= 'a' && c <= 'z'; };
    const std::size_t end = std::min(row.size(), at + count);
    /// Returns the column of the next letter from `column` on, or the row's end if there is none.
    const auto letter_from = [&](std::size_t column) {
        while (column < row.size() && row[column] == '-') ++column;
        return column;
    };
    const auto is_masked_from = [&](std::size_t column) {
        const std::size_t letter = letter_from(column);
        return letter < row.size() && is_masked(row[letter]);
    };
    const auto is_masked_before = [&](std::size_t column) {
        while (column > 0 && row[column - 1] == '-') --column;
        return column > 0 && is_masked(row[column - 1]);
    };
    std::string out;
    bool is_open = false;
    for (std::size_t i = at; i < end;) {
        const bool begins = is_masked(row[i]) || (i == at && is_masked_before(i) && is_masked_from(i));
        if (!begins) {
            out += row[i++];
            continue;
        }
        std::size_t last = i;
        bool goes_on = true;
        for (std::size_t next = i; next < end; next = letter_from(next + 1)) {
            goes_on = is_masked(row[next]) || row[next] == '-';
            if (!goes_on) break;
            last = next;
        }
        goes_on = goes_on && is_masked_from(end);
        const bool is_left_out = i == 0 && at == 0 && (goes_on || last == 0);
        const bool closes = !goes_on && last > at;
        if (!is_left_out && !is_open) out += "<font color=\"#000000\">";
        is_open |= !is_left_out;
        const std::size_t to = goes_on ? end : last + 1;
        out += row.substr(i, to - i);
        if (is_open && closes) {
            out += "</font>";
            is_open = false;
        }
        i = to;
    }
    if (is_open) out += "</font>";
    return out;
}

std::string blastp_version() { return "BLASTP (warpseq " + std::string(program_version()) + ")"; }

std::string blastp_bits(double bits) {
    const std::string text = format_bits(bits);
    const std::size_t columns = bits > kHighestBitsWithDecimal ? 3 : 4;
    return text.size() < columns ? std::string(columns - text.size(), ' ') + text : text;
}

}  // namespace warpseq

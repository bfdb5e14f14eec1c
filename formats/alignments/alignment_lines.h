// The lines of an alignment file, with a way back: what looks at the beginning of a file leaves it
// unread.
//
// Lines end with LF or CRLF; the last one may lack it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/io/byte_source.h"
#include "libcore/base/status.h"

namespace warpseq {

/// Not thread-safe. In memory are the line, a block of the source, and what was read since mark().
class AlignmentLines {
   public:
    explicit AlignmentLines(ByteSource source) : source_(std::move(source)) {}

    /// Goes to the next line: false at the end, and where reading fails, which status() then says.
    bool next();
    /// Without its end; valid until next().
    std::string_view line() const { return std::string_view(bytes_).substr(line_begin_, line_bytes_); }
    /// Of that line, from 1; at the end the number of lines.
    std::uint64_t number() const { return number_; }
    /// The next next() gives the same line again. Once between two calls of next().
    void put_back();

    /// rewind() goes back to before the line that comes next now. One mark at a time.
    void mark();
    void rewind();

    const Status& status() const { return status_; }
    const std::string& file_name() const { return source_.name(); }
    std::uint64_t stored_bytes() const { return source_.stored_bytes(); }

    /// What a message says about the last fault, where it is not the current line that is to blame.
    void blame(std::uint64_t number) { number_ = number; }

   private:
    bool append_block();

    ByteSource source_;
    Status status_;
    std::string bytes_;
    std::size_t next_ = 0;                         // begin of the next line
    std::size_t line_begin_ = 0, line_bytes_ = 0;  // the current one
    std::uint64_t number_ = 0;
    bool marked_ = false, at_end_ = false;
    std::size_t mark_ = 0;
    std::uint64_t mark_number_ = 0;
};

/// Words of a line, between blanks and tabs.
class AlignmentWords {
   public:
    explicit AlignmentWords(std::string_view line) : rest_(line) {}
    /// Empty: there is none.
    std::string_view next();
    /// What follows the last word and the blanks behind it.
    std::string_view rest() const { return rest_; }

   private:
    std::string_view rest_;
};

/// Nothing but blanks and tabs.
bool is_blank_line(std::string_view line);
/// Without blanks and tabs at its end.
std::string_view without_blank_end(std::string_view text);
/// Without whitespace at its begin: blanks, tabs, and what else C's isspace() holds for it.
std::string_view without_blank_begin(std::string_view text);

/// What a byte of a row is: a letter or gap to keep, or one of these.
inline constexpr char kIllegalLetter = 0, kIgnoredLetter = 1;
using AlignmentLetters = std::array<char, 256>;

/// Letters of either case, '-' '.' '_' for gaps, '~' for missing data and '*'; everything else is
/// illegal.
constexpr AlignmentLetters protein_alignment_letters() {
    AlignmentLetters letters{};
    for (const char c : std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-._~*"))
        letters[static_cast<unsigned char>(c)] = c;
    return letters;
}

/// False where one is illegal.
bool append_letters(std::string_view text, const AlignmentLetters& letters, std::string& row);

/// Rows of files may be shorter than the alignment that they make; the letters of all rows together
/// are limited, so that a small file cannot ask for any amount of memory.
inline constexpr std::uint64_t kMostPaddedLetters = std::uint64_t{1} << 34;
Status check_padded_letters(std::uint64_t rows, std::uint64_t columns);

}  // namespace warpseq

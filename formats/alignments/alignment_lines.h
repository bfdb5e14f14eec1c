// AlignmentLines reads the lines of an alignment file and can go back. So code can examine the
// beginning of a file and leave it unread for the next reader.
//
// Lines end with LF or CRLF. The last line may have no end. A line of kLongestAlignmentLine bytes
// or more is an error, so that a file without line ends is not held in memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/io/byte_source.h"
#include "libcore/base/status.h"

namespace warpseq {

inline constexpr std::size_t kLongestAlignmentLine = std::size_t{64} << 20;

/// A reader of lines. It holds the current line, a block of the source, and everything read since
/// mark(). Not thread-safe.
class AlignmentLines {
   public:
    explicit AlignmentLines(ByteSource source) : source_(std::move(source)) {}

    /// Goes to the next line. Returns false at the end, and if reading fails; status() has the
    /// error then.
    bool next();
    /// Returns the current line without its end, valid until next().
    std::string_view line() const { return std::string_view(bytes_).substr(line_begin_, line_bytes_); }
    /// Returns the number of the current line, from 1. At the end it is the number of lines.
    std::uint64_t number() const { return number_; }
    /// Lets the next call of next() go to the same line again. Call it at most once between two
    /// calls of next().
    void put_back();

    /// Sets a mark before the next line, in place of an earlier mark. Everything behind the mark is
    /// held in memory until rewind() is called.
    void mark();
    /// Goes back to the mark, so that next() goes to the line behind it.
    void rewind();

    /// Returns the error of reading the source, or OK.
    const Status& status() const { return status_; }
    const std::string& file_name() const { return source_.name(); }
    std::uint64_t stored_bytes() const { return source_.stored_bytes(); }

    /// Sets the line number for a message, if the fault is not in the current line.
    void blame(std::uint64_t number) { number_ = number; }

   private:
    bool append_block();

    ByteSource source_;
    Status status_;
    std::string bytes_;
    std::size_t next_ = 0;                         // beginning of the next line
    std::size_t line_begin_ = 0, line_bytes_ = 0;  // the current line
    std::uint64_t number_ = 0;
    bool marked_ = false, at_end_ = false;
    std::size_t mark_ = 0;
    std::uint64_t mark_number_ = 0;
};

/// The words of a line, which are separated by blanks, tabs and NUL.
class AlignmentWords {
   public:
    explicit AlignmentWords(std::string_view line) : rest_(line) {}
    /// Returns the next word, or nothing if there is none.
    std::string_view next();
    /// Returns the text behind the last word and the blanks that follow it.
    std::string_view rest() const { return rest_; }

   private:
    std::string_view rest_;
};

/// Whether a line has only blanks, tabs and NUL.
bool is_blank_line(std::string_view line);
/// Returns a text without blanks and tabs at its end.
std::string_view without_blank_end(std::string_view text);
/// Returns a text without white space at its beginning: all bytes for which C's isspace() is true.
std::string_view without_blank_begin(std::string_view text);

/// Markers for bytes of a row in AlignmentLetters. Any other value is the letter or gap that is
/// stored for the byte.
inline constexpr char kIllegalLetter = 0, kIgnoredLetter = 1;
using AlignmentLetters = std::array<char, 256>;

/// Returns the table for proteins: letters of either case, '-', '.' and '_' for gaps, '~' for
/// missing data, and '*'. NUL is X, as in HMMER. Every other byte is illegal.
constexpr AlignmentLetters protein_alignment_letters() {
    AlignmentLetters letters{};
    for (const char c : std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-._~*"))
        letters[static_cast<unsigned char>(c)] = c;
    letters[0] = 'X';
    return letters;
}

/// Appends the letters of `text` to a row, each as the table `letters` has it, without the ignored
/// ones. Returns false at the first illegal one; the letters before it have been appended then.
bool append_letters(std::string_view text, const AlignmentLetters& letters, std::string& row);

/// The limit of the letters of all rows together. Rows in a file may be shorter than the alignment
/// that they form, so without this limit a small file could ask for any amount of memory.
inline constexpr std::uint64_t kMostPaddedLetters = std::uint64_t{1} << 34;
/// Returns an error if rows * columns is more than kMostPaddedLetters.
Status check_padded_letters(std::uint64_t rows, std::uint64_t columns);

}  // namespace warpseq

// ProfileText gives the lines of a text file of profiles, split into words, to the readers of its
// formats (hmm_file.h, hmmer2_reader.h), and makes their messages.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

#include "formats/io/byte_source.h"
#include "libcore/base/status.h"

namespace warpseq {

/// Returns the number that the whole of `word` is. Returns nothing if it is not a number, out of
/// range or not finite.
template <typename Number>
std::optional<Number> number_of(std::string_view word) {
    if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
    Number number{};
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || stop != word.data() + word.size()) return std::nullopt;
    if constexpr (std::is_floating_point_v<Number>) {
        if (!std::isfinite(static_cast<float>(number))) return std::nullopt;
    }
    return number;
}

/// Removes a UTF-8 byte order mark from the beginning of a file's text.
void remove_byte_order_mark(std::string_view& text);

/// The lines of a file of profiles, and the profile that is being read, as far as messages name it.
struct ProfileText {
    /// A part of a profile, for messages. shown() makes its text when a message needs it.
    struct Part {
        std::string_view name;
        int node = -1;  // no node
    };

    /// Reads up to the next line that is neither blank nor a comment and splits it into `words`.
    /// Returns false at the end of the file.
    Result<bool> next_line();
    /// Reads the next line inside a profile. The end of the file is an error that says that
    /// `expected` should be there.
    Status need_line(const Part& expected);
    /// Returns the line from word number `first_word` on, with the blanks between words and without
    /// those at its end.
    std::string rest_of_line(std::size_t first_word) const;
    /// Returns the same with the blanks at the end.
    std::string whole_rest_of_line(std::size_t first_word) const;

    /// Returns the error "FILE: line N: MESSAGE".
    Status at(const std::string& message) const;
    /// Returns the error of a file whose current line begins no file of profiles.
    Status not_profiles() const;
    /// Returns the error of a profile that ends where `expected` should be.
    Status ends_early(const Part& expected) const;
    std::string shown(const Part& part) const;
    std::string shown_profile() const;

    std::optional<ByteSource> source;

    // The current line.
    std::string line;
    std::vector<std::string_view> words;
    std::uint64_t line_number = 0;
    std::uint64_t line_offset = 0;     // where it begins in the decompressed file
    std::uint64_t skipped_offset = 0;  // where the first line begins that next_line() has read

    // The current profile.
    bool has_begun_profiles = false;  // whether a first profile has begun
    std::uint64_t first_line = 0;
    std::string name;
    int length = 0;

   private:
    Result<bool> read_line();
    void split();

    std::string_view block_;  // the bytes of the block that are not read yet
    bool behind_carriage_return_ = false;
    std::uint64_t taken_ = 0;  // bytes
};

}  // namespace warpseq

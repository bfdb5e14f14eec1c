// The labels that users give to a database or a set: a title, and the name of its release. Either
// may be empty.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpseq {

struct DatabaseLabels {
    std::string title, release;
    bool operator==(const DatabaseLabels&) const = default;
};

inline constexpr std::size_t kLongestTitleBytes = 2000, kLongestReleaseBytes = 200;

/// Returns the position of the first byte that is not valid UTF-8, or nothing if the whole text is
/// valid.
std::optional<std::size_t> first_byte_not_utf8(std::string_view text);

/// Returns the reason why a text cannot be a title or a release, such as "holds a control
/// character". Labels are single lines of UTF-8 without control sequences for terminals, of at most
/// `longest_bytes` bytes. Returns nothing if the text can be one.
std::optional<std::string> why_no_label(std::string_view text, std::size_t longest_bytes);

/// Returns the labels of the only input if it is a database or a set. Returns empty labels for
/// several inputs and for any other input.
DatabaseLabels labels_of(const std::vector<std::filesystem::path>& inputs);

}  // namespace warpseq

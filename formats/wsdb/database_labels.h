// What a database or a set is called by those who keep it: a title, and which release it is. Either
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

/// The first byte of what is no UTF-8; nothing where all of it is.
std::optional<std::size_t> first_byte_not_utf8(std::string_view text);

/// Why a text is no title or release: "holds a control character". They are lines of UTF-8 that
/// drive no terminal, not longer than `longest_bytes`. Nothing where it is one.
std::optional<std::string> why_no_label(std::string_view text, std::size_t longest_bytes);

/// Those of the only input, a database or a set; none where there are several, or it is something
/// else.
DatabaseLabels labels_of(const std::vector<std::filesystem::path>& inputs);

}  // namespace warpseq

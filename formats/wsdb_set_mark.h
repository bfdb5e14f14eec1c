// What a file of a set carries of that: which set it belongs to, under which number, and which update made it. So a file that was called
// like one of the set's is told from one, and a volume of another time of the set from the one that the manifest names.
//
// Volumes have it in their provenance, lists of removed sequences begin with it. docs/sets.md is the specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace warpseq {

struct WsdbSetMark {
    std::string set;           // identity of the set: kSetIdentityDigits hexadecimal digits
    std::uint64_t number = 0;  // of the file, that of its name
    std::string update;        // which made it: kSetUpdateDigits hexadecimal digits
    bool operator==(const WsdbSetMark&) const = default;
};

constexpr std::size_t kSetIdentityDigits = 32, kSetUpdateDigits = 16;
/// Numbers of files are 1 to this.
constexpr std::uint64_t kMostSetNumber = std::uint64_t{1} << 48;

/// Whether a text is that many hexadecimal digits in lower case.
bool is_hex_text(std::string_view text, std::size_t digits);
/// A number as 16 of them.
std::string hex_text_of(std::uint64_t number);
/// That many random ones; none where the system has no random numbers.
std::optional<std::string> random_hex_text(std::size_t digits);

/// Lists of removed sequences begin with a mark of that size. So does a volume as long as it has no header: one that is left unfinished
/// says which set's it is.
constexpr std::size_t kSetMarkBytes = 128;
std::string set_mark_bytes(const WsdbSetMark& mark);
/// Of the beginning of a file; none where it is not a mark.
std::optional<WsdbSetMark> set_mark_in(std::string_view start);

/// The parts of a name of a volume or of a list of removed sequences: "NAME.volume-7.wsdb", "NAME.removed-7".
struct WsdbSetFileName {
    enum class Kind { kVolume, kRemoved };
    std::string_view set;  // NAME
    Kind kind = Kind::kVolume;
    std::uint64_t number = 0;
};
std::optional<WsdbSetFileName> parse_set_file_name(std::string_view name);
std::string set_file_name(std::string_view set, WsdbSetFileName::Kind kind, std::uint64_t number);

/// What a volume or list carries; none where the file cannot be read, is not regular, or is none of that kind with a mark. A volume may be
/// an unfinished one where `is_unfinished`. Symbolic links are not followed.
std::optional<WsdbSetMark> mark_of_set_file(const std::filesystem::path& file, WsdbSetFileName::Kind kind,
                                            bool is_unfinished);

}  // namespace warpseq

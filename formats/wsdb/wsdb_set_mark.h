// The mark that a file of a set carries. It says which set the file belongs to, under which number,
// and which update made it. The mark distinguishes the set's files from other files with such
// names. It also distinguishes a volume that the manifest names from a volume of an earlier or
// later state of the set.
//
// Volumes have the mark in their provenance. Lists of removed sequences begin with it. docs/sets.md
// is the specification.
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
    std::uint64_t number = 0;  // number of the file, which is also in its name
    std::string update;        // update that made the file: kSetUpdateDigits hexadecimal digits
    bool operator==(const WsdbSetMark&) const = default;
};

constexpr std::size_t kSetIdentityDigits = 32, kSetUpdateDigits = 16;
/// The largest number of a file. The smallest is 1.
constexpr std::uint64_t kMostSetNumber = std::uint64_t{1} << 48;

/// Whether a text consists of exactly `digits` hexadecimal digits in lower case.
bool is_hex_text(std::string_view text, std::size_t digits);
/// Returns a number as 16 hexadecimal digits in lower case.
std::string hex_text_of(std::uint64_t number);
/// Returns `digits` random hexadecimal digits, or nothing if the system has no random numbers.
std::optional<std::string> random_hex_text(std::size_t digits);

/// The size of the mark at the beginning of a list of removed sequences. An unfinished volume
/// begins with a mark, too, until its header is written in that place. So an unfinished volume
/// shows which set it belongs to.
constexpr std::size_t kSetMarkBytes = 128;
/// Returns the kSetMarkBytes bytes of a mark.
std::string set_mark_bytes(const WsdbSetMark& mark);
/// Reads the mark at the beginning of a file. Returns nothing if there is none.
std::optional<WsdbSetMark> set_mark_in(std::string_view start);

/// The parts of the name of a volume, "NAME.volume-7.wsdb", or of a list of removed sequences,
/// "NAME.removed-7".
struct WsdbSetFileName {
    enum class Kind { kVolume, kRemoved };
    std::string_view set;  // NAME
    Kind kind = Kind::kVolume;
    std::uint64_t number = 0;
};
/// Returns the parts of a file name, or nothing if it is not formed like that of a volume or a
/// list.
std::optional<WsdbSetFileName> parse_set_file_name(std::string_view name);
/// Returns the file name with these parts.
std::string set_file_name(std::string_view set, WsdbSetFileName::Kind kind, std::uint64_t number);

/// Reads the mark that a volume or a list carries. Returns nothing if the file cannot be read, is
/// not regular, is not of this kind, or has no mark. If `is_unfinished` is true, a volume may be
/// unfinished. Symbolic links are not followed.
std::optional<WsdbSetMark> mark_of_set_file(const std::filesystem::path& file, WsdbSetFileName::Kind kind,
                                            bool is_unfinished);

}  // namespace warpseq

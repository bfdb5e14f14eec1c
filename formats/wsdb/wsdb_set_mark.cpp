#include "formats/wsdb/wsdb_set_mark.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <system_error>

#include "formats/wsdb/wsdb_provenance.h"
#include "formats/wsdb/wsdb_reader.h"

namespace warpseq {

namespace {

constexpr std::string_view kBegin = "warpseq file of a set\nset ", kNumber = "\nnumber ", kUpdate = "\nupdate ",
                           kVolume = ".volume-", kVolumeEnd = ".wsdb", kRemoved = ".removed-";
constexpr char kEnd = '\n';

/// Parses a number as names have it: 1 to kMostSetNumber, without leading zeros.
std::optional<std::uint64_t> number_in(std::string_view digits) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || end != digits.data() + digits.size() || digits.starts_with('0') ||
        number > kMostSetNumber)
        return std::nullopt;
    return number;
}

/// Removes the text before `behind`, and `behind` itself, from `text`. Returns the removed text
/// without `behind`, or nothing if `behind` is not there.
std::optional<std::string_view> take_until(std::string_view& text, std::string_view behind) {
    const std::size_t at = text.find(behind);
    if (at == text.npos) return std::nullopt;
    const std::string_view taken = text.substr(0, at);
    text.remove_prefix(at + behind.size());
    return taken;
}

}  // namespace

bool is_hex_text(std::string_view text, std::size_t digits) {
    return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string hex_text_of(std::uint64_t number) {
    std::string text(16, '0');
    for (std::size_t digit = 0; digit < text.size(); ++digit)
        text[digit] = "0123456789abcdef"[number >> (60 - 4 * digit) & 15];
    return text;
}

std::optional<std::string> random_hex_text(std::size_t digits) {
    std::string text(digits, '\0');
    if (getrandom(text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) return std::nullopt;
    for (char& digit : text) digit = "0123456789abcdef"[static_cast<unsigned char>(digit) & 15U];
    return text;
}

std::string set_mark_bytes(const WsdbSetMark& mark) {
    std::string text(kBegin);
    text.append(mark.set).append(kNumber).append(std::to_string(mark.number));
    text.append(kUpdate).append(mark.update).push_back(kEnd);
    text.resize(kSetMarkBytes, '\0');
    return text;
}

std::optional<WsdbSetMark> set_mark_in(std::string_view start) {
    if (start.size() < kSetMarkBytes || !start.starts_with(kBegin)) return std::nullopt;
    std::string_view rest = start.substr(kBegin.size(), kSetMarkBytes - kBegin.size());
    const auto set = take_until(rest, kNumber), number = take_until(rest, kUpdate),
               update = take_until(rest, std::string_view(&kEnd, 1));
    if (!set || !number || !update || !is_hex_text(*set, kSetIdentityDigits) ||
        !is_hex_text(*update, kSetUpdateDigits) || rest.find_first_not_of('\0') != rest.npos)
        return std::nullopt;
    const auto value = number_in(*number);
    if (!value) return std::nullopt;
    return WsdbSetMark{std::string(*set), *value, std::string(*update)};
}

std::optional<WsdbSetFileName> parse_set_file_name(std::string_view name) {
    const bool is_volume = name.ends_with(kVolumeEnd);
    std::string_view rest = name;
    if (is_volume) rest.remove_suffix(kVolumeEnd.size());
    const std::string_view mark = is_volume ? kVolume : kRemoved;
    const std::size_t at = rest.rfind(mark);
    if (at == rest.npos || at == 0) return std::nullopt;
    const auto number = number_in(rest.substr(at + mark.size()));
    if (!number) return std::nullopt;
    return WsdbSetFileName{name.substr(0, at),
                           is_volume ? WsdbSetFileName::Kind::kVolume : WsdbSetFileName::Kind::kRemoved, *number};
}

std::string set_file_name(std::string_view set, WsdbSetFileName::Kind kind, std::uint64_t number) {
    const bool is_volume = kind == WsdbSetFileName::Kind::kVolume;
    std::string name(set);
    name.append(is_volume ? kVolume : kRemoved).append(std::to_string(number));
    if (is_volume) name.append(kVolumeEnd);
    return name;
}

std::optional<WsdbSetMark> mark_of_set_file(const std::filesystem::path& file, WsdbSetFileName::Kind kind,
                                            bool is_unfinished) {
    const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (descriptor < 0) return std::nullopt;
    struct stat info {};
    const bool is_regular = fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
    std::array<char, kSetMarkBytes> start{};
    const ssize_t got = is_regular ? pread(descriptor, start.data(), start.size(), 0) : -1;
    close(descriptor);
    if (got <= 0) return std::nullopt;
    if (kind == WsdbSetFileName::Kind::kRemoved || is_unfinished) {
        auto mark = set_mark_in({start.data(), static_cast<std::size_t>(got)});
        if (mark || kind == WsdbSetFileName::Kind::kRemoved) return mark;
    }
    if (!begins_as_wsdb(file)) return std::nullopt;
    const auto reader = WsdbReader::open(file);
    if (!reader.ok()) return std::nullopt;
    auto provenance = provenance_of(*reader);
    return provenance ? std::move(provenance->set) : std::nullopt;
}

}  // namespace warpseq

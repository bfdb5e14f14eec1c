#include "formats/profiles/profile_alphabet.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <string_view>

#include "formats/profiles/hmm_binary.h"
#include "formats/profiles/profile_text.h"

namespace warpseq {

namespace {

constexpr std::string_view kBlanks = " \t\v\f\r";

/// Removes the first word from `line` and returns it.
std::string_view take_word(std::string_view& line) {
    const std::size_t first = std::min(line.find_first_not_of(kBlanks), line.size());
    line.remove_prefix(first);
    const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
    line.remove_prefix(word.size());
    return word;
}

/// Returns the alphabet of a file in the binary format. Its number stands behind a magic number,
/// flags and the number of nodes.
ProfileAlphabet binary_alphabet(std::span<const std::uint8_t> start) {
    constexpr std::size_t kOffset = 12;
    constexpr std::array<const char*, 4> kNames = {"", "rna", "dna", "amino"};
    std::uint32_t number = 0;
    if (start.size() < kOffset + sizeof number) return {};
    std::memcpy(&number, start.data() + kOffset, sizeof number);
    return {true, number < kNames.size() ? kNames[number] : ""};
}

std::string_view text_of(std::span<const std::uint8_t> start) {
    std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
    remove_byte_order_mark(text);
    return text;
}

}  // namespace

ProfileAlphabet profile_alphabet(std::span<const std::uint8_t> start) {
    if (begins_binary_profiles(start)) return binary_alphabet(start);
    std::string_view text = text_of(start);
    bool is_profile = false;
    for (;;) {
        const std::size_t end = text.find_first_of("\r\n");
        if (end == std::string_view::npos) return {};  // the line may continue behind `start`
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end + 1);
        const std::string_view tag = take_word(line);
        if (tag.empty() || tag.front() == '#') continue;
        if (!is_profile) {
            is_profile = tag.starts_with("HMMER3/") || tag.starts_with("HMMER2.");
            if (!is_profile) return {.is_decided = true};
        } else if (tag == "ALPH") {
            ProfileAlphabet alphabet{true, std::string(take_word(line))};
            std::ranges::transform(alphabet.name, alphabet.name.begin(),
                                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
            return alphabet;
        } else if (tag == "HMM" || tag == "//") {
            return {.is_decided = true};
        }
    }
}

std::string profile_format_tag(std::span<const std::uint8_t> start) {
    for (std::string_view text = text_of(start); !text.empty();) {
        const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
        std::string_view line = text.substr(0, end);
        const std::string_view word = take_word(line);
        if (!word.empty() && word.front() != '#') return std::string(word);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return {};
}

bool is_profile_format(std::string_view tag) {
    constexpr std::string_view kHmmer3 = "HMMER3/";
    return tag == "HMMER2.0" ||
           (tag.size() == kHmmer3.size() + 1 && tag.starts_with(kHmmer3) && tag.back() >= 'a' && tag.back() <= 'f');
}

}  // namespace warpseq

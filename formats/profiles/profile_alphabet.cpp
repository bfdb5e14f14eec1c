#include "formats/profiles/profile_alphabet.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <string_view>

#include "formats/profiles/hmm_binary.h"

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

}  // namespace

ProfileAlphabet profile_alphabet(std::span<const std::uint8_t> start) {
    if (begins_binary_profiles(start)) return binary_alphabet(start);
    std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
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

}  // namespace warpseq

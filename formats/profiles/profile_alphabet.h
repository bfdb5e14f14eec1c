// Finds the format and the alphabet of a file of profile HMMs from the beginning of the file,
// without reading a profile.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace warpseq {

/// The alphabet of a file of profiles, as far as the beginning of the file shows it.
struct ProfileAlphabet {
    /// True if more bytes of the file would not change the result.
    bool is_decided = false;
    /// The name of the first profile's alphabet in lower case, such as "amino", "dna", "rna" or
    /// "nucleic" (HMMER2). Empty if the file does not name it.
    std::string name = {};

    /// Whether it is an alphabet of nucleotides.
    bool is_nucleotide() const { return name == "dna" || name == "rna" || name == "nucleic"; }
};

/// Returns what `start`, the first decompressed bytes of a file, shows about its alphabet. Profiles
/// may be HMMER 3's in the text or binary format, or HMMER 2's in the text format. For any other
/// file the result is decided and has no name.
ProfileAlphabet profile_alphabet(std::span<const std::uint8_t> start);

/// Returns the first word of a text that begins with `start`, behind blank lines and comments. A
/// UTF-8 byte order mark is left out. Returns an empty text if `start` has no such word.
std::string profile_format_tag(std::span<const std::uint8_t> start);
/// Whether a profile in the text format may begin with this word.
bool is_profile_format(std::string_view tag);

}  // namespace warpseq

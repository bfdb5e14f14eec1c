// The alphabet of a file of profile HMMs, told by how the file begins, without reading a profile.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "libcore/base/status.h"

namespace warpseq {

/// The alphabet of a file of profiles, as far as the beginning of the file tells it.
struct ProfileAlphabet {
    /// Whether more bytes of the file could not tell more.
    bool is_decided = false;
    /// The name of the first profile's alphabet as the file has it, in lower case: "amino", "dna",
    /// "rna", "nucleic" (HMMER2), ... Empty if the file does not tell it.
    std::string name = {};

    /// Whether it is an alphabet of nucleotides.
    bool is_nucleotide() const { return name == "dna" || name == "rna" || name == "nucleic"; }
};

/// Reads `start`, decompressed bytes: profiles of HMMER 3 in text or binary form, or of HMMER 2 in
/// text form. Anything else is decided and has no name.
ProfileAlphabet profile_alphabet(std::span<const std::uint8_t> start);

}  // namespace warpseq

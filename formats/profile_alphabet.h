// The alphabet of a file of profile HMMs, told by how the file begins, without reading a profile.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "libcore/base/status.h"

namespace warpseq {

/// What the beginning of a file says.
struct ProfileAlphabet {
    /// Whether more bytes of the file would not say more.
    bool is_decided = false;
    /// Of the first profile, in lower case as in the file: "amino", "dna", "rna", "nucleic" (HMMER2), ...; empty: not told.
    std::string name = {};

    /// Whether it is an alphabet of nucleotides.
    bool is_nucleotide() const { return name == "dna" || name == "rna" || name == "nucleic"; }
};

/// Reads `start`, decompressed bytes: profiles of HMMER 3 in text or binary form, or of HMMER 2 in text form. Anything else
/// is decided and has no name.
ProfileAlphabet profile_alphabet(std::span<const std::uint8_t> start);

}  // namespace warpseq

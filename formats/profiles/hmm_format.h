// The versions of HMMER 3's formats of profile HMMs.
#pragma once

#include <optional>
#include <string_view>

namespace warpseq {

/// The versions HMMER3/a to HMMER3/f, of the text format and of the binary format. The current one
/// is HMMER3/f. Older versions lack some fields.
enum class HmmFormat : char { k3a = 'a', k3b = 'b', k3c = 'c', k3d = 'd', k3e = 'e', k3f = 'f' };

/// Returns the version that a name such as "3/a" stands for. Returns nothing for other names.
inline std::optional<HmmFormat> find_hmm_format(std::string_view name) {
    if (name.size() != 3 || !name.starts_with("3/") || name[2] < 'a' || name[2] > 'f') return std::nullopt;
    return static_cast<HmmFormat>(name[2]);
}

}  // namespace warpseq

// The manifest of a set of databases (.wsdbs): which files are its volumes, and which of their sequences have been removed.
// docs/sets.md is the specification.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/database_labels.h"
#include "libcore/base/status.h"

namespace warpseq {

/// What has been removed of a volume: some sequences, not all.
struct WsdbSetRemoved {
    std::string file;  // a bit for each sequence, by rank, in little-endian words of 64 bits
    std::string xxh3_64;
    std::uint64_t sequences = 0, residues = 0;
    bool operator==(const WsdbSetRemoved&) const = default;
};

struct WsdbSetVolume {
    std::string file;            // beside the manifest, as all names here
    std::string content_digest;  // as WsdbReader::content_digest()
    std::uint64_t sequences = 0, residues = 0;
    std::optional<WsdbSetRemoved> removed;
    bool operator==(const WsdbSetVolume&) const = default;
};

struct WsdbSetManifest {
    /// Of the file that is made next; what has this number or a higher one was left by an update that did not end.
    std::uint64_t next_number = 1;
    std::vector<WsdbSetVolume> volumes;  // their sequences follow each other. None: the set is about to be made
    DatabaseLabels labels = {};
    /// Files of the set as it was, which nobody needs who opens it now.
    std::vector<std::string> obsolete;
    bool operator==(const WsdbSetManifest&) const = default;

    /// Without those that have been removed.
    std::uint64_t sequence_count() const;
    std::uint64_t residue_count() const;
};

constexpr std::size_t kMostSetVolumes = 512;
constexpr std::size_t kLongestManifestBytes = std::size_t{4} << 20;

/// Nothing is taken on trust: an error that names `shown`, the place, and what was expected.
Result<WsdbSetManifest> parse_set_manifest(std::string_view json, const std::string& shown);
std::string set_manifest_text(const WsdbSetManifest& manifest);

/// Whether a manifest can name a file so: beside it, in UTF-8, without control characters below 0x20.
bool is_set_file_name(std::string_view name);

/// Whether a file that begins so is a manifest, be it damaged.
bool begins_as_set_manifest(std::string_view start);

}  // namespace warpseq

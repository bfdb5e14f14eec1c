// The manifest of a set of databases (.wsdbs): which files are its volumes, which of their
// sequences have been removed, and what updates have made of it. docs/sets.md is the specification.
//
// Version 2 has a checksum over all of its text, and says of each file which update made it.
// Version 1 has neither: it is read, and the next update writes version 2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/wsdb/database_labels.h"
#include "formats/wsdb/wsdb_set_mark.h"
#include "libcore/base/status.h"

namespace warpseq {

/// What has been removed of a volume: some sequences, not all.
struct WsdbSetRemoved {
    std::string file;     // a bit for each sequence, by rank, in little-endian words of 64 bits
    std::string xxh3_64;  // of the words
    std::uint64_t sequences = 0, residues = 0;
    std::string update = {};  // as the mark before the words has it; empty: the file has no mark
    bool operator==(const WsdbSetRemoved&) const = default;
};

struct WsdbSetVolume {
    std::string file;            // beside the manifest, as all names here
    std::string content_digest;  // as WsdbReader::content_digest()
    std::uint64_t sequences = 0, residues = 0;
    std::optional<WsdbSetRemoved> removed;
    std::string update = {};  // as the mark in the file has it; empty: the file has no mark
    bool operator==(const WsdbSetVolume&) const = default;
};

/// A file of the set as it was, and what tells it from another one of its name. All empty but for
/// `file`: version 1 says no more.
struct WsdbSetObsolete {
    std::string file;
    std::string update = {};          // empty: the file has no mark
    std::string content_digest = {};  // of a volume
    std::string xxh3_64 = {};         // of a list
    bool operator==(const WsdbSetObsolete&) const = default;
};

/// The record of what an update did.
struct WsdbSetHistoryEntry {
    std::string time = {};                      // in UTC, as "2026-11-27T06:01:02Z"
    std::string what = {};                      // "append", "replace", "remove", "compact" or "label"
    std::string update = {};                    // as in the files that it made
    std::string program = {};                   // version of warpseq
    std::uint64_t appended = 0, removed = 0;    // sequences
    std::uint64_t sequences = 0, residues = 0;  // of the set from then on
    std::uint64_t inputs = 0;                   // files that were appended
    std::string first_input = {};               // name of the first of them, without its folder
    bool operator==(const WsdbSetHistoryEntry&) const = default;
};

class JsonWriter;
/// Writes the members of a JSON object that say what an update did; `update` only if asked for.
void write_members(const WsdbSetHistoryEntry& entry, bool with_update, JsonWriter& json);

struct WsdbSetManifest {
    std::string identity = {};  // of the set, 32 hexadecimal digits; empty: the manifest is of version 1
    /// Above those of all files that the set has had. Files that are made next get this number and
    /// those that follow, or higher ones where there are such files already.
    std::uint64_t next_number = 1;
    std::vector<WsdbSetVolume> volumes;  // their sequences follow each other. None: the set is about to be made
    DatabaseLabels labels = {};
    /// Files of the set as it was, which readers that open it now do not need.
    std::vector<WsdbSetObsolete> obsolete = {};
    std::vector<WsdbSetHistoryEntry> history = {};  // the last one is the last update
    std::uint64_t forgotten_updates = 0;            // before those
    bool operator==(const WsdbSetManifest&) const = default;

    /// Without those that have been removed.
    std::uint64_t sequence_count() const;
    std::uint64_t residue_count() const;
};

constexpr std::size_t kMostSetVolumes = 512;
constexpr std::size_t kLongestManifestBytes = std::size_t{4} << 20;
constexpr std::size_t kMostSetHistory = 4096;
constexpr std::size_t kLongestInputNameBytes = 255;

/// Parses a manifest and takes nothing on trust. An error names `shown`, the place, and what was
/// expected.
Result<WsdbSetManifest> parse_set_manifest(std::string_view json, const std::string& shown);
/// Returns the text of a manifest in version 2. The manifest has an identity. An obsolete file is
/// left out if the manifest has neither a digest nor a checksum of it.
std::string set_manifest_text(const WsdbSetManifest& manifest);
/// Whether a text begins as set_manifest_text() of a set with this identity, be it cut.
bool begins_as_manifest_of(std::string_view start, std::string_view identity);

/// Whether a manifest can name a file so: beside it, in UTF-8, without control characters below
/// 0x20.
bool is_set_file_name(std::string_view name);

/// Whether a file that begins so is a manifest, be it damaged.
bool begins_as_set_manifest(std::string_view start);

}  // namespace warpseq

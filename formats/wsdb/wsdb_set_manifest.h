// Reads and writes the manifest of a set of databases (.wsdbs). It says which files are the
// volumes, which of their sequences have been removed, and what updates did. docs/sets.md is the
// specification.
//
// Version 2 has a checksum over all of its text and names the update that made each file. Version 1
// has neither. It can be read, and the next update writes version 2.
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

/// The list of the sequences that have been removed from a volume. There is at least one, and not
/// all are removed.
struct WsdbSetRemoved {
    std::string file;     // a bit for each sequence, by rank, in little-endian words of 64 bits
    std::string xxh3_64;  // checksum of the words
    std::uint64_t sequences = 0, residues = 0;
    std::string update = {};  // as in the mark before the words; empty: the file has no mark
    bool operator==(const WsdbSetRemoved&) const = default;
};

struct WsdbSetVolume {
    std::string file;            // beside the manifest, like all files here
    std::string content_digest;  // as WsdbReader::content_digest()
    std::uint64_t sequences = 0, residues = 0;
    std::optional<WsdbSetRemoved> removed;
    std::string update = {};  // as in the file's mark; empty: the file has no mark
    bool operator==(const WsdbSetVolume&) const = default;
};

/// A file that the set no longer needs. The members other than `file` distinguish it from another
/// file with its name. Version 1 has only `file`.
struct WsdbSetObsolete {
    std::string file;
    std::string update = {};          // empty: the file has no mark
    std::string content_digest = {};  // for a volume
    std::string xxh3_64 = {};         // for a list
    bool operator==(const WsdbSetObsolete&) const = default;
};

/// The record of what an update did.
struct WsdbSetHistoryEntry {
    std::string time = {};                      // in UTC, as "2026-11-27T06:01:02Z"
    std::string what = {};                      // "append", "replace", "remove", "compact" or "label"
    std::string update = {};                    // as in the marks of the files that it made
    std::string program = {};                   // version of warpseq that made the update
    std::uint64_t appended = 0, removed = 0;    // numbers of sequences
    std::uint64_t sequences = 0, residues = 0;  // of the whole set after the update
    std::uint64_t inputs = 0;                   // number of appended files
    std::string first_input = {};               // name of the first appended file, without its folder
    bool operator==(const WsdbSetHistoryEntry&) const = default;
};

class JsonWriter;
/// Writes the members of a JSON object that say what an update did. The member `update` is written
/// only if `with_update` is true.
void write_members(const WsdbSetHistoryEntry& entry, bool with_update, JsonWriter& json);

struct WsdbSetManifest {
    std::string identity = {};  // of the set, 32 hexadecimal digits; empty: the manifest is of version 1
    /// The next number for a file, which is above the numbers of all files that the set has had.
    /// New files get this number and the following ones. They get higher numbers if the folder
    /// already has files with these.
    std::uint64_t next_number = 1;
    std::vector<WsdbSetVolume> volumes;  // in the order of their sequences. None: the set is about to be made
    DatabaseLabels labels = {};
    /// Files that earlier states of the set needed. A reader that opens the set now does not need
    /// them.
    std::vector<WsdbSetObsolete> obsolete = {};
    std::vector<WsdbSetHistoryEntry> history = {};  // in order of time
    std::uint64_t forgotten_updates = 0;            // updates before those in `history`
    bool operator==(const WsdbSetManifest&) const = default;

    /// Return the numbers of sequences and of residues of all volumes, without the removed
    /// sequences.
    std::uint64_t sequence_count() const;
    std::uint64_t residue_count() const;
};

constexpr std::size_t kMostSetVolumes = 512;
constexpr std::size_t kLongestManifestBytes = std::size_t{4} << 20;
constexpr std::size_t kMostSetHistory = 4096;
constexpr std::size_t kLongestInputNameBytes = 255;

/// Parses a manifest and checks all of it. An error names `shown`, the place, and what was
/// expected.
Result<WsdbSetManifest> parse_set_manifest(std::string_view json, const std::string& shown);
/// Returns the text of a manifest in version 2. The manifest has an identity. An obsolete file is
/// left out if the manifest has neither a digest nor a checksum of it.
std::string set_manifest_text(const WsdbSetManifest& manifest);
/// Whether a text, which may be cut, begins as set_manifest_text() of a set with this identity.
bool begins_as_manifest_of(std::string_view start, std::string_view identity);

/// Whether a manifest can name a file like this: without a folder, in UTF-8, without control
/// characters below 0x20.
bool is_set_file_name(std::string_view name);

/// Whether a file with this beginning is a manifest, which may be damaged.
bool begins_as_set_manifest(std::string_view start);

}  // namespace warpseq

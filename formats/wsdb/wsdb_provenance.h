// Reads the provenance of a database: the record of its sources and of the program that made it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/blast/blast_facts.h"
#include "formats/io/json_writer.h"
#include "formats/wsdb/database_labels.h"
#include "formats/wsdb/wsdb_set_mark.h"

namespace warpseq {

/// A file that a database is a copy of (formats/wsdb/fasta_target.h), in its state when the copy
/// was made.
struct CopiedFile {
    std::string name;  // without its folder
    std::uint64_t size_bytes = 0;
    std::string modified,
        changed;  // last change of its content and of its inode: seconds, a point, nine digits of nanoseconds
    std::uint64_t device = 0, inode = 0;
    /// Whether the file was changed so shortly before the copy was made that a later change may
    /// bear the same time.
    bool is_recent = false;

    /// Describes a regular file. Returns nothing if `file` is not one.
    static std::optional<CopiedFile> of(const std::filesystem::path& file);
    /// Whether `now` describes the same file in the same state. `this` is what was recorded. Name,
    /// size, times, device and inode are compared, not the content. False if is_recent is true.
    bool is_same(const CopiedFile& now) const;
    void write(JsonWriter& json) const;
};

struct WsdbProvenance {
    struct Source {
        std::string name = "?";
        std::optional<std::uint64_t> size_bytes;  // as stored, perhaps compressed
        std::string xxh3_128;                     // of those bytes; not recorded for databases
    };
    bool is_object = false;  // false: the other members are unknown
    std::string program = "?", version = "?";
    bool skip_invalid = false;
    DatabaseLabels labels = {};
    std::vector<Source> sources;
    std::vector<CopiedFile> copied_files;  // empty: the database was not kept as a copy
    std::optional<BlastFacts> blast;
    std::optional<WsdbSetMark> set;  // mark of a volume; none if one of its members is invalid
};

/// Parses a provenance. It may have the members below, and others are ignored. Returns nothing if
/// `json` is not JSON.
///
/// {"program": "", "version": "", "skip_invalid": false, "title": "", "release": "",
///  "sources": [{"name": "", "size_bytes": 0, "xxh3_128": ""}],
///  "copied_files": [{"name": "", "size_bytes": 0, "modified": "", "changed": "", "device": 0,
///                    "inode": 0, "recent": false}],
///  "blast_database": {"title": "", "date": "", "version": 5, "parsed_ids": true, "taxids": true,
///                     "modified": ""},
///  "set": {"identity": "", "number": 7, "update": ""}}
std::optional<WsdbProvenance> read_provenance(std::string_view json);

class WsdbReader;
/// Reads the provenance of an open database. Returns nothing if it is damaged or not JSON.
std::optional<WsdbProvenance> provenance_of(const WsdbReader& reader);

}  // namespace warpseq

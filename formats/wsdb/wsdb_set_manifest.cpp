#include "formats/wsdb/wsdb_set_manifest.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "formats/io/checksum.h"
#include "formats/io/json_events.h"
#include "formats/io/json_writer.h"
#include "formats/io/shown_text.h"
#include "formats/wsdb/wsdb_layout.h"

namespace warpseq {

namespace {

constexpr std::uint64_t kVersion = 2, kVersionWithoutChecksum = 1;
constexpr std::string_view kMagicKey = "warpseq_set";
constexpr std::size_t kChecksumDigits = 16, kLongestWordBytes = 32;
/// The texts around the checksum at the end of a manifest of version 2. The checksum is that of the
/// text with zeros in its place.
constexpr std::string_view kBeforeChecksum = ",\n  \"checksum\": \"", kAfterChecksum = "\"\n}\n";

/// Returns where the digits of the checksum stand, or nothing if the text does not end as it
/// should.
std::optional<std::size_t> place_of_checksum(std::string_view text) {
    const std::size_t behind = kChecksumDigits + kAfterChecksum.size();
    if (text.size() < kBeforeChecksum.size() + behind || !text.ends_with(kAfterChecksum) ||
        !text.substr(0, text.size() - behind).ends_with(kBeforeChecksum))
        return std::nullopt;
    return text.size() - behind;
}

/// Computes the checksum that the text should have.
std::string checksum_of_manifest(std::string_view text) {
    std::string zeroed(text);
    if (const auto place = place_of_checksum(text)) zeroed.replace(*place, kChecksumDigits, kChecksumDigits, '0');
    return hex_text_of(checksum_of(zeroed.data(), zeroed.size()));
}

/// Fills a manifest. The first thing that is not as it should be ends the parsing.
class ManifestEvents : public JsonEvents {
   public:
    explicit ManifestEvents(WsdbSetManifest& manifest) : manifest_(manifest) {}

    const std::string& fault() const { return fault_; }
    std::size_t fault_byte() const { return fault_byte_; }
    std::uint64_t version() const { return version_; }
    const std::string& checksum() const { return checksum_; }
    /// Returns the first member that version 1 does not have, or an empty text if there is none.
    const std::string& later_member() const { return later_member_; }

    bool null() { return refuse("null"); }
    bool boolean(bool) { return refuse("true or false"); }
    bool number_integer(std::int64_t number) { return refuse(std::to_string(number)); }
    bool number_float(double, const std::string& text) { return refuse(text); }
    bool number_unsigned(std::uint64_t number) {
        const std::string text = std::to_string(number);
        if (level_ == Level::kTop && key_ == kMagicKey) {
            version_ = number;
            if (number != kVersion && number != kVersionWithoutChecksum)
                return fail("is of version " + text + ", and this program reads versions 1 and " +
                            std::to_string(kVersion));
            return true;
        }
        if (level_ == Level::kTop && key_ == "next_number")
            return take(number, manifest_.next_number, 1, kMostSetNumber);
        if (level_ == Level::kTop && key_ == "forgotten_updates")
            return later() && take(number, manifest_.forgotten_updates, 0, kMostSetNumber);
        if (level_ == Level::kUpdate) {
            WsdbSetHistoryEntry& entry = manifest_.history.back();
            if (key_ == "appended") return take(number, entry.appended, 0, wsdb::kMaxSequences);
            if (key_ == "removed") return take(number, entry.removed, 0, wsdb::kMaxSequences);
            if (key_ == "sequences") return take(number, entry.sequences, 0, wsdb::kMaxSequences);
            if (key_ == "residues") return take(number, entry.residues, 0, wsdb::kMaxResidues);
            if (key_ == "inputs") return take(number, entry.inputs, 0, kMostSetNumber);
        }
        if (level_ == Level::kVolume) {
            WsdbSetVolume& volume = manifest_.volumes.back();
            if (key_ == "sequences") return take(number, volume.sequences, 1, wsdb::kMaxSequences);
            if (key_ == "residues") return take(number, volume.residues, 0, wsdb::kMaxResidues);
        }
        if (level_ == Level::kRemoved) {
            WsdbSetRemoved& removed = *manifest_.volumes.back().removed;
            if (key_ == "sequences") return take(number, removed.sequences, 1, wsdb::kMaxSequences);
            if (key_ == "residues") return take(number, removed.residues, 0, wsdb::kMaxResidues);
        }
        return refuse(text);
    }
    bool string(const std::string& text) {
        if (level_ == Level::kObsolete) {
            if (version_ == kVersion) return refuse(shown_text(text));
            return add_obsolete() && take_name(text, manifest_.obsolete.back().file);
        }
        if (level_ == Level::kObsoleteFile) {
            WsdbSetObsolete& obsolete = manifest_.obsolete.back();
            if (key_ == "file") return take_name(text, obsolete.file);
            if (key_ == "update") return take_hex(text, kSetUpdateDigits, obsolete.update);
            if (key_ == "content_digest") return take_hex(text, 32, obsolete.content_digest);
            if (key_ == "xxh3_64") return take_hex(text, 16, obsolete.xxh3_64);
        }
        if (level_ == Level::kUpdate) {
            WsdbSetHistoryEntry& entry = manifest_.history.back();
            if (key_ == "time") return take_label(text, kLongestWordBytes, entry.time);
            if (key_ == "what") return take_label(text, kLongestWordBytes, entry.what);
            if (key_ == "update") return take_hex(text, kSetUpdateDigits, entry.update);
            if (key_ == "program") return take_label(text, kLongestWordBytes, entry.program);
            if (key_ == "first_input") return take_label(text, kLongestInputNameBytes, entry.first_input);
        }
        if (level_ == Level::kTop && key_ == "set")
            return later() && take_hex(text, kSetIdentityDigits, manifest_.identity);
        if (level_ == Level::kTop && key_ == "checksum") return later() && take_hex(text, kChecksumDigits, checksum_);
        if (level_ == Level::kTop && key_ == "title")
            return take_label(text, kLongestTitleBytes, manifest_.labels.title);
        if (level_ == Level::kTop && key_ == "release")
            return take_label(text, kLongestReleaseBytes, manifest_.labels.release);
        if (level_ == Level::kVolume) {
            WsdbSetVolume& volume = manifest_.volumes.back();
            if (key_ == "file") return take_name(text, volume.file);
            if (key_ == "content_digest") return take_hex(text, 32, volume.content_digest);
            if (key_ == "update") return later() && take_hex(text, kSetUpdateDigits, volume.update);
        }
        if (level_ == Level::kRemoved) {
            WsdbSetRemoved& removed = *manifest_.volumes.back().removed;
            if (key_ == "file") return take_name(text, removed.file);
            if (key_ == "xxh3_64") return take_hex(text, 16, removed.xxh3_64);
            if (key_ == "update") return later() && take_hex(text, kSetUpdateDigits, removed.update);
        }
        return refuse(shown_text(text));
    }
    bool key(const std::string& name) {
        key_ = name;
        if (keys_.back().insert(name).second) return true;
        return fail(where() + "says " + shown_text(name) + " twice");
    }
    bool start_object(std::size_t) {
        if (level_ == Level::kNone) {
            level_ = Level::kTop;
        } else if (level_ == Level::kVolumes) {
            if (manifest_.volumes.size() == kMostSetVolumes)
                return fail("has more than " + std::to_string(kMostSetVolumes) + " volumes");
            manifest_.volumes.emplace_back();
            level_ = Level::kVolume;
        } else if (level_ == Level::kVolume && key_ == "removed") {
            manifest_.volumes.back().removed.emplace();
            level_ = Level::kRemoved;
        } else if (level_ == Level::kObsolete) {
            if (!add_obsolete() || !later()) return false;
            level_ = Level::kObsoleteFile;
        } else if (level_ == Level::kHistory) {
            if (manifest_.history.size() == kMostSetHistory)
                return fail("has a history of more than " + std::to_string(kMostSetHistory) + " updates");
            manifest_.history.emplace_back();
            level_ = Level::kUpdate;
        } else {
            return refuse("an object");
        }
        keys_.emplace_back();
        return true;
    }
    bool end_object() {
        const auto needs = [&](std::initializer_list<const char*> names) {
            for (const char* name : names) {
                if (!keys_.back().contains(name)) return fail(where() + "does not say \"" + name + "\"");
            }
            keys_.pop_back();
            return true;
        };
        if (level_ == Level::kRemoved) {
            if (!needs({"file", "xxh3_64", "sequences", "residues"})) return false;
            level_ = Level::kVolume;
            return true;
        }
        if (level_ == Level::kVolume) {
            if (!needs({"file", "content_digest", "sequences", "residues"})) return false;
            const WsdbSetVolume& volume = manifest_.volumes.back();
            if (volume.removed &&
                (volume.removed->sequences >= volume.sequences || volume.removed->residues > volume.residues))
                return fail(where() + "removes all of its sequences, or more residues than it has");
            level_ = Level::kVolumes;
            return true;
        }
        if (level_ == Level::kObsoleteFile) {
            level_ = Level::kObsolete;
            const WsdbSetObsolete& obsolete = manifest_.obsolete.back();
            return needs({"file"}) &&
                   (obsolete.content_digest.empty() != obsolete.xxh3_64.empty() ||
                    fail("gives an obsolete file neither \"content_digest\" nor \"xxh3_64\", or both"));
        }
        if (level_ == Level::kUpdate) {
            if (!needs({"time", "what", "update", "program", "appended", "removed", "sequences", "residues"}))
                return false;
            level_ = Level::kHistory;
            return true;
        }
        level_ = Level::kEnd;
        return needs({"warpseq_set", "next_number", "volumes"});
    }
    bool start_array(std::size_t) {
        if (level_ == Level::kTop && key_ == "volumes") {
            level_ = Level::kVolumes;
        } else if (level_ == Level::kTop && key_ == "obsolete") {
            level_ = Level::kObsolete;
        } else if (level_ == Level::kTop && key_ == "history") {
            if (!later()) return false;
            level_ = Level::kHistory;
        } else {
            return refuse("a list");
        }
        return true;
    }
    bool end_array() {
        level_ = Level::kTop;
        return true;
    }
    bool parse_error(std::size_t byte, const std::string&, const nlohmann::json::exception&) {
        fault_byte_ = byte;
        return false;
    }

   private:
    enum class Level { kNone, kTop, kVolumes, kVolume, kRemoved, kObsolete, kObsoleteFile, kHistory, kUpdate, kEnd };

    bool fail(std::string what) {
        fault_ = std::move(what);
        return false;
    }
    std::string where() const {
        if (level_ == Level::kUpdate) return "update " + std::to_string(manifest_.history.size()) + " ";
        if (level_ != Level::kVolume && level_ != Level::kRemoved) return "";
        return "volume " + std::to_string(manifest_.volumes.size()) + " ";
    }
    bool refuse(const std::string& found) {
        return fail(where() + "has " + found + " as " + shown_text(key_) + ", which was not expected");
    }
    bool not_plain(const std::string& text) {
        return fail(where() + "names the file " + shown_text(text) +
                    "; a file beside the manifest was expected, without a folder");
    }
    /// Notes a member that version 1 does not have.
    bool later() {
        if (later_member_.empty()) later_member_ = key_;
        return true;
    }
    bool add_obsolete() {
        manifest_.obsolete.emplace_back();
        return manifest_.obsolete.size() <= kMostSetVolumes * 4 || fail("names too many obsolete files");
    }
    bool take(std::uint64_t number, std::uint64_t& value, std::uint64_t least, std::uint64_t most) {
        value = number;
        if (number >= least && number <= most) return true;
        return fail(where() + "has " + std::to_string(number) + " as \"" + key_ + "\"; " + std::to_string(least) +
                    " to " + std::to_string(most) + " was expected");
    }
    bool take_name(const std::string& text, std::string& value) {
        value = text;
        return is_set_file_name(text) || not_plain(text);
    }
    bool take_label(const std::string& text, std::size_t longest_bytes, std::string& value) {
        value = text;
        const auto why = why_no_label(text, longest_bytes);
        return !why || fail("has " + shown_text(text) + " as \"" + key_ + "\", which " + *why);
    }
    bool take_hex(const std::string& text, std::size_t digits, std::string& value) {
        value = text;
        if (is_hex_text(text, digits)) return true;
        return fail(where() + "has " + shown_text(text) + " as \"" + key_ + "\"; " + std::to_string(digits) +
                    " hexadecimal digits were expected");
    }

    WsdbSetManifest& manifest_;
    Level level_ = Level::kNone;
    std::vector<std::set<std::string>> keys_;  // keys of the open objects
    std::string key_, fault_, checksum_, later_member_;
    std::size_t fault_byte_ = 0;
    std::uint64_t version_ = 0;
};

}  // namespace

bool is_set_file_name(std::string_view name) {
    return !name.empty() && name.size() <= 255 && name != "." && name != ".." && !first_byte_not_utf8(name) &&
           std::ranges::none_of(name, [](char byte) { return byte == '/' || static_cast<unsigned char>(byte) < ' '; });
}

std::uint64_t WsdbSetManifest::sequence_count() const {
    std::uint64_t sum = 0;
    for (const WsdbSetVolume& volume : volumes)
        sum += volume.sequences - (volume.removed ? volume.removed->sequences : 0);
    return sum;
}

std::uint64_t WsdbSetManifest::residue_count() const {
    std::uint64_t sum = 0;
    for (const WsdbSetVolume& volume : volumes)
        sum += volume.residues - (volume.removed ? volume.removed->residues : 0);
    return sum;
}

Result<WsdbSetManifest> parse_set_manifest(std::string_view json, const std::string& shown) {
    const auto refused = [&](const std::string& what) {
        return Status::invalid_input(shown + ": " + what +
                                     "; the manifest of a set is damaged or was not written by dbconv: restore it "
                                     "from a copy, or make the set again from its volumes");
    };
    if (json.size() > kLongestManifestBytes)
        return refused("is longer than " + std::to_string(kLongestManifestBytes >> 20) + " MiB");
    WsdbSetManifest manifest;
    ManifestEvents events(manifest);
    if (!nlohmann::json::sax_parse(json.begin(), json.end(), &events)) {
        return refused(events.fault().empty() ? "byte " + std::to_string(events.fault_byte()) + ": is not JSON"
                                              : events.fault());
    }
    if (events.version() == kVersionWithoutChecksum) {
        if (!events.later_member().empty())
            return refused("is of version 1 and says " + shown_text(events.later_member()) +
                           ", which that version does not have");
    } else {
        if (manifest.identity.empty()) return refused("does not say \"set\"");
        if (std::ranges::any_of(manifest.obsolete, [](const WsdbSetObsolete& each) {
                return each.content_digest.empty() && each.xxh3_64.empty();
            }))
            return refused("names an obsolete file without \"content_digest\" or \"xxh3_64\"");
        const auto place = place_of_checksum(json);
        if (!place || events.checksum().empty()) return refused("does not end with its checksum");
        const std::string found = checksum_of_manifest(json);
        if (found != events.checksum())
            return refused("has checksum " + found + "; " + events.checksum() + " was expected");
    }
    std::set<std::string_view> names;
    std::uint64_t sequences = 0, residues = 0;
    const auto check_name = [&](const std::string& file, const std::string& update, const std::string& what) -> Status {
        if (!names.insert(file).second) return refused(what + shown_text(file) + ", which is named twice");
        const auto name = parse_set_file_name(file);
        if (!name && !update.empty()) return refused(what + shown_text(file) + ", whose name has no number");
        if (name && name->number >= manifest.next_number)
            return refused("has " + std::to_string(manifest.next_number) + " as \"next_number\", and " + what +
                           shown_text(file) + "; a number above that of each file was expected");
        return {};
    };
    for (std::size_t v = 0; v < manifest.volumes.size(); ++v) {
        const WsdbSetVolume& volume = manifest.volumes[v];
        sequences += volume.sequences;
        residues += volume.residues;
        if (sequences > wsdb::kMaxSequences || residues > wsdb::kMaxResidues)
            return refused("its volumes have too many sequences or residues together");
        const std::string what = "volume " + std::to_string(v + 1) + " names the file ";
        WARPSEQ_TRY(check_name(volume.file, volume.update, what));
        if (volume.removed) WARPSEQ_TRY(check_name(volume.removed->file, volume.removed->update, what));
    }
    for (const WsdbSetObsolete& obsolete : manifest.obsolete)
        WARPSEQ_TRY(check_name(obsolete.file, obsolete.update, "obsolete names the file "));
    return manifest;
}

void write_members(const WsdbSetHistoryEntry& entry, bool with_update, JsonWriter& json) {
    json.member("time", entry.time);
    json.member("what", entry.what);
    if (with_update) json.member("update", entry.update);
    json.member("program", entry.program);
    json.member("appended", entry.appended);
    json.member("removed", entry.removed);
    json.member("sequences", entry.sequences);
    json.member("residues", entry.residues);
    if (entry.inputs > 0) {
        json.member("inputs", entry.inputs);
        json.member("first_input", entry.first_input);
    }
}

std::string set_manifest_text(const WsdbSetManifest& manifest) {
    std::string text;
    JsonWriter json(text, JsonWriter::Layout::kIndented);
    json.begin_object();
    json.member(kMagicKey, kVersion);
    json.member("set", manifest.identity);
    json.member("next_number", manifest.next_number);
    if (!manifest.labels.title.empty()) json.member("title", manifest.labels.title);
    if (!manifest.labels.release.empty()) json.member("release", manifest.labels.release);
    json.key("volumes").begin_array();
    for (const WsdbSetVolume& volume : manifest.volumes) {
        json.begin_object();
        json.member("file", volume.file);
        if (!volume.update.empty()) json.member("update", volume.update);
        json.member("content_digest", volume.content_digest);
        json.member("sequences", volume.sequences);
        json.member("residues", volume.residues);
        if (volume.removed) {
            json.key("removed").begin_object();
            json.member("file", volume.removed->file);
            if (!volume.removed->update.empty()) json.member("update", volume.removed->update);
            json.member("xxh3_64", volume.removed->xxh3_64);
            json.member("sequences", volume.removed->sequences);
            json.member("residues", volume.removed->residues);
            json.end_object();
        }
        json.end_object();
    }
    json.end_array();
    json.key("obsolete").begin_array();
    for (const WsdbSetObsolete& obsolete : manifest.obsolete) {
        if (obsolete.content_digest.empty() && obsolete.xxh3_64.empty()) continue;
        json.begin_object();
        json.member("file", obsolete.file);
        if (!obsolete.update.empty()) json.member("update", obsolete.update);
        if (!obsolete.content_digest.empty()) json.member("content_digest", obsolete.content_digest);
        if (!obsolete.xxh3_64.empty()) json.member("xxh3_64", obsolete.xxh3_64);
        json.end_object();
    }
    json.end_array();
    if (manifest.forgotten_updates > 0) json.member("forgotten_updates", manifest.forgotten_updates);
    json.key("history").begin_array();
    for (const WsdbSetHistoryEntry& entry : manifest.history) {
        json.begin_object();
        write_members(entry, true, json);
        json.end_object();
    }
    json.end_array();
    json.member("checksum", std::string(kChecksumDigits, '0'));
    json.end_object();
    json.line_break();
    const std::string checksum = checksum_of_manifest(text);
    text.replace(*place_of_checksum(text), kChecksumDigits, checksum);
    return text;
}

bool begins_as_manifest_of(std::string_view start, std::string_view identity) {
    WsdbSetManifest empty;
    empty.identity = identity;
    const std::string whole = set_manifest_text(empty);
    return !identity.empty() && start.starts_with(std::string_view(whole).substr(0, whole.find("\"next_number\"")));
}

bool begins_as_set_manifest(std::string_view start) {
    constexpr std::string_view kBlanks = " \t\r\n";
    const auto skip = [&] { start.remove_prefix(std::min(start.find_first_not_of(kBlanks), start.size())); };
    skip();
    if (!start.starts_with('{')) return false;
    start.remove_prefix(1);
    skip();
    return start.starts_with("\"" + std::string(kMagicKey) + "\"");
}

}  // namespace warpseq

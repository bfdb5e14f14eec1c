#include "formats/wsdb_set_manifest.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "formats/json_events.h"
#include "formats/json_writer.h"
#include "formats/shown_text.h"
#include "formats/wsdb_layout.h"

namespace warpseq {

namespace {

constexpr std::uint64_t kVersion = 1;
constexpr std::uint64_t kMostNumber = std::uint64_t{1} << 48;
constexpr std::string_view kMagicKey = "warpseq_set";

bool is_hex(std::string_view text, std::size_t digits) {
    return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Fills a manifest; the first thing that is not as it should be ends it.
class ManifestEvents : public JsonEvents {
   public:
    explicit ManifestEvents(WsdbSetManifest& manifest) : manifest_(manifest) {}

    const std::string& fault() const { return fault_; }
    std::size_t fault_byte() const { return fault_byte_; }

    bool null() { return refuse("null"); }
    bool boolean(bool) { return refuse("true or false"); }
    bool number_integer(std::int64_t number) { return refuse(std::to_string(number)); }
    bool number_float(double, const std::string& text) { return refuse(text); }
    bool number_unsigned(std::uint64_t number) {
        const std::string text = std::to_string(number);
        if (level_ == Level::kTop && key_ == kMagicKey) {
            if (number != kVersion)
                return fail("is of version " + text + ", and this program reads version " + std::to_string(kVersion));
            return seen();
        }
        if (level_ == Level::kTop && key_ == "next_number") return take(number, manifest_.next_number, 1, kMostNumber);
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
            manifest_.obsolete.push_back(text);
            if (!is_set_file_name(text)) return not_plain(text);
            return manifest_.obsolete.size() <= kMostSetVolumes * 4 || fail("names too many obsolete files");
        }
        if (level_ == Level::kTop && key_ == "title")
            return take_label(text, kLongestTitleBytes, manifest_.labels.title);
        if (level_ == Level::kTop && key_ == "release")
            return take_label(text, kLongestReleaseBytes, manifest_.labels.release);
        if (level_ == Level::kVolume) {
            WsdbSetVolume& volume = manifest_.volumes.back();
            if (key_ == "file") return take_name(text, volume.file);
            if (key_ == "content_digest") return take_hex(text, 32, volume.content_digest);
        }
        if (level_ == Level::kRemoved) {
            WsdbSetRemoved& removed = *manifest_.volumes.back().removed;
            if (key_ == "file") return take_name(text, removed.file);
            if (key_ == "xxh3_64") return take_hex(text, 16, removed.xxh3_64);
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
                return fail(where() + "removes more than there is");
            level_ = Level::kVolumes;
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
    enum class Level { kNone, kTop, kVolumes, kVolume, kRemoved, kObsolete, kEnd };

    bool fail(std::string what) {
        fault_ = std::move(what);
        return false;
    }
    std::string where() const {
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
    static bool seen() { return true; }
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
        if (is_hex(text, digits)) return true;
        return fail(where() + "has " + shown_text(text) + " as \"" + key_ + "\"; " + std::to_string(digits) +
                    " hexadecimal digits were expected");
    }

    WsdbSetManifest& manifest_;
    Level level_ = Level::kNone;
    std::vector<std::set<std::string>> keys_;  // of the objects that are open
    std::string key_, fault_;
    std::size_t fault_byte_ = 0;
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
                                     "; the manifest of a set is damaged or was not written by dbconv: bring it back "
                                     "from a copy, or make the set again from its volumes");
    };
    if (json.size() > kLongestManifestBytes)
        return refused("is longer than " + std::to_string(kLongestManifestBytes >> 20) + " MiB");
    WsdbSetManifest manifest;
    ManifestEvents events(manifest);
    if (!nlohmann::json::sax_parse(json.begin(), json.end(), &events)) {
        return refused(events.fault().empty() ? "byte " + std::to_string(events.fault_byte()) + ": is no JSON"
                                              : events.fault());
    }
    std::set<std::string_view> names;
    std::uint64_t sequences = 0, residues = 0;
    for (std::size_t v = 0; v < manifest.volumes.size(); ++v) {
        const WsdbSetVolume& volume = manifest.volumes[v];
        sequences += volume.sequences;
        residues += volume.residues;
        if (sequences > wsdb::kMaxSequences || residues > wsdb::kMaxResidues)
            return refused("its volumes have too many sequences or residues together");
        const auto twice = [&](const std::string& name) {
            return refused("volume " + std::to_string(v + 1) + " names the file " + shown_text(name) +
                           ", which is named before");
        };
        if (!names.insert(volume.file).second) return twice(volume.file);
        if (volume.removed && !names.insert(volume.removed->file).second) return twice(volume.removed->file);
    }
    for (const std::string& name : manifest.obsolete) {
        if (!names.insert(name).second) return refused("obsolete is " + shown_text(name) + ", which is named before");
    }
    return manifest;
}

std::string set_manifest_text(const WsdbSetManifest& manifest) {
    std::string text;
    JsonWriter json(text, JsonWriter::Layout::kIndented);
    json.begin_object();
    json.member(kMagicKey, kVersion);
    json.member("next_number", manifest.next_number);
    if (!manifest.labels.title.empty()) json.member("title", manifest.labels.title);
    if (!manifest.labels.release.empty()) json.member("release", manifest.labels.release);
    json.key("volumes").begin_array();
    for (const WsdbSetVolume& volume : manifest.volumes) {
        json.begin_object();
        json.member("file", volume.file);
        json.member("content_digest", volume.content_digest);
        json.member("sequences", volume.sequences);
        json.member("residues", volume.residues);
        if (volume.removed) {
            json.key("removed").begin_object();
            json.member("file", volume.removed->file);
            json.member("xxh3_64", volume.removed->xxh3_64);
            json.member("sequences", volume.removed->sequences);
            json.member("residues", volume.removed->residues);
            json.end_object();
        }
        json.end_object();
    }
    json.end_array();
    if (!manifest.obsolete.empty()) {
        json.key("obsolete").begin_array();
        for (const std::string& name : manifest.obsolete) json.value(name);
        json.end_array();
    }
    json.end_object();
    json.line_break();
    return text;
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

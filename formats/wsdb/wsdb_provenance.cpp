#include "formats/wsdb/wsdb_provenance.h"

#include <sys/stat.h>

#include <algorithm>
#include <ctime>

#include "formats/io/file_stamp.h"
#include "formats/io/json_events.h"
#include "formats/wsdb/wsdb_map.h"
#include "formats/wsdb/wsdb_reader.h"

namespace warpseq {

namespace {

/// The time before a copy is made after which a change of the file counts as recent. Times of files
/// advance in steps of some milliseconds, and clocks of servers differ somewhat. So an older change
/// has another time than one after the copy.
constexpr std::int64_t kRecentSeconds = 2;

class ProvenanceEvents : public JsonEvents {
   public:
    explicit ProvenanceEvents(WsdbProvenance& found) : found_(found) {}

    bool boolean(bool value) {
        if (in_blast() && key_ == "parsed_ids") found_.blast->has_parsed_ids = value;
        if (in_blast() && key_ == "taxids") found_.blast->has_taxids = value;
        if (level_ == 1 && found_.is_object && key_ == "skip_invalid") found_.skip_invalid = value;
        if (in_copied_file() && key_ == "recent") found_.copied_files.back().is_recent = value;
        return true;
    }
    bool number_unsigned(std::uint64_t number) {
        if (in_blast() && key_ == "version") found_.blast->version = number;
        if (in_source() && key_ == "size_bytes") found_.sources.back().size_bytes = number;
        if (in_set() && key_ == "number") found_.set->number = number;
        if (in_copied_file()) {
            CopiedFile& file = found_.copied_files.back();
            if (key_ == "size_bytes") file.size_bytes = number;
            if (key_ == "device") file.device = number;
            if (key_ == "inode") file.inode = number;
        }
        return true;
    }
    bool string(const std::string& text) {
        if (in_source() && key_ == "name") found_.sources.back().name = text;
        if (in_source() && key_ == "xxh3_128") found_.sources.back().xxh3_128 = text;
        if (in_copied_file()) {
            CopiedFile& file = found_.copied_files.back();
            if (key_ == "name") file.name = text;
            if (key_ == "modified") file.modified = text;
            if (key_ == "changed") file.changed = text;
        }
        if (in_blast() && key_ == "title") found_.blast->title = text;
        if (in_blast() && key_ == "date") found_.blast->date = text;
        if (in_blast() && key_ == "modified") found_.blast->modified = text;
        if (in_set() && key_ == "identity") found_.set->set = text;
        if (in_set() && key_ == "update") found_.set->update = text;
        if (level_ == 1 && found_.is_object && key_ == "title" && !why_no_label(text, kLongestTitleBytes))
            found_.labels.title = text;
        if (level_ == 1 && found_.is_object && key_ == "release" && !why_no_label(text, kLongestReleaseBytes))
            found_.labels.release = text;
        if (level_ == 1 && found_.is_object && key_ == "program") found_.program = text;
        if (level_ == 1 && found_.is_object && key_ == "version") found_.version = text;
        return true;
    }
    bool key(const std::string& name) {
        key_ = name;
        return true;
    }
    bool start_object(std::size_t) {
        if (level_ == 0) found_.is_object = true;
        if (level_ == 1 && found_.is_object && key_ == "blast_database") {
            found_.blast.emplace();
            in_blast_ = true;
        }
        if (level_ == 1 && found_.is_object && key_ == "set") {
            found_.set.emplace();
            in_set_ = true;
        }
        if (level_ == 2 && in_sources_) {
            in_source_ = true;
            found_.sources.emplace_back();
        }
        if (level_ == 2 && in_copied_files_) {
            in_copied_file_ = true;
            found_.copied_files.emplace_back();
        }
        return begin();
    }
    bool end_object() {
        if (--level_ == 2) in_source_ = in_copied_file_ = false;
        if (level_ == 1) in_blast_ = in_set_ = false;
        return true;
    }
    bool start_array(std::size_t) {
        if (level_ == 1 && found_.is_object && key_ == "sources") in_sources_ = true;
        if (level_ == 1 && found_.is_object && key_ == "copied_files") in_copied_files_ = true;
        return begin();
    }
    bool end_array() {
        if (--level_ == 1) in_sources_ = in_copied_files_ = false;
        return true;
    }

   private:
    /// Enters a level. Deeper nesting than kMostLevels is refused, because a provenance does not
    /// need it.
    bool begin() { return ++level_ <= kMostLevels; }
    bool in_source() const { return level_ == 3 && in_source_; }
    bool in_copied_file() const { return level_ == 3 && in_copied_file_; }

    bool in_blast() const { return level_ == 2 && in_blast_; }
    bool in_set() const { return level_ == 2 && in_set_; }

    WsdbProvenance& found_;
    static constexpr std::size_t kMostLevels = 1000;
    std::size_t level_ = 0;  // open objects and arrays
    bool in_sources_ = false, in_source_ = false, in_blast_ = false, in_set_ = false;
    bool in_copied_files_ = false, in_copied_file_ = false;
    std::string key_;
};

}  // namespace

std::optional<CopiedFile> CopiedFile::of(const std::filesystem::path& file) {
    struct stat info {};
    if (stat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    CopiedFile found;
    found.name = file.filename().string();
    found.size_bytes = static_cast<std::uint64_t>(info.st_size);
    found.modified = time_text(info.st_mtim);
    found.changed = time_text(info.st_ctim);
    found.device = info.st_dev;
    found.inode = info.st_ino;
    found.is_recent = std::max(info.st_mtim.tv_sec, info.st_ctim.tv_sec) + kRecentSeconds > now.tv_sec;
    return found;
}

bool CopiedFile::is_same(const CopiedFile& now) const {
    return !is_recent && name == now.name && size_bytes == now.size_bytes && modified == now.modified &&
           changed == now.changed && device == now.device && inode == now.inode;
}

void CopiedFile::write(JsonWriter& json) const {
    json.begin_object();
    json.member("name", name);
    json.member("size_bytes", size_bytes);
    json.member("modified", modified);
    json.member("changed", changed);
    json.member("device", device);
    json.member("inode", inode);
    json.member("recent", is_recent);
    json.end_object();
}

std::optional<WsdbProvenance> read_provenance(std::string_view json) {
    WsdbProvenance found;
    ProvenanceEvents events(found);
    if (!nlohmann::json::sax_parse(json.begin(), json.end(), &events)) return std::nullopt;
    if (found.set && (!is_hex_text(found.set->set, kSetIdentityDigits) || found.set->number == 0 ||
                      found.set->number > kMostSetNumber || !is_hex_text(found.set->update, kSetUpdateDigits)))
        found.set.reset();
    return found;
}

std::optional<WsdbProvenance> provenance_of(const WsdbReader& reader) {
    const auto text = reader.map().provenance();
    return text.ok() ? read_provenance(*text) : std::nullopt;
}

}  // namespace warpseq

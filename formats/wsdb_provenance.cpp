#include "formats/wsdb_provenance.h"

#include "formats/json_events.h"
#include "formats/wsdb_map.h"
#include "formats/wsdb_reader.h"

namespace warpseq {

namespace {

class ProvenanceEvents : public JsonEvents {
   public:
    explicit ProvenanceEvents(WsdbProvenance& found) : found_(found) {}

    bool boolean(bool value) {
        if (in_blast() && key_ == "parsed_ids") found_.blast->has_parsed_ids = value;
        if (in_blast() && key_ == "taxids") found_.blast->has_taxids = value;
        if (level_ == 1 && found_.is_object && key_ == "skip_invalid") found_.skip_invalid = value;
        return true;
    }
    bool number_unsigned(std::uint64_t number) {
        if (in_blast() && key_ == "version") found_.blast->version = number;
        if (in_source() && key_ == "size_bytes") found_.sources.back().size_bytes = number;
        if (in_set() && key_ == "number") found_.set->number = number;
        return true;
    }
    bool string(const std::string& text) {
        if (in_source() && key_ == "name") found_.sources.back().name = text;
        if (in_source() && key_ == "xxh3_128") found_.sources.back().xxh3_128 = text;
        if (in_blast() && key_ == "title") found_.blast->title = text;
        if (in_blast() && key_ == "date") found_.blast->date = text;
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
        return begin();
    }
    bool end_object() {
        if (--level_ == 2) in_source_ = false;
        if (level_ == 1) in_blast_ = in_set_ = false;
        return true;
    }
    bool start_array(std::size_t) {
        if (level_ == 1 && found_.is_object && key_ == "sources") in_sources_ = true;
        return begin();
    }
    bool end_array() {
        if (--level_ == 1) in_sources_ = false;
        return true;
    }

   private:
    /// What nests deeper says nothing of a database, and is no provenance.
    bool begin() { return ++level_ <= kMostLevels; }
    bool in_source() const { return level_ == 3 && in_source_; }

    bool in_blast() const { return level_ == 2 && in_blast_; }
    bool in_set() const { return level_ == 2 && in_set_; }

    WsdbProvenance& found_;
    static constexpr std::size_t kMostLevels = 1000;
    std::size_t level_ = 0;  // open objects and arrays
    bool in_sources_ = false, in_source_ = false, in_blast_ = false, in_set_ = false;
    std::string key_;
};

}  // namespace

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

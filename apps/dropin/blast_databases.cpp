#include "apps/dropin/blast_databases.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>

#include "formats/blast_database.h"
#include "formats/wsdb_provenance.h"
#include "formats/wsdb_reader.h"

namespace warpseq {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKey = "warpseq_database";
constexpr std::uintmax_t kLongestMarkerBytes = 1 << 16;

std::vector<std::string> search_folders() {
    std::error_code error;
    std::vector<std::string> folders = {fs::current_path(error).string()};
    if (const char* list = std::getenv("BLASTDB"); list != nullptr) {
        std::string_view rest = list;
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find(':'), rest.size());
            if (end > 0) folders.emplace_back(rest.substr(0, end));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }
    return folders;
}

fs::path with_ending(const fs::path& base, const std::string& ending) {
    fs::path file = base;
    file += ending;
    return file;
}

bool is_file(const fs::path& file) {
    std::error_code error;
    const auto status = fs::status(file, error);
    return !error && fs::exists(status) && !fs::is_directory(status);
}

/// Whether it is the copy of a real BLAST database, for which open_target() looks itself.
bool is_copy(const fs::path& database) {
    const auto reader = WsdbReader::open(database);
    const auto provenance = reader.ok() ? provenance_of(*reader) : std::nullopt;
    return provenance && provenance->blast;
}

/// A real BLAST database, by its alias or index.
Result<BlastDatabase> read_real_database(const std::string& name, const fs::path& base) {
    BlastDatabase found;
    found.base = base;
    const fs::path alias = with_ending(base, ".pal");
    found.database = is_file(alias) ? alias : with_ending(base, ".pin");
    const auto reader = BlastDatabaseReader::open(base);
    if (!reader.ok()) {
        const std::string fasta = base.string() + ".fasta";
        return Status::invalid_input(
            "[" + name + "] is a database of NCBI BLAST that warpseq cannot read: " + reader.status().message() +
            ". Two commands may convert it: NCBI's own blastdbcmd -db " + base.string() + " -entry all -out " + fasta +
            ", and then makeblastdb -in " + fasta + " -dbtype prot; then search -db " + fasta);
    }
    found.title = reader->facts().title;
    found.date = reader->facts().date;
    found.version = static_cast<int>(reader->facts().version);
    found.has_parsed_ids = reader->facts().has_parsed_ids;
    found.files = reader->files();
    found.volumes = reader->volumes();
    return found;
}

/// Whether real BLAST files of this name are newer than the .wsdb beside them, which is then another database.
bool is_older(const fs::path& database, const fs::path& index) {
    std::error_code error;
    const auto of_index = fs::last_write_time(index, error);
    if (error) return false;
    const auto of_database = fs::last_write_time(database, error);
    return !error && of_database < of_index;
}

}  // namespace

std::string marker_line(const BlastMarker& marker) {
    const nlohmann::ordered_json line = {{kKey, marker.database.string()},
                                         {"title", marker.title},
                                         {"date", marker.date},
                                         {"parse_seqids", marker.has_parsed_ids},
                                         {"blastdb_version", marker.version},
                                         {"taxid", marker.taxid},
                                         {"taxids", marker.has_taxids}};
    return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::optional<BlastMarker> read_marker(const fs::path& file) {
    std::error_code error;
    if (!fs::is_regular_file(file, error) || fs::file_size(file, error) > kLongestMarkerBytes || error) return {};
    std::ifstream in(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto line = nlohmann::json::parse(text, nullptr, false);
    if (!line.is_object() || !line.contains(kKey) || !line[kKey].is_string()) return {};
    BlastMarker marker;
    marker.database = file.parent_path() / line[kKey].get<std::string>();
    const auto text_of = [&](const char* name) {
        return line.contains(name) && line[name].is_string() ? line[name].get<std::string>() : std::string();
    };
    marker.title = text_of("title");
    marker.date = text_of("date");
    if (const auto it = line.find("parse_seqids"); it != line.end() && it->is_boolean())
        marker.has_parsed_ids = it->get<bool>();
    if (const auto it = line.find("taxids"); it != line.end() && it->is_boolean()) marker.has_taxids = it->get<bool>();
    if (const auto it = line.find("blastdb_version"); it != line.end() && it->is_number_integer())
        marker.version = it->get<int>();
    if (const auto it = line.find("taxid"); it != line.end() && it->is_number_unsigned())
        marker.taxid = it->get<std::uint64_t>();
    return marker;
}

std::string blast_date(std::time_t time) {
    std::tm parts{};
    localtime_r(&time, &parts);
    char day[64], minute[64];
    const std::size_t day_bytes = std::strftime(day, sizeof day, "%b %d, %Y", &parts);
    const std::size_t minute_bytes = std::strftime(minute, sizeof minute, ":%M %p", &parts);
    const int hour = parts.tm_hour % 12 == 0 ? 12 : parts.tm_hour % 12;
    return std::string(day, day_bytes) + "  " + std::to_string(hour) + std::string(minute, minute_bytes);
}

std::vector<std::string> database_names(std::string_view text) {
    std::vector<std::string> names;
    std::string name;
    bool in_quotes = false, has_name = false;
    for (const char c : text) {
        if (c == '"') {
            in_quotes = !in_quotes;
            has_name = true;
        } else if (c == ' ' && !in_quotes) {
            if (has_name) names.push_back(std::move(name));
            name.clear();
            has_name = false;
        } else {
            name += c;
            has_name = true;
        }
    }
    if (has_name) names.push_back(std::move(name));
    return names;
}

std::string database_search_path() {
    std::string path;
    const auto folders = search_folders();
    for (const std::string& folder : folders) path += folder + ":";
    if (folders.size() == 1) path += ":";
    return path;
}

Result<BlastDatabase> find_blast_database(const std::string& name, std::string_view kind) {
    Status unreadable;
    const bool is_absolute = fs::path(name).is_absolute();
    for (const std::string& folder : search_folders()) {
        BlastDatabase found;
        found.base = is_absolute ? fs::path(name) : (fs::path(folder) / name).lexically_normal();
        const fs::path index = with_ending(found.base, ".pin"), database = with_ending(found.base, ".wsdb");
        found.title = found.base.filename().string();
        if (const auto marker = read_marker(index)) {
            static_cast<BlastMarker&>(found) = *marker;
            if (is_file(found.database)) return found;
            return Status::invalid_input(index.string() + " says that the database is in " + found.database.string() +
                                         ", which is not there; make it again with makeblastdb");
        }
        const fs::path alias = with_ending(found.base, ".pal");
        const bool is_real = is_file(index) || is_file(alias);
        if (is_file(database) &&
            !(is_real && (is_older(database, is_file(alias) ? alias : index) || is_copy(database)))) {
            found.database = database;
            return found;
        }
        if (is_real) {
            auto real = read_real_database(name, found.base);
            if (real.ok()) return real;
            if (unreadable.ok()) unreadable = real.status();
        }
        if (is_file(found.base)) {
            found.database = found.base;
            return found;
        }
        if (is_absolute) break;
    }
    if (!unreadable.ok()) return unreadable;
    return Status::invalid_input("No alias or index file found for " + std::string(kind) + " database [" + name +
                                 "] in search path [" + database_search_path() + "]");
}

std::vector<fs::path> markers_of(const BlastDatabase& database) {
    if (!database.files.empty()) return database.files;
    std::vector<fs::path> markers;
    if (!read_marker(with_ending(database.base, ".pin"))) return markers;
    for (const int version : {4, 5}) {
        for (const std::string& ending : marker_endings(version, true, true)) {
            fs::path marker = with_ending(database.base, ending);
            if (is_file(marker) && std::ranges::find(markers, marker) == markers.end())
                markers.push_back(std::move(marker));
        }
    }
    return markers;
}

std::vector<std::string> marker_endings(int version, bool has_parsed_ids, bool has_hashes) {
    std::vector<std::string> endings = {".phr", ".psq"};
    const auto add = [&](std::initializer_list<const char*> more) {
        endings.insert(endings.end(), more.begin(), more.end());
    };
    if (version == 5) add({".pdb", ".pot", ".ptf", ".pto"});
    if (has_parsed_ids || has_hashes) add({".pog"});
    if (has_parsed_ids && version == 5) add({".pos"});
    if ((has_parsed_ids || has_hashes) && version == 4) add({".psd", ".psi"});
    if (has_hashes) add({".phd", ".phi"});
    endings.emplace_back(".pin");  // the last one: with it the database is there
    return endings;
}

}  // namespace warpseq

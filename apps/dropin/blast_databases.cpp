#include "apps/dropin/blast_databases.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "apps/dropin/blast_command_line.h"
#include "apps/dropin/blast_settings.h"
#include "formats/blast/blast_database.h"
#include "formats/wsdb/wsdb_provenance.h"
#include "formats/wsdb/wsdb_reader.h"

namespace warpseq {
namespace {

namespace fs = std::filesystem;

std::string environment_folders() {
    const char* const list = std::getenv("BLASTDB");
    return list != nullptr ? list : "";
}

/// Appends the folders of a list whose entries are separated by colons.
void add_folders(std::string_view list, std::vector<std::string>& folders) {
    while (!list.empty()) {
        const std::size_t end = std::min(list.find(':'), list.size());
        if (end > 0) folders.emplace_back(list.substr(0, end));
        list.remove_prefix(std::min(end + 1, list.size()));
    }
}

/// Returns a name as BLAST+ looks for it. BLAST+ takes either sign for a separator of folders.
std::string with_slashes(std::string_view name) {
    std::string text(name);
    std::ranges::replace(text, '\\', '/');
    return text;
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

/// Whether `database` is the copy of a real BLAST database. open_target() finds such copies itself.
bool is_copy(const fs::path& database) {
    const auto reader = WsdbReader::open(database);
    const auto provenance = reader.ok() ? provenance_of(*reader) : std::nullopt;
    return provenance && provenance->blast;
}

/// Reads the facts about a real BLAST database, by its alias or index.
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

/// Whether the .wsdb file is older than the alias or index of the real BLAST database beside it.
/// The .wsdb file is then another database.
bool is_older(const fs::path& database, const fs::path& index) {
    std::error_code error;
    const auto of_index = fs::last_write_time(index, error);
    if (error) return false;
    const auto of_database = fs::last_write_time(database, error);
    return !error && of_database < of_index;
}

}  // namespace

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
    bool in_quotes = false;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of(in_quotes ? "\"" : "\" "), text.size());
        if (end > 0) names.emplace_back(text.substr(0, end));
        if (end < text.size() && text[end] == '"') in_quotes = !in_quotes;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return names;
}

std::string database_search_path() {
    std::error_code error;
    const std::string settings = blast_setting("BLASTDB").value_or("");
    return fs::current_path(error).string() + ":" + environment_folders() + ":" + settings +
           (settings.empty() ? "" : ":");
}

std::vector<std::string> database_folders() {
    std::error_code error;
    std::vector<std::string> folders = {fs::current_path(error).string()};
    add_folders(environment_folders(), folders);
    add_folders(blast_setting("BLASTDB").value_or(""), folders);
    return folders;
}

Result<BlastDatabase> find_blast_database(const std::string& given) {
    const std::string name = with_slashes(given);
    Status unreadable;
    const bool is_absolute = fs::path(name).is_absolute();
    for (const std::string& folder : database_folders()) {
        BlastDatabase found;
        found.base = is_absolute ? fs::path(name) : (fs::path(folder) / name).lexically_normal();
        const fs::path index = with_ending(found.base, ".pin"), database = with_ending(found.base, ".wsdb");
        found.title = found.base.filename().string();
        const fs::path alias = with_ending(found.base, ".pal");
        const bool is_real = is_file(index) || is_file(alias);
        if (is_real) {
            auto real = read_real_database(name, found.base);
            if (real.ok()) return real;
            if (unreadable.ok()) unreadable = real.status();
        }
        if (is_file(database) &&
            !(is_real && (is_older(database, is_file(alias) ? alias : index) || is_copy(database)))) {
            found.database = database;
            return found;
        }
        if (is_file(found.base)) {
            found.database = found.base;
            return found;
        }
        if (is_absolute) break;
    }
    if (!unreadable.ok()) return unreadable;
    return Status::io(no_blast_database(name, "protein"));
}

int no_database_name(const std::string& text) {
    return blast_failure(kBlastDatabaseError,
                         text.empty() ? "BLAST Database error: Database name is required."
                                      : "BLAST Database error: No database names were passed to CSeqDB::CSeqDB().");
}

std::string no_blast_database(std::string_view name, std::string_view kind) {
    return "No alias or index file found for " + std::string(kind) + " database [" + with_slashes(name) +
           "] in search path [" + database_search_path() + "]";
}

std::vector<fs::path> all_files_of(const BlastDatabase& database) {
    if (database.files.empty()) return {};
    std::vector<fs::path> files = files_of_blast_database(database.database);
    if (const fs::path copy = with_ending(database.base, ".wsdb"); is_file(copy)) files.push_back(copy);
    return files;
}

}  // namespace warpseq

#include "apps/dropin/blastdbcmd_list.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "apps/dropin/blast_databases.h"
#include "apps/dropin/blastdbcmd_source.h"
#include "formats/blast/blast_alias_file.h"
#include "formats/blast/blast_listing.h"
#include "formats/blast/blast_volume.h"

namespace warpseq::blastdbcmd {
namespace {

namespace fs = std::filesystem;

/// A database in the list.
struct Listed {
    std::string name;  // with its folder and without an ending, as the list shows it
    BlastMolecule molecule = BlastMolecule::kProtein;
    bool is_wsdb = false;
    /// As in NCBI's blastdbcmd, names are sorted with the quote behind them.
    auto key() const { return std::pair(name + '"', molecule); }
};

/// The databases that are found in a folder.
class Finder {
   public:
    Finder(const std::string& folder, const std::string& molecule, bool reads_words)
        : folder_(folder),
          has_proteins_(molecule != "nucl"),
          has_nucleotides_(molecule != "prot"),
          reads_words_(reads_words) {
        folder_.erase(folder_.find_last_not_of('/') + 1);
        if (!folder_.empty() || !folder.empty()) folder_ += '/';
    }

    std::vector<Listed> find(bool is_recursive) {
        const fs::path start = folder_.empty() ? "." : folder_;
        std::error_code error;
        if (is_recursive) {
            const auto options =
                fs::directory_options::skip_permission_denied | fs::directory_options::follow_directory_symlink;
            for (fs::recursive_directory_iterator at(start, options, error), end; !error && at != end;
                 at.increment(error))
                look_at(*at, start);
        } else {
            for (fs::directory_iterator at(start, error), end; !error && at != end; at.increment(error))
                look_at(*at, start);
        }
        std::ranges::sort(found_, {}, &Listed::key);
        return std::move(found_);
    }
    /// Returns the words in the lists of the aliases that were found, if they are to be read.
    const std::vector<std::string>& aliased_words() const { return words_; }

   private:
    void look_at(const fs::directory_entry& entry, const fs::path& start) {
        std::error_code error;
        if (!entry.exists(error) || entry.is_directory(error)) return;
        const std::string ending = entry.path().extension().string();
        const bool is_wsdb = ending == ".wsdb", is_alias = ending == ".pal" || ending == ".nal";
        if (!is_wsdb && !is_alias && ending != ".pin" && ending != ".nin") return;
        const auto molecule = ending[1] == 'n' ? BlastMolecule::kNucleotide : BlastMolecule::kProtein;
        if (!(molecule == BlastMolecule::kProtein ? has_proteins_ : has_nucleotides_)) return;
        const fs::path base = fs::path(entry.path()).replace_extension();
        // The database of the same name has this file and is listed.
        if (is_wsdb && (is_file(with_ending(base, ".pin")) || is_file(with_ending(base, ".pal")))) return;
        const std::string name = folder_ + base.lexically_relative(start).string();
        found_.push_back({name, molecule, is_wsdb});
        if (is_alias && reads_words_ && is_alias_size(entry.path())) read_words(entry.path());
    }

    void read_words(const fs::path& alias) {
        std::ifstream in(alias, std::ios::binary);
        for (std::string line; std::getline(in, line);) {
            if (!line.starts_with("DBLIST")) continue;
            const std::string_view list = std::string_view(line).substr(std::min(line.find(' '), line.size()));
            for (std::size_t at = 0; (at = list.find_first_not_of(' ', at)) != std::string_view::npos;) {
                const std::size_t end = std::min(list.find(' ', at), list.size());
                words_.emplace_back(list.substr(at, end - at));
                at = end;
            }
        }
    }

    std::string folder_;  // with a slash at its end; empty for the current folder without a name
    bool has_proteins_, has_nucleotides_, reads_words_;
    std::vector<Listed> found_;
    std::vector<std::string> words_;
};

/// Removes the databases that an alias names. As in NCBI's blastdbcmd, a database is one of these
/// if its name in quotes has a word of the alias anywhere in it.
void remove_aliased(const std::vector<std::string>& words, std::vector<Listed>& databases) {
    std::erase_if(databases, [&](const Listed& database) {
        const std::string quoted = "\"" + database.name + "\"";
        return std::ranges::any_of(words,
                                   [&](const std::string& word) { return quoted.find(word) != std::string::npos; });
    });
}

/// Reads the facts about a .wsdb file.
Result<BlastListing> list_wsdb(const fs::path& base) {
    auto found = find_blast_database(base.string());
    if (!found.ok()) return found.status();
    std::error_code error;
    BlastListing listing;
    listing.file_bytes = fs::file_size(found->database, error);
    const auto sources = Source::open({*std::move(found)}, fs::temp_directory_path(error));
    if (!sources.ok()) return sources.status();
    const Source& source = *sources->front();
    listing.title = source.about().title;
    listing.date = date_of_database(source.about());
    listing.version = static_cast<std::uint32_t>(source.about().version);
    listing.sequences = source.told_sequences();
    listing.residues = source.told_residues();
    return listing;
}

/// The format of -list_outfmt.
class ListFormat {
   public:
    /// One sign of "%%" is left, and the letter behind it is no field of the format.
    explicit ListFormat(std::string text) : text_(std::move(text)) {
        for (std::size_t i = 0; i < text_.size(); ++i) {
            if (text_[i] != '%') continue;
            if (i + 1 < text_.size() && text_[i + 1] == '%') {
                text_.erase(i++, 1);
            } else {
                places_.push_back(i);
            }
        }
    }
    bool has_fields() const { return !places_.empty(); }

    /// Appends the line of a database to `out`. An error of the format is a usage error.
    Status add_line(const Listed& database, std::string& out) const {
        std::optional<BlastListing> facts;
        std::string line;
        std::size_t written = 0;
        for (const std::size_t place : places_) {
            line += text_.substr(std::min(written, place), place - std::min(written, place));
            written = place + 2;
            const char letter = place + 1 < text_.size() ? text_[place + 1] : '\0';
            if (letter == 'f') {
                line += database.name;
            } else if (letter == 'p') {
                line += database.molecule == BlastMolecule::kProtein ? "Protein" : "Nucleotide";
            } else if (std::string_view("tdlnUv").find(letter) == std::string_view::npos) {
                return Status::usage("Unrecognized format specification: '%" + std::string(1, letter) + "'");
            } else {
                if (!facts) {
                    auto read = facts_of(database);
                    if (!read.ok()) return read.status();
                    facts = *std::move(read);
                }
                line += field(*facts, letter);
            }
        }
        out += line + text_.substr(std::min(written, text_.size())) + "\n";
        return {};
    }

   private:
    static Result<BlastListing> facts_of(const Listed& database) {
        std::error_code error;
        const fs::path base = fs::absolute(database.name, error).lexically_normal();
        return database.is_wsdb ? list_wsdb(base) : list_blast_database(base, database.molecule);
    }
    static std::string field(const BlastListing& facts, char letter) {
        switch (letter) {
            case 't': return facts.title;
            case 'd': return facts.date;
            case 'l': return std::to_string(facts.residues);
            case 'n': return std::to_string(facts.sequences);
            case 'U': return std::to_string(facts.file_bytes);
            default: return std::to_string(facts.version);
        }
    }

    std::string text_;
    std::vector<std::size_t> places_;  // of the signs of fields
};

}  // namespace

int list_databases(const BlastArguments& arguments, OutputSink& output) {
    const bool leaves_out_aliased = arguments.has("remove_redundant_dbs");
    Finder finder(arguments.text("list"), arguments.text("dbtype"), leaves_out_aliased);
    std::vector<Listed> databases = finder.find(arguments.has("recursive"));
    if (leaves_out_aliased) remove_aliased(finder.aliased_words(), databases);
    const auto wrong_format = [](const std::string& what) {
        return blast_failure(kBlastWrongInput, "BLAST options error: " + what);
    };
    const ListFormat format(arguments.text("list_outfmt"));
    if (!format.has_fields()) return wrong_format("Invalid format specification");
    std::string text;
    Status listed;
    for (const Listed& database : databases) {
        listed = format.add_line(database, text);
        if (listed.ok()) continue;
        if (!database.is_wsdb || listed.code() == StatusCode::kUsage) break;
        // One of our databases that cannot be read hides no other one.
        static_cast<void>(blast_failure(kBlastDatabaseError, "BLAST Database error: " + listed.message()));
        listed = {};
    }
    const Status written = output.write(text);
    if (const Status status = written.ok() ? output.finish() : written; !status.ok())
        return report_blast_status(status);
    if (listed.code() == StatusCode::kUsage) return wrong_format(listed.message());
    return listed.ok() ? 0 : blast_failure(kBlastDatabaseError, "BLAST Database error: " + listed.message());
}

}  // namespace warpseq::blastdbcmd

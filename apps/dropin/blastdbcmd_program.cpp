#include "apps/dropin/blastdbcmd_program.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "apps/common/arguments.h"
#include "apps/common/process.h"
#include "apps/dropin/blast_command_line.h"
#include "apps/dropin/blast_databases.h"
#include "formats/blast_database.h"
#include "formats/fasta_target.h"
#include "formats/ordered_sequences.h"
#include "formats/output_sink.h"
#include "formats/run_files.h"
#include "formats/wsdb_reader.h"
#include "libcore/base/number_format.h"
#include "libcore/base/observer.h"
#include "libcore/base/thread_pool.h"
#include "reports/blast/blast_defline.h"
#include "reports/blast/blastp_report_text.h"

namespace warpseq {
namespace {

namespace fs = std::filesystem;
using Kind = BlastOption::Kind;
constexpr double kMost = std::numeric_limits<double>::infinity();

constexpr const char* kDatabase = "BLAST database options";
constexpr const char* kRetrieval = "Retrieval options";
constexpr const char* kSequence = "Sequence retrieval configuration options";
constexpr const char* kOutput = "Output configuration options";
constexpr const char* kFasta = "Output configuration options for FASTA format";
constexpr const char* kDiscovery = "BLAST database configuration and discovery options";
constexpr const char* kOther = "Miscellaneous options";
constexpr const char* kGroups[] = {kDatabase, kRetrieval, kSequence, kOutput, kFasta, kDiscovery, kOther};

constexpr BlastOption kOptions[] = {
    {.name = "db",
     .group = kDatabase,
     .kind = Kind::kText,
     .argument = "dbname",
     .help = "Database: a name given to makeblastdb, or a .wsdb file; several stand apart by blanks",
     .standard = "nr",
     .excludes = "list recursive remove_redundant_dbs list_outfmt show_blastdb_search_path"},
    {.name = "dbtype",
     .group = kDatabase,
     .kind = Kind::kText,
     .argument = "molecule_type",
     .help = "What the sequences are; warpseq has proteins only",
     .standard = "guess",
     .choices = "`guess', `nucl', `prot'"},
    {.name = "entry",
     .group = kRetrieval,
     .kind = Kind::kText,
     .argument = "sequence_identifier",
     .help = "Identifiers, separated by commas, or 'all'",
     .excludes = "entry_batch ipg ipg_batch taxids taxidlist info tax_info list recursive remove_redundant_dbs "
                 "list_outfmt show_blastdb_search_path"},
    {.name = "entry_batch",
     .group = kRetrieval,
     .kind = Kind::kFileIn,
     .argument = "input_file",
     .help = "File of identifiers, one in a line; a range may follow, as in 'P12345 10-25'",
     .excludes = "entry range strand mask_sequence_with ipg ipg_batch taxids taxidlist info tax_info list recursive "
                 "remove_redundant_dbs list_outfmt show_blastdb_search_path"},
    {.name = "ipg",
     .group = kRetrieval,
     .kind = Kind::kInteger,
     .argument = "IPG",
     .help = "Sequences by IPG\nwarpseq: not supported",
     .excludes = "entry entry_batch target_only ipg_batch",
     .range = {">=0", 0, kMost}},
    {.name = "ipg_batch",
     .group = kRetrieval,
     .kind = Kind::kFileIn,
     .argument = "input_file",
     .help = "Sequences by IPG, from a file\nwarpseq: not supported",
     .excludes = "ipg entry entry_batch range strand mask_sequence_with"},
    {.name = "taxids",
     .group = kRetrieval,
     .kind = Kind::kText,
     .argument = "taxonomy_ids",
     .help = "Sequences by taxonomy ID\nwarpseq: not supported",
     .excludes = "entry entry_batch taxidlist info tax_info"},
    {.name = "taxidlist",
     .group = kRetrieval,
     .kind = Kind::kFileIn,
     .argument = "input_file",
     .help = "Sequences by taxonomy ID, from a file\nwarpseq: not supported",
     .excludes = "entry entry_batch taxids info tax_info"},
    {.name = "info",
     .group = kRetrieval,
     .kind = Kind::kFlag,
     .argument = nullptr,
     .help = "What the database is and how large",
     .excludes = "entry entry_batch outfmt strand target_only ctrl_a get_dups range list remove_redundant_dbs "
                 "recursive list_outfmt taxidlist taxids tax_info show_blastdb_search_path long_seqids"},
    {.name = "tax_info",
     .group = kRetrieval,
     .kind = Kind::kFlag,
     .argument = nullptr,
     .help = "Which taxa the database has\nwarpseq: not supported",
     .excludes = "info entry entry_batch strand target_only ctrl_a get_dups range list remove_redundant_dbs recursive "
                 "list_outfmt taxidlist taxids"},
    {.name = "range",
     .group = kSequence,
     .kind = Kind::kText,
     .argument = "numbers",
     .help = "Part of each sequence, as in 10-25; 10- goes to its end",
     .excludes = "entry_batch ipg_batch info tax_info list recursive remove_redundant_dbs list_outfmt "
                 "show_blastdb_search_path"},
    {.name = "strand",
     .group = kSequence,
     .kind = Kind::kText,
     .argument = "strand",
     .help = "Of nucleotides; proteins have none",
     .standard = "plus",
     .excludes = "entry_batch ipg_batch info tax_info list recursive remove_redundant_dbs list_outfmt "
                 "show_blastdb_search_path",
     .choices = "`minus', `plus'"},
    {.name = "mask_sequence_with",
     .group = kSequence,
     .kind = Kind::kText,
     .argument = "mask_algo_id",
     .help = "Lower-case letters where a mask of the database says so\nwarpseq: not supported",
     .excludes = "entry_batch ipg_batch"},
    {.name = "out",
     .group = kOutput,
     .kind = Kind::kFileOut,
     .argument = "output_file",
     .help = "Where the sequences go",
     .standard = "-"},
    {.name = "outfmt",
     .group = kOutput,
     .kind = Kind::kText,
     .argument = "format",
     .help = "A line for each sequence, with %a accession, %g GI, %i identifier, %o number in the database,\n"
             "%t title, %l length, %s residues, %T and %X taxonomy ID; %e %L %C %S %N %B %K %P, of which\n"
             "nothing is known; or %f alone: FASTA. %h (hash) and %m (mask) are not supported",
     .standard = "%f",
     .excludes = "info list recursive remove_redundant_dbs list_outfmt show_blastdb_search_path"},
    {.name = "target_only",
     .group = kOutput,
     .kind = Kind::kFlag,
     .argument = nullptr,
     .help = "Of merged definition lines only the one asked for",
     .excludes = "ipg info tax_info get_dups list recursive remove_redundant_dbs list_outfmt "
                 "show_blastdb_search_path"},
    {.name = "get_dups",
     .group = kOutput,
     .kind = Kind::kFlag,
     .argument = nullptr,
     .help = "All sequences with the identifier, which is what warpseq does anyway",
     .excludes = "info tax_info target_only list recursive remove_redundant_dbs list_outfmt "
                 "show_blastdb_search_path"},
    {.name = "line_length",
     .group = kFasta,
     .kind = Kind::kInteger,
     .argument = "number",
     .help = "Letters of a line",
     .standard = "80",
     .excludes = "list recursive remove_redundant_dbs list_outfmt show_blastdb_search_path",
     .range = {">=1", 1, kMost}},
    {.name = "ctrl_a",
     .group = kFasta,
     .kind = Kind::kFlag,
     .argument = nullptr,
     .help = "Ctrl-A before merged definition lines with a GI, as NCBI has it",
     .excludes = "info tax_info list recursive remove_redundant_dbs list_outfmt show_blastdb_search_path"},
    {.name = "show_blastdb_search_path",
     .group = kDiscovery,
     .kind = Kind::kFlag,
     .argument = nullptr,
     .help = "Where databases are looked for",
     .excludes = "entry entry_batch outfmt strand target_only ctrl_a get_dups range db info line_length list recursive "
                 "list_outfmt remove_redundant_dbs"},
    {.name = "list",
     .group = kDiscovery,
     .kind = Kind::kText,
     .argument = "directory",
     .help = "Protein databases of a folder",
     .excludes = "info tax_info entry entry_batch outfmt strand target_only ctrl_a get_dups range db line_length "
                 "show_blastdb_search_path"},
    {.name = "remove_redundant_dbs",
     .group = kDiscovery,
     .kind = Kind::kFlag,
     .argument = nullptr,
     .help = "Without effect: no database refers to another",
     .excludes = "info tax_info entry entry_batch outfmt strand target_only ctrl_a get_dups range db line_length "
                 "show_blastdb_search_path"},
    {.name = "recursive",
     .group = kDiscovery,
     .kind = Kind::kFlag,
     .argument = nullptr,
     .help = "-list looks into folders below, too",
     .excludes = "info tax_info entry entry_batch outfmt strand target_only ctrl_a get_dups range db line_length "
                 "show_blastdb_search_path"},
    {.name = "list_outfmt",
     .group = kDiscovery,
     .kind = Kind::kText,
     .argument = "format",
     .help = "A line for each database: %f its name with its folder, %p molecule, %t title, %d date, %l residues,\n"
             "%n sequences, %U bytes, %v version",
     .standard = "%f %p",
     .excludes = "info tax_info entry entry_batch outfmt strand target_only ctrl_a get_dups range db line_length "
                 "show_blastdb_search_path"},
    {.name = "exact_length",
     .group = kDiscovery,
     .kind = Kind::kFlag,
     .argument = nullptr,
     .help = "-info counts exactly, which it does anyway",
     .needs = "info"},
    {.name = "long_seqids",
     .group = kDiscovery,
     .kind = Kind::kFlag,
     .argument = nullptr,
     .help = "Whole identifiers in FASTA: sp|P12345|NAME, not P12345",
     .excludes = "info"},
    {.name = "logfile",
     .group = kOther,
     .kind = Kind::kFileOut,
     .argument = "File_Name",
     .help = "Without effect: messages go to standard error"},
};

const BlastProgram kGrammar{"blastdbcmd", "Reads databases: warpseq in the place of NCBI BLAST+ 2.12.0", kGroups,
                            kOptions};

constexpr std::uint64_t kSortingMemory = std::uint64_t{256} << 20;
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

int failure(const std::string& message) { return blast_failure(kBlastWrongInput, "Error: [blastdbcmd] " + message); }

fs::path temporary_folder() {
    if (const char* folder = std::getenv("TMPDIR"); folder != nullptr && *folder != '\0') return folder;
    std::error_code ignored;
    return fs::temp_directory_path(ignored);
}

/// Residues first .. last - 1, from 0; a last one beyond the sequence means its end.
struct Range {
    std::uint64_t first = 0, last = std::numeric_limits<std::uint64_t>::max();
    bool is_given = false;
};

/// "10-25" or "10-"; nothing where it is wrong, with what the original says of it.
std::optional<Range> read_range(const std::string& text, std::string& wrong) {
    const std::size_t hyphen = text.find('-');
    const std::string begin = text.substr(0, hyphen);
    const std::string end = hyphen == std::string::npos ? "" : text.substr(hyphen + 1);
    if (begin.empty()) {
        wrong = "Failed to parse sequence range (start cannot be empty)";
        return {};
    }
    const auto first = whole_number_of(begin);
    const auto last =
        end.empty() ? std::optional<std::int64_t>(std::numeric_limits<std::int64_t>::max()) : whole_number_of(end);
    if (!first || !last) {
        wrong = "Cannot convert string '" + (first ? end : begin) + "' to Int8";
    } else if (*first <= 0 || *last <= 0) {
        wrong = "Failed to parse sequence range (range elements cannot be less than or equal to 0)";
    } else if (*first > *last) {
        wrong = "Failed to parse sequence range (start cannot be larger than stop)";
    } else {
        return Range{static_cast<std::uint64_t>(*first - 1), static_cast<std::uint64_t>(*last), true};
    }
    return {};
}

struct Entry {
    std::string name;
    Range range;
    bool is_found = false;
};

/// A database that is open.
struct Source {
    BlastDatabase about;
    WsdbReader reader;
    std::uint64_t first_number = 0;  // of its first sequence, among all databases
};

std::string upper(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return out;
}

/// The definition lines of a sequence; its number and its title where it has no identifiers.
std::vector<BlastDefline> deflines_of(const Source& source, std::uint64_t number, std::string_view header) {
    constexpr std::string_view kNumbered = "gnl|BL_ORD_ID|";
    std::vector<BlastDefline> lines;
    if (source.about.has_parsed_ids) {
        lines = parse_deflines(header, source.about.has_taxids);
        if (!lines.front().full_id.starts_with(kNumbered)) {
            for (BlastDefline& line : lines)
                if (line.taxid == 0) line.taxid = source.about.taxid;
            return lines;
        }
        const std::size_t end = std::min(header.find(' '), header.size());
        header.remove_prefix(std::min(end + 1, header.size()));
    }
    BlastDefline line;
    line.taxid = source.about.taxid;
    if (source.about.has_taxids) header = without_taxid(header, line.taxid);
    line.label = "BL_ORD_ID:" + std::to_string(number);
    line.id = std::string(kNumbered) + std::to_string(number);
    line.title = target_title(header);
    return {line};
}

/// The names under which a definition line may be asked for besides its whole identifier, in capitals.
std::vector<std::string> other_names(const BlastDefline& line) {
    std::vector<std::string> names = {upper(line.full_id), upper(line.id), upper(line.accession), upper(line.label),
                                      upper(line.accession_without_version())};
    if (!line.gi.empty()) names.push_back(line.gi);
    // "sp|P12345|" for "sp|P12345|NAME".
    if (const std::size_t bar = line.id.rfind('|'); bar != std::string::npos && line.id.find('|') != bar)
        names.push_back(upper(line.id.substr(0, bar + 1)));
    return names;
}

/// What is wanted of one database: (rank, number of the entry).
using Wanted = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

Status find_entries(std::vector<Entry>& entries, const Source& source, Wanted& wanted) {
    std::multimap<std::string, std::size_t> others;
    for (std::size_t e = 0; e < entries.size(); ++e) {
        const auto ranks = source.reader.find(entries[e].name);
        if (!ranks.ok()) return ranks.status();
        for (const std::uint64_t rank : *ranks) wanted.emplace_back(rank, e);
        if (!ranks->empty()) {
            entries[e].is_found = true;
        } else {
            others.emplace(upper(entries[e].name), e);
        }
    }
    if (others.empty()) return {};
    HeaderBuffer buffer;
    for (std::uint64_t rank = 0; rank < source.reader.sequence_count(); ++rank) {
        const auto header = source.reader.header(rank, buffer);
        if (!header.ok()) return header.status();
        std::vector<std::size_t> matches;
        for (const BlastDefline& line : parse_deflines(*header, source.about.has_taxids)) {
            for (const std::string& name : other_names(line)) {
                const auto [begin, end] = others.equal_range(name);
                for (auto match = begin; match != end; ++match) matches.push_back(match->second);
            }
        }
        std::ranges::sort(matches);
        matches.erase(std::unique(matches.begin(), matches.end()), matches.end());
        for (const std::size_t e : matches) {
            entries[e].is_found = true;
            wanted.emplace_back(rank, e);
        }
    }
    return {};
}

/// How sequences are written.
class Writer {
   public:
    Writer(const BlastArguments& arguments, OutputSink& output)
        : output_(output),
          format_(arguments.text("outfmt")),
          width_(static_cast<std::uint64_t>(*whole_number_of(arguments.text("line_length")))),
          long_ids_(arguments.has("long_seqids")),
          target_only_(arguments.has("target_only")),
          ctrl_a_(arguments.has("ctrl_a")),
          is_fasta_(format_.find("%f") != std::string::npos) {}

    /// `entry`: what was asked for; empty: everything.
    Status write(const Source& source, const Range& range, std::uint64_t number, std::string_view header,
                 std::span<const ResidueCode> residues, const std::string& entry) {
        std::vector<BlastDefline> lines = deflines_of(source, number, header);
        if (target_only_ && !entry.empty() && lines.size() > 1) {
            std::vector<BlastDefline> asked_for;
            for (const BlastDefline& line : lines)
                if (std::ranges::count(other_names(line), upper(entry)) > 0) asked_for.push_back(line);
            if (!asked_for.empty()) lines = std::move(asked_for);
        }
        // A range that begins behind the sequence is none, to BLAST+.
        std::uint64_t first = range.first, last = std::min<std::uint64_t>(range.last, residues.size());
        const bool is_part = range.is_given && first < residues.size();
        if (!is_part) {
            first = 0;
            last = residues.size();
        }
        const auto part = residues.subspan(first, last - first);
        if (is_fasta_) {
            const std::string positions =
                is_part ? ":" + std::to_string(first + 1) + "-" + std::to_string(last) : std::string();
            add_fasta(lines, positions, part);
        } else {
            for (const BlastDefline& line : lines) add_line(line, number, residues.size(), part);
        }
        if (text_.size() < kPieceBytes) return {};
        return flush();
    }
    Status flush() {
        WARPSEQ_TRY(output_.write(text_));
        text_.clear();
        return {};
    }

   private:
    void add_fasta(const std::vector<BlastDefline>& lines, const std::string& positions,
                   std::span<const ResidueCode> residues) {
        const BlastDefline& first = lines.front();
        const auto long_id = [](const BlastDefline& line) { return line.gi.empty() ? line.id : line.full_id; };
        std::string titles = first.title;
        for (std::size_t i = 1; i < lines.size(); ++i) {
            const bool is_behind_ctrl_a = long_ids_ && ctrl_a_ && !lines[i].gi.empty();
            titles += is_behind_ctrl_a ? "\x01" : " >";
            titles += (long_ids_ ? long_id(lines[i]) : lines[i].label) + " " + lines[i].title;
        }
        std::string text;
        if (long_ids_) {
            text = long_id(first) + positions + " " + (first.is_third_party() ? "TPA: " : "") + cleaned_title(titles);
            text.erase(text.find_last_not_of(' ') + 1);
        } else if (!first.accession.empty()) {
            text = first.label + positions + " " + titles;
        } else {
            text = positions + (positions.empty() ? "" : " ") + titles;  // there are no identifiers
        }
        text_ += ">" + text + "\n";
        append_residue_lines(residues, width_, text_);
    }

    void add_line(const BlastDefline& line, std::uint64_t number, std::uint64_t length,
                  std::span<const ResidueCode> residues) {
        for (std::size_t i = 0; i < format_.size(); ++i) {
            const char next = i + 1 < format_.size() ? format_[i + 1] : '\0';
            if (format_[i] != '%' || std::string_view("agiotlsTXeLCSNBKP%").find(next) == std::string_view::npos ||
                next == '\0') {
                text_ += format_[i];
                continue;
            }
            ++i;
            switch (next) {
                case 'a': text_ += line.label; break;
                case 'g': text_ += line.gi.empty() ? "N/A" : line.gi; break;
                case 'i': text_ += line.id; break;
                case 'o': text_ += std::to_string(number); break;
                case 't': text_ += line.title; break;
                case 'l': text_ += std::to_string(length); break;
                case 's':
                    for (const ResidueCode code : residues) text_ += residue_letter(code);
                    break;
                case 'T':
                case 'X': text_ += std::to_string(line.taxid); break;
                case 'e': text_ += '0'; break;
                case 'P': text_ += "-1"; break;
                case '%': text_ += '%'; break;
                default: text_ += "N/A";
            }
        }
        text_ += '\n';
    }

    OutputSink& output_;
    std::string format_;
    std::uint64_t width_;
    bool long_ids_, target_only_, ctrl_a_, is_fasta_;
    std::string text_;
};

std::string date_of(const fs::path& file, const std::string& marked) {
    if (!marked.empty()) return marked;
    std::error_code error;
    const auto changed = fs::last_write_time(file, error);
    if (error) return "";
    return blast_date(std::chrono::system_clock::to_time_t(std::chrono::file_clock::to_sys(changed) +
                                                           std::chrono::system_clock::duration::zero()));
}

int print_info(const std::vector<Source>& sources, OutputSink& output) {
    std::uint64_t sequences = 0, residues = 0, longest = 0;
    std::string titles, volumes;
    std::vector<std::string> bases;
    for (const Source& source : sources) {
        sequences += source.reader.sequence_count();
        residues += source.reader.residue_count();
        longest = std::max(longest, source.reader.longest_residues());
        titles += (titles.empty() ? "" : "; ") + source.about.title;
        std::size_t volumes_of_it = 0;
        for (const fs::path& file : source.about.files) {
            if (file.extension() != ".pin") continue;
            fs::path volume = file;
            bases.push_back(volume.replace_extension().string());
            ++volumes_of_it;
        }
        if (volumes_of_it == 0) bases.push_back(source.about.base.string());
    }
    std::ranges::sort(bases);
    for (const std::string& base : bases) volumes += "\t" + base + "\n";
    const BlastDatabase& first = sources.front().about;
    const Status status =
        output.write("Database: " + titles + "\n\t" + format_count(sequences) + " sequences; " +
                     format_count(residues) + " total residues\n\nDate: " + date_of(first.database, first.date) +
                     "\tLongest sequence: " + format_count(longest) +
                     " residues\n\nBLASTDB Version: " + std::to_string(first.version) + "\n\nVolumes:\n" + volumes);
    return report_blast_status(status.ok() ? output.finish() : status);
}

/// What a list says of a database.
struct Totals {
    std::uint64_t sequences = 0, residues = 0, file_bytes = 0;
};

Result<Totals> totals_of(const BlastDatabase& about) {
    if (!about.files.empty()) {
        const auto blast = BlastDatabaseReader::open(about.base);
        if (!blast.ok()) return blast.status();
        return Totals{blast->sequence_count(), blast->residue_count(), blast->size_bytes()};
    }
    const auto reader = WsdbReader::open(about.database);
    if (!reader.ok()) return reader.status();
    return Totals{reader->sequence_count(), reader->residue_count(), reader->file_bytes()};
}

/// Databases of a folder, by their .wsdb files, indexes, aliases and markers.
int list_databases(const BlastArguments& arguments, OutputSink& output) {
    std::vector<fs::path> files;
    std::error_code error;
    const fs::path folder = arguments.text("list");
    const auto look_at = [&](const fs::directory_entry& entry) {
        const auto ending = entry.path().extension();
        if (ending == ".wsdb" || ending == ".pin" || ending == ".pal") files.push_back(entry.path());
    };
    if (arguments.has("recursive")) {
        for (fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error), end;
             !error && at != end; at.increment(error))
            look_at(*at);
    } else {
        for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) look_at(*at);
    }
    std::map<fs::path, BlastDatabase> found;
    for (const fs::path& file : files) {
        fs::path base = file;
        base.replace_extension();
        const auto database = find_blast_database(fs::absolute(base, error).string());
        if (database.ok() && (database->database.extension() == ".wsdb" || !database->files.empty()))
            found.emplace(base, *database);
    }
    const std::string format = arguments.text("list_outfmt");
    std::string text;
    for (const auto& [base, about] : found) {
        const auto totals = totals_of(about);
        if (!totals.ok()) continue;
        for (std::size_t i = 0; i < format.size(); ++i) {
            const char next = format[i] == '%' && i + 1 < format.size() ? format[i + 1] : '\0';
            if (next == '\0' || std::string_view("fptdlnUv").find(next) == std::string_view::npos) {
                text += format[i];
                continue;
            }
            ++i;
            switch (next) {
                case 'f': text += base.string(); break;
                case 'p': text += "Protein"; break;
                case 't': text += about.title; break;
                case 'd': text += date_of(about.database, about.date); break;
                case 'l': text += std::to_string(totals->residues); break;
                case 'n': text += std::to_string(totals->sequences); break;
                case 'U': text += std::to_string(totals->file_bytes); break;
                default: text += std::to_string(about.version);
            }
        }
        text += '\n';
    }
    const Status status = output.write(text);
    return report_blast_status(status.ok() ? output.finish() : status);
}

/// One entry a line, blanks and what follows ranges ignored; nothing where a line's range is wrong, which was said.
std::optional<std::vector<Entry>> read_batch(std::istream& in) {
    std::vector<Entry> entries;
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        Entry entry;
        if (!(words >> entry.name)) continue;
        if (std::string range; words >> range && range.find('-') != std::string::npos) {
            std::string wrong;
            const auto read = read_range(range, wrong);
            if (!read) {
                failure(wrong);
                return {};
            }
            entry.range = *read;
        }
        entries.push_back(std::move(entry));
    }
    return entries;
}

/// -entry or -entry_batch.
std::optional<std::vector<Entry>> read_entries(const BlastArguments& arguments) {
    if (arguments.has("entry_batch")) {
        const std::string file = arguments.text("entry_batch");
        if (file == "-") return read_batch(std::cin);
        std::ifstream in(file);
        if (in) return read_batch(in);
        failure("Argument \"entry_batch\". File is not accessible:  `" + file + "'");
        return {};
    }
    std::vector<Entry> entries;
    std::istringstream names(arguments.text("entry"));
    Range range;
    if (arguments.has("range")) {
        std::string wrong;
        const auto read = read_range(arguments.text("range"), wrong);
        if (!read) {
            failure(wrong);
            return {};
        }
        range = *read;
    }
    for (std::string name; std::getline(names, name, ',');) {
        name.erase(0, std::min(name.find_first_not_of(' '), name.size()));
        name.erase(name.find_last_not_of(' ') + 1);
        if (!name.empty()) entries.push_back({name, range});
    }
    return entries;
}

/// All sequences of all databases, in the order of their inputs.
Status write_all(const std::vector<Source>& sources, const Range& range, Writer& writer) {
    for (const Source& source : sources) {
        OrderedSequences sequences(source.reader, kSortingMemory, temporary_folder());
        for (std::uint64_t rank = 0; rank < source.reader.sequence_count(); ++rank)
            WARPSEQ_TRY(sequences.add(rank, source.reader.input_positions()[rank]));
        WARPSEQ_TRY(sequences.for_each(
            [&](std::uint64_t place, std::string_view header, std::span<const ResidueCode> residues) {
                return writer.write(source, range, source.first_number + place, header, residues, {});
            }));
    }
    return writer.flush();
}

/// Entries in their order, and each one's sequences database by database.
Status write_entries(const std::vector<Source>& sources, std::vector<Entry>& entries, Writer& writer) {
    std::vector<Wanted> wanted(sources.size());
    for (std::size_t s = 0; s < sources.size(); ++s) {
        WARPSEQ_TRY(find_entries(entries, sources[s], wanted[s]));
        std::ranges::stable_sort(wanted[s], {}, &Wanted::value_type::second);
    }
    std::vector<std::size_t> next(sources.size());
    TileBuffer buffer;
    for (std::size_t e = 0; e < entries.size(); ++e) {
        for (std::size_t s = 0; s < sources.size(); ++s) {
            for (; next[s] < wanted[s].size() && wanted[s][next[s]].second == e; ++next[s]) {
                const std::uint64_t rank = wanted[s][next[s]].first;
                const WsdbReader& reader = sources[s].reader;
                const auto header = reader.header(rank);
                if (!header.ok()) return header.status();
                const auto residues = reader.residues(rank, buffer);
                if (!residues.ok()) return residues.status();
                WARPSEQ_TRY(writer.write(sources[s], entries[e].range,
                                         sources[s].first_number + reader.input_positions()[rank], *header, *residues,
                                         entries[e].name));
            }
        }
    }
    return writer.flush();
}

int retrieve(const std::vector<Source>& sources, const BlastArguments& arguments, std::vector<Entry>& entries,
             OutputSink& output) {
    Writer writer(arguments, output);
    const bool is_all = arguments.has("entry") && arguments.text("entry") == "all";
    const Status written =
        is_all ? write_all(sources, entries.front().range, writer) : write_entries(sources, entries, writer);
    if (!written.ok()) return report_blast_status(written);
    ThreadPool pool(1);
    for (const Source& source : sources)
        if (const Status status = source.reader.verify_unchanged(pool); !status.ok())
            return report_blast_status(status);
    if (const Status status = output.finish(); !status.ok()) return report_blast_status(status);
    if (is_all) return 0;
    int exit_status = 0;
    for (const Entry& entry : entries) {
        if (entry.is_found) continue;
        exit_status = failure((arguments.has("entry_batch") ? "Skipped " : "Entry not found: ") + upper(entry.name));
    }
    if (exit_status != 0 && !arguments.has("entry_batch") && std::ranges::none_of(entries, &Entry::is_found))
        failure("Entry or entries not found in BLAST database");
    return exit_status;
}

int run(int argc, char** argv) {
    const BlastArguments arguments = parse_blast_arguments(kGrammar, argc, argv);
    if (arguments.ended) return *arguments.ended;
    for (const char* name : {"ipg", "ipg_batch", "taxids", "taxidlist", "tax_info", "mask_sequence_with"}) {
        if (arguments.has(name)) return failure("-" + std::string(name) + " is not supported by warpseq's blastdbcmd");
    }
    const std::string format = arguments.text("outfmt");
    for (const char* unsupported : {"%h", "%m"}) {
        if (format.find(unsupported) != std::string::npos && format.find("%f") == std::string::npos)
            return failure("-outfmt " + std::string(unsupported) + " is not supported by warpseq's blastdbcmd");
    }
    std::optional<fs::path> file;
    if (arguments.text("out") != "-") file = arguments.text("out");
    if (arguments.has("show_blastdb_search_path")) {
        auto output = OutputSink::open(file);
        if (!output.ok()) return blast_inaccessible("out", file->string());
        const Status status = output->write(database_search_path() + "\n");
        return report_blast_status(status.ok() ? output->finish() : status);
    }
    if (arguments.has("list")) {
        auto output = OutputSink::open(file);
        if (!output.ok()) return blast_inaccessible("out", file->string());
        return list_databases(arguments, *output);
    }

    const bool is_nucleotide = arguments.text("dbtype") == "nucl";
    std::vector<Source> sources;
    RunFiles files;
    const ThreadPool pool(1);
    Observer silent;
    std::uint64_t sequences = 0;
    for (const std::string& name : database_names(arguments.text("db"))) {
        // What "guess" finds nothing for is called a nucleotide database by the original.
        const char* kind = arguments.text("dbtype") == "prot" ? "protein" : "nucleotide";
        auto found = find_blast_database(name, kind);
        if (!found.ok() || is_nucleotide) {
            const std::string why =
                is_nucleotide ? "warpseq has no nucleotide databases: [" + name + "]" : found.status().message();
            return blast_failure(kBlastDatabaseError, "BLAST Database error: " + why);
        }
        auto target = open_target(found->database, {.temporary_folder = temporary_folder()}, pool, silent);
        if (!target.ok())
            return blast_failure(kBlastDatabaseError, "BLAST Database error: " + target.status().message());
        files.add_input("-db", found->database);
        for (const std::filesystem::path& marker : markers_of(*found)) files.add_input("-db", marker);
        if (const auto& facts = target->blast) {
            if (!facts->title.empty()) found->title = facts->title;
            found->date = facts->date;
            found->version = static_cast<int>(facts->version);
            found->has_parsed_ids = facts->has_parsed_ids;
            found->has_taxids = facts->has_taxids;
        }
        const std::uint64_t first = sequences;
        sequences += target->reader.sequence_count();
        sources.push_back({*std::move(found), std::move(target->reader), first});
    }
    if (sources.empty()) return blast_failure(kBlastDatabaseError, "BLAST Database error: Database name is required.");
    const bool is_info = arguments.has("info");
    if (!is_info && !arguments.has("entry") && !arguments.has("entry_batch"))
        return failure("Must specify query type: one of 'entry', 'entry_batch', or 'pig'");
    std::optional<std::vector<Entry>> entries = std::vector<Entry>();
    if (!is_info) {
        entries = read_entries(arguments);
        if (!entries) return kBlastWrongInput;
        if (entries->empty()) return failure("Entry or entries not found in BLAST database");
    }
    if (arguments.has("entry_batch")) files.add_input("-entry_batch", arguments.text("entry_batch"));
    files.add_output("-out", file);
    if (const Status status = files.check(); !status.ok()) return failure(status.message());
    auto output = OutputSink::open(file);
    if (!output.ok()) return blast_inaccessible("out", file ? file->string() : "-");
    return is_info ? print_info(sources, *output) : retrieve(sources, arguments, *entries, *output);
}

}  // namespace

std::vector<CommandSyntax> blastdbcmd_syntax() { return {{"", blast_listed(kGrammar)}}; }

int blastdbcmd_program(int argc, char** argv) {
    prepare_process("blastdbcmd");
    int exit_status = 0;
    const Status status = guarded([&] { exit_status = run(argc, argv); });
    return status.ok() ? exit_status : report_blast_status(status);
}

}  // namespace warpseq

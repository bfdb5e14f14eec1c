#include "apps/dropin/makeblastdb_program.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "apps/common/arguments.h"
#include "apps/common/command_line.h"
#include "apps/common/process.h"
#include "apps/dropin/blast_command_line.h"
#include "apps/dropin/blast_databases.h"
#include "apps/dropin/next_program.h"
#include "apps/dropin/nucleotide_input.h"
#include "formats/blast_database.h"
#include "formats/convert_fasta.h"
#include "formats/output_sink.h"
#include "formats/run_files.h"
#include "libcore/base/clock.h"
#include "libcore/base/observer.h"
#include "reports/blast/blast_defline.h"
#include "reports/blast/blastp_report_text.h"

namespace warpseq {
namespace {

namespace fs = std::filesystem;
using Kind = BlastOption::Kind;
constexpr double kMost = std::numeric_limits<double>::infinity();

constexpr const char* kInput = "Input options";
constexpr const char* kConfiguration = "Configuration options";
constexpr const char* kMasking = "Sequence masking options";
constexpr const char* kOutput = "Output options";
constexpr const char* kTaxonomy = "Taxonomy options";
constexpr const char* kGroups[] = {"", kInput, kConfiguration, kMasking, kOutput, kTaxonomy};

constexpr BlastOption kOptions[] = {
    {.name = "in",
     .group = kInput,
     .kind = Kind::kFileIn,
     .argument = "input_file",
     .help = "FASTA file; several stand apart by blanks",
     .standard = "-"},
    {.name = "input_type",
     .group = kInput,
     .kind = Kind::kText,
     .argument = "type",
     .help = "What the input is; warpseq: fasta only",
     .standard = "fasta",
     .choices = "`asn1_bin', `asn1_txt', `blastdb', `fasta'"},
    {.name = "dbtype",
     .group = "",
     .kind = Kind::kText,
     .argument = "molecule_type",
     .help = "What the sequences are; nucl: the next makeblastdb in PATH runs",
     .choices = "`nucl', `prot'",
     .is_mandatory = true},
    {.name = "title",
     .group = kConfiguration,
     .kind = Kind::kText,
     .argument = "database_title",
     .help = "Title of the database; the name of the input by default"},
    {.name = "parse_seqids",
     .group = kConfiguration,
     .kind = Kind::kFlag,
     .argument = nullptr,
     .help = "Identifiers must be unique; blastdbcmd finds sequences by them, with this option or without"},
    {.name = "hash_index",
     .group = kConfiguration,
     .kind = Kind::kFlag,
     .argument = nullptr,
     .help = "Makes markers for the index of hashes; there is none"},
    {.name = "mask_data",
     .group = kMasking,
     .kind = Kind::kText,
     .argument = "mask_data_files",
     .help = "Files of masks\nwarpseq: not supported"},
    {.name = "mask_id",
     .group = kMasking,
     .kind = Kind::kText,
     .argument = "mask_algo_ids",
     .help = "Names of masks\nwarpseq: not supported",
     .excludes = "gi_mask",
     .needs = "mask_data"},
    {.name = "mask_desc",
     .group = kMasking,
     .kind = Kind::kText,
     .argument = "mask_algo_descriptions",
     .help = "Descriptions of masks\nwarpseq: not supported",
     .needs = "mask_id"},
    {.name = "gi_mask",
     .group = kMasking,
     .kind = Kind::kFlag,
     .argument = nullptr,
     .help = "Masks by GI\nwarpseq: not supported",
     .excludes = "mask_id",
     .needs = "parse_seqids"},
    {.name = "gi_mask_name",
     .group = kMasking,
     .kind = Kind::kText,
     .argument = "gi_based_mask_names",
     .help = "Files of masks by GI\nwarpseq: not supported",
     .needs = "mask_data gi_mask"},
    {.name = "out",
     .group = kOutput,
     .kind = Kind::kText,
     .argument = "database_name",
     .help = "Name of the database; that of the input by default"},
    {.name = "blastdb_version",
     .group = kOutput,
     .kind = Kind::kInteger,
     .argument = "version",
     .help = "Which markers to make, of version 4 or 5",
     .standard = "5",
     .range = {"4..5", 4, 5}},
    {.name = "max_file_sz",
     .group = kOutput,
     .kind = Kind::kText,
     .argument = "number_of_bytes",
     .help = "Without effect: a database is one file",
     .standard = "1GB"},
    {.name = "logfile",
     .group = kOutput,
     .kind = Kind::kFileOut,
     .argument = "File_Name",
     .help = "Where the messages of standard output go instead"},
    {.name = "taxid",
     .group = kTaxonomy,
     .kind = Kind::kInteger,
     .argument = "TaxID",
     .help = "Taxonomy ID of all sequences, for blastdbcmd",
     .excludes = "taxid_map",
     .range = {">=0", 0, kMost}},
    {.name = "taxid_map",
     .group = kTaxonomy,
     .kind = Kind::kFileIn,
     .argument = "TaxIDMapFile",
     .help = "File of lines with an identifier and its taxonomy ID",
     .excludes = "taxid",
     .needs = "parse_seqids"},
};

const BlastProgram kGrammar{"makeblastdb", "Makes databases: warpseq in the place of NCBI BLAST+ 2.12.0", kGroups,
                            kOptions};

int options_error(const std::string& message) {
    return blast_failure(kBlastWrongInput, "BLAST options error: " + message);
}

std::string time_text(const char* format) {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    localtime_r(&now, &parts);
    char text[64];
    return std::string(text, std::strftime(text, sizeof text, format, &parts));
}

/// "1GB" as the original says it back: units of 1000.
std::optional<std::uint64_t> file_size_of(std::string text) {
    std::uint64_t unit = 1;
    for (const auto& [name, bytes] :
         {std::pair("GB", 1'000'000'000), std::pair("MB", 1'000'000), std::pair("KB", 1'000),
          std::pair("G", 1'000'000'000), std::pair("M", 1'000'000), std::pair("K", 1'000), std::pair("B", 1)}) {
        if (!text.ends_with(name)) continue;
        unit = static_cast<std::uint64_t>(bytes);
        text.erase(text.size() - std::string_view(name).size());
        break;
    }
    const auto number = number_of(text);
    if (!number || *number < 0 || *number > 1e15) return {};
    return static_cast<std::uint64_t>(*number * static_cast<double>(unit));
}

/// Messages: on standard output, or behind what a file has.
class Log {
   public:
    explicit Log(const std::optional<std::string>& file) {
        if (file) file_.emplace(*file, std::ios::binary | std::ios::app);
    }
    bool is_open() const { return !file_ || file_->is_open(); }
    Status write(const std::string& text) {
        if (!file_) return print(text);
        *file_ << text << std::flush;
        return *file_ ? Status() : Status::io("the log cannot be written");
    }

   private:
    std::optional<std::ofstream> file_;
};

/// Taxonomy IDs by identifiers: lines of both, with a blank or a tab between them. Others say nothing, as for BLAST+; of
/// lines that name the same sequence the last one counts.
class TaxidMap {
   public:
    /// An error where a taxonomy ID is no number.
    static Result<TaxidMap> read(const std::string& file) {
        TaxidMap map;
        std::ifstream in(file, std::ios::binary);
        std::uint64_t number = 0;
        for (std::string line; std::getline(in, line);) {
            ++number;
            if (line.ends_with('\r')) line.pop_back();
            const std::size_t blank = line.find_first_of(" \t");
            if (blank == 0 || blank == std::string::npos || line.find_first_of(" \t", blank + 1) != std::string::npos)
                continue;
            const auto taxid = whole_number_of(line.substr(blank + 1));
            if (!taxid || *taxid < 0) {
                return Status::invalid_input(file + ": line " + std::to_string(number) + ": found '" +
                                             line.substr(blank + 1) + "', expected a taxonomy ID");
            }
            const Entry entry{number, static_cast<std::uint64_t>(*taxid)};
            const std::string name = name_of(line.substr(0, blank));
            map.entries_[name] = entry;
            map.accessions_[public_accession(parse_defline(name))] = entry;
        }
        if (in.bad()) return Status::io(file + ": cannot read it");
        return map;
    }

    /// Of a sequence; 0: not known.
    std::uint64_t find(const BlastDefline& line) const {
        Entry found;
        const auto look_in = [&](const std::unordered_map<std::string, Entry>& entries, const std::string& name) {
            const auto entry = entries.find(name);
            if (entry != entries.end() && entry->second.line > found.line) found = entry->second;
        };
        const auto look_for = [&](std::string_view name) { look_in(entries_, name_of(std::string(name))); };
        if (line.has_public_accession()) look_in(accessions_, public_accession(line));
        // "sp|P12345" for "sp|P12345|NAME", "tag" for "gnl|database|tag".
        const std::size_t bar = line.id.rfind('|');
        look_for(line.full_id);
        look_for(line.id);
        look_for(line.id.substr(0, bar));
        if (line.id.starts_with("gnl|")) look_for(line.id.substr(bar + 1));
        look_for(line.accession);
        look_for(line.accession_without_version());
        if (!line.gi.empty()) {
            look_for(line.gi);
            look_for("gi|" + line.gi);
        }
        return found.taxid;
    }

   private:
    struct Entry {
        std::uint64_t line = 0, taxid = 0;
    };
    static std::string name_of(std::string name) {
        name.erase(name.find_last_not_of('|') + 1);
        return name;
    }
    /// Neither the kind of identifier counts, nor the version, nor the letters' case.
    static std::string public_accession(const BlastDefline& line) {
        std::string accession(line.accession_without_version());
        for (char& c : accession) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        return accession;
    }
    std::unordered_map<std::string, Entry> entries_, accessions_;
};

/// A header of which each definition line ends with its taxonomy ID, where that is known.
std::string with_taxids(std::string_view header, const TaxidMap& taxids) {
    std::string out;
    for (;;) {
        const std::size_t end = std::min(header.find('\x01'), header.size());
        const std::string_view text = header.substr(0, end);
        const std::uint64_t taxid = taxids.find(parse_defline(target_title(text)));
        std::uint64_t ignored = 0;
        out += text;
        if (taxid != 0 || without_taxid(text, ignored).size() != text.size()) out += taxid_mark(taxid);
        if (end == header.size()) return out;
        out += '\x01';
        header.remove_prefix(end + 1);
    }
}

struct Plan {
    std::vector<std::string> inputs;
    fs::path base;      // the database's name with its folder
    fs::path database;  // BASE.wsdb
    std::vector<fs::path> markers;
    std::vector<fs::path> outdated;  // of a database that this one replaces
    BlastMarker marker;
};

/// No output is an input, nor the log.
Status check_files(const Plan& plan, const std::vector<std::string>& taxid_maps,
                   const std::optional<std::string>& log) {
    RunFiles files;
    for (const std::string& map : taxid_maps) files.add_input("-taxid_map", map);
    for (const std::string& input : plan.inputs) files.add_input("-in", input);
    // Not tried: their folder may have to be made.
    files.add_optional_output("-out", plan.database);
    for (const auto* outputs : {&plan.markers, &plan.outdated}) {
        for (const fs::path& file : *outputs)
            files.add_optional_output("-out (" + file.filename().string() + ")", file);
    }
    if (log && *log != "/dev/null") files.add_output("-logfile", *log);
    return files.check();
}

Status write_markers(const Plan& plan) {
    const std::string line = marker_line(plan.marker);
    for (const fs::path& file : plan.markers) {
        auto sink = OutputSink::open(file);
        if (!sink.ok()) return sink.status();
        WARPSEQ_TRY(sink->write(line));
        WARPSEQ_TRY(sink->finish());
    }
    return {};
}

/// Whether a database of this name is there, real or ours.
bool is_taken(const fs::path& base) {
    std::error_code error;
    for (const char* ending : {".pin", ".wsdb"}) {
        fs::path file = base;
        file += ending;
        if (fs::exists(file, error)) return true;
    }
    return false;
}

int make_database(Plan plan, const BlastArguments& arguments, Log& log) {
    const auto say = [&](const std::string& text) { return log.write(text); };
    const auto failed = [](const Status& status) { return report_blast_status(status); };
    const auto size = file_size_of(arguments.text("max_file_sz"));
    if (!size) return options_error("Invalid value for -max_file_sz: " + arguments.text("max_file_sz"));
    std::error_code error;
    const fs::path absolute = fs::absolute(plan.base, error).lexically_normal();
    std::string head = "\n\nBuilding a new DB, current time: " + time_text("%m/%d/%Y %H:%M:%S") +
                       "\nNew DB name:   " + absolute.string() + "\nNew DB title:  " + plan.marker.title +
                       "\nSequence type: Protein\n";
    if (is_taken(plan.base)) head += "Deleted existing Protein BLAST database named " + absolute.string() + "\n";
    head += "Keep MBits: T\nMaximum file size: " + std::to_string(*size) + "B\n";
    if (const Status status = say(head); !status.ok()) return failed(status);
    for (const std::string& input : plan.inputs) {
        if (input == "-") continue;
        const bool is_regular = fs::is_regular_file(input, error);
        if (is_regular && fs::is_empty(input, error)) return options_error("File " + input + " is empty");
        const bool is_readable = (is_regular || fs::is_fifo(input, error)) && blast_can_read(input);
        if (!is_readable) return options_error("File " + input + " does not exist");
    }
    if (const fs::path folder = plan.base.parent_path(); !folder.empty()) fs::create_directories(folder, error);

    ConvertOptions options;
    options.title = options.release = "";  // the marker has them
    for (const std::string& input : plan.inputs) options.inputs.emplace_back(input);
    options.output = plan.database;
    options.replace = true;
    RecordSelection not_empty;
    not_empty.min_residues = 1;
    options.selection = &not_empty;
    options.reading.leaves_out_others = true;
    Status log_status;
    options.reading.on_left_out = [&](FastaLeftOut left_out) {
        left_out.has_hyphens = false;  // in databases they are no mistake
        const std::string lines = left_out_lines(left_out);
        if (!arguments.has("logfile")) {
            std::fwrite(lines.data(), 1, lines.size(), stderr);
        } else if (log_status.ok()) {
            log_status = log.write(lines);
        }
    };
    if (arguments.has("parse_seqids")) {
        options.on_duplicates = [](const std::string& identifier) {
            return Status::invalid_input("Error: Duplicate seq_ids are found: \n" + identifier + "\n");
        };
    }
    TaxidMap taxids;
    if (arguments.has("taxid_map")) {
        auto read = TaxidMap::read(arguments.text("taxid_map"));
        if (!read.ok())
            return blast_failure(kBlastWrongInput, "BLAST Database creation error: " + read.status().message());
        taxids = *std::move(read);
        options.on_record = [&taxids](FastaRecord& record) -> Status {
            record.header = with_taxids(record.header, taxids);
            return {};
        };
    }
    if (const char* folder = std::getenv("TMPDIR"); folder != nullptr) options.temporary_folder = folder;
    Observer silent;
    const auto start = Clock::now();
    const auto report = convert_fasta(options, silent);
    if (!report.ok()) {
        return blast_failure(report.status().code() == StatusCode::kOutOfMemory ? kBlastOutOfMemory : kBlastWrongInput,
                             "BLAST Database creation error: " + report.status().message());
    }
    if (!log_status.ok()) return failed(log_status);
    plan.marker.database = plan.database.filename();
    plan.marker.date = blast_date(std::time(nullptr));
    if (const Status status = write_markers(plan); !status.ok()) return failed(status);
    for (const fs::path& file : plan.outdated) fs::remove(file, error);
    if (const std::uint64_t empty = report->counts.empty_sequences; empty > 0) {
        const std::string text =
            "Ignoring " + std::to_string(empty) + (empty == 1 ? " sequence" : " sequences") + " without residues\n";
        if (const Status status = say(text); !status.ok()) return failed(status);
    }
    char tail[128];
    std::snprintf(tail, sizeof tail, "Adding sequences from FASTA; added %llu sequences in %g seconds.\n\n\n",
                  static_cast<unsigned long long>(report->summary.sequences), seconds_since(start));
    return failed(say(tail));
}

int run(int argc, char** argv) {
    const auto pass_on = [&] {
        return options_error(run_next_program("makeblastdb", argv, "-dbtype nucl asks for nucleotides").message());
    };
    if (asks_for_nucleotides(argv)) return pass_on();
    const BlastArguments arguments = parse_blast_arguments(kGrammar, argc, argv);
    if (arguments.ended) return *arguments.ended;
    if (arguments.text("dbtype") == "nucl") return pass_on();
    for (const char* name : {"mask_data", "mask_id", "mask_desc", "gi_mask", "gi_mask_name"}) {
        if (arguments.has(name))
            return options_error("-" + std::string(name) + " is not supported by warpseq's makeblastdb");
    }
    if (arguments.text("input_type") != "fasta")
        return options_error("-input_type " + arguments.text("input_type") +
                             " is not supported by warpseq's makeblastdb, which reads FASTA");

    Plan plan;
    const std::string in = arguments.text("in");
    plan.inputs = in == "-" ? std::vector<std::string>{in} : database_names(in);
    if (plan.inputs.empty()) return options_error("File " + in + " does not exist");
    if (!arguments.has("out") && (in == "-" || plan.inputs.size() > 1))
        return options_error("Please provide a database name using -out");
    if (!arguments.has("title") && in == "-") return options_error("Please provide a title using -title");
    plan.base = arguments.has("out") ? arguments.text("out") : plan.inputs.front();
    plan.database = plan.base;
    plan.database += ".wsdb";
    plan.marker.title = arguments.has("title") ? arguments.text("title") : in;
    plan.marker.has_parsed_ids = arguments.has("parse_seqids");
    plan.marker.version = arguments.text("blastdb_version") == "4" ? 4 : 5;
    if (arguments.has("taxid"))
        plan.marker.taxid = static_cast<std::uint64_t>(*whole_number_of(arguments.text("taxid")));
    plan.marker.has_taxids = arguments.has("taxid_map");
    if (plan.marker.has_taxids && !blast_can_read(arguments.text("taxid_map")))
        return blast_inaccessible("taxid_map", arguments.text("taxid_map"));
    for (const std::string& ending :
         marker_endings(plan.marker.version, plan.marker.has_parsed_ids, arguments.has("hash_index"))) {
        plan.markers.push_back(plan.base);
        plan.markers.back() += ending;
    }
    // All that databases of any version and options have, and the list of a database in parts.
    for (const char* ending : {".pdb", ".phd", ".phi", ".phr", ".pin", ".pnd", ".pni", ".pog", ".pos", ".pot", ".ppd",
                               ".ppi", ".psd", ".psi", ".psq", ".ptf", ".pto", ".pal"}) {
        fs::path file = plan.base;
        file += ending;
        std::error_code error;
        if (std::ranges::find(plan.markers, file) == plan.markers.end() && fs::is_regular_file(file, error))
            plan.outdated.push_back(std::move(file));
    }
    std::optional<std::string> log;
    if (arguments.has("logfile")) log = arguments.text("logfile");
    std::vector<std::string> more;
    if (plan.marker.has_taxids) more.push_back(arguments.text("taxid_map"));
    if (const Status status = check_files(plan, more, log); !status.ok()) return options_error(status.message());
    Log messages(log);
    if (!messages.is_open()) return blast_inaccessible("logfile", *log);
    return make_database(std::move(plan), arguments, messages);
}

}  // namespace

std::vector<CommandSyntax> makeblastdb_syntax() { return {{"", blast_listed(kGrammar)}}; }

int makeblastdb_program(int argc, char** argv) {
    prepare_process("makeblastdb");
    int exit_status = 0;
    const Status status = guarded([&] { exit_status = run(argc, argv); });
    return status.ok() ? exit_status : report_blast_status(status);
}

}  // namespace warpseq

#include "apps/dropin/makeblastdb_program.h"

#include <sys/resource.h>

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
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "apps/common/command_line.h"
#include "apps/common/process.h"
#include "apps/dropin/blast_command_line.h"
#include "apps/dropin/blast_databases.h"
#include "apps/dropin/next_program.h"
#include "apps/dropin/nucleotide_input.h"
#include "formats/blast/blast_database_writer.h"
#include "formats/blast/blast_seqid_parser.h"
#include "formats/io/run_files.h"
#include "formats/taxonomy/taxonomy.h"
#include "formats/wsdb/convert_fasta.h"
#include "libcore/base/clock.h"
#include "libcore/base/observer.h"
#include "options/arguments.h"
#include "options/makeblastdb/makeblastdb_options.h"

namespace warpseq {
namespace {

namespace fs = std::filesystem;
constexpr std::uint64_t kMostFileBytes = std::uint64_t{1} << 32;

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

/// Returns the number of bytes in a text such as "1GB", "1.5 MB" or "100KiB", or nothing if it is
/// wrong.
std::optional<std::uint64_t> file_size_of(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    constexpr std::string_view kUnits = "kmgtpe";
    double unit = 1;
    const auto take = [&](std::string_view ending) {
        if (!text.ends_with(ending)) return false;
        text.resize(text.size() - ending.size());
        return true;
    };
    const bool has_byte = take("b");
    const double step = has_byte && take("i") ? 1024 : 1000;
    if (const std::size_t power = text.empty() ? std::string_view::npos : kUnits.find(text.back());
        power != std::string_view::npos) {
        for (std::size_t i = 0; i <= power; ++i) unit *= step;
        text.pop_back();
    }
    text.erase(text.find_last_not_of(' ') + 1);
    const auto number = number_of(text);
    constexpr double kMostBytes = 1e18;
    if (!number || *number < 0 || *number * unit > kMostBytes) return {};
    return static_cast<std::uint64_t>(*number * unit);
}

/// Returns the size of files as NCBI's makeblastdb shows it. A small size is shown as 0.
std::string shown_file_size(std::uint64_t bytes) {
    constexpr std::uint64_t kLeastShown = 10'240;
    return std::to_string(bytes < kLeastShown ? 0 : bytes) + "B";
}

/// The messages of the program. They go to standard output, or to the end of a file.
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

/// Taxonomy IDs by identifiers, read from a file. A line has an identifier and a taxonomy ID, with
/// a blank or a tab between them. Other lines are ignored, as in BLAST+. If several lines name the
/// same sequence, the last one counts.
class TaxidMap {
   public:
    /// Reads a file. Returns an error if a taxonomy ID is not a valid number.
    static Result<TaxidMap> read(const std::string& file) {
        TaxidMap map;
        std::ifstream in(file, std::ios::binary);
        std::uint64_t number = 0;
        for (std::string line; std::getline(in, line);) {
            ++number;
            constexpr const char* kBlanks = " \t\r\v\f";
            line.erase(line.find_last_not_of(kBlanks) + 1);
            line.erase(0, line.find_first_not_of(kBlanks));
            const std::size_t blank = line.find_first_of(" \t");
            if (blank == std::string::npos || line.find_first_of(" \t", blank + 1) != std::string::npos) continue;
            const auto taxid = whole_number_of(line.substr(blank + 1));
            if (!taxid || *taxid < 0 || static_cast<std::uint64_t>(*taxid) > kMostTaxid) {
                return Status::invalid_input(file + ": line " + std::to_string(number) + ": found '" +
                                             line.substr(blank + 1) + "', expected a taxonomy ID");
            }
            map.taxids_[key_of(line.substr(0, blank))] = static_cast<std::uint32_t>(*taxid);
        }
        if (in.bad()) return Status::io(file + ": cannot read it");
        return map;
    }

    /// Returns the taxonomy ID of the first known identifier of a definition line, or 0 if none is
    /// known.
    std::uint32_t find(std::span<const BlastSeqId> ids) {
        for (const BlastSeqId& id : ids) {
            const std::string key = key_of(id);
            if (key.empty()) continue;
            auto found = taxids_.find(key);
            if (found == taxids_.end()) {
                // A local name may be an accession with its version.
                const std::size_t dot = key.find('.');
                if (dot == std::string::npos) continue;
                found = taxids_.find(key.substr(0, dot));
            }
            if (found == taxids_.end()) continue;
            has_found_ = true;
            return found->second;
        }
        return 0;
    }
    /// Whether the map names sequences, but none was looked up with success.
    bool is_in_vain() const { return !taxids_.empty() && !has_found_; }

   private:
    /// Returns the key of an identifier: the tag alone of a general identifier, and an accession
    /// without its version.
    static std::string key_of(const BlastSeqId& id) {
        return id.kind == BlastSeqId::Kind::kGeneral ? id.second : id.label(false);
    }
    /// Returns the key of an identifier as text. A number is a GI. The key is empty if the text has
    /// several identifiers, or none that can be read.
    static std::string key_of(const std::string& text) {
        if (text.find_first_not_of("0123456789") == std::string::npos)
            return text.substr(std::min(text.find_first_not_of('0'), text.size() - 1));
        const auto is_clear = [](const Result<std::vector<BlastSeqId>>& ids) {
            return ids.ok() && ids->size() == 1 &&
                   (ids->front().kind != BlastSeqId::Kind::kLocal ||
                    ids->front().second.find('|') == std::string::npos);
        };
        const auto ids = parse_defline_seqids(text, 0);
        if (is_clear(ids)) return key_of(ids->front());
        const auto local = parse_defline_seqids("lcl|" + text, 0);
        return is_clear(local) ? key_of(local->front()) : std::string();
    }
    std::unordered_map<std::string, std::uint32_t> taxids_;
    bool has_found_ = false;
};

struct Plan {
    std::vector<std::string> inputs;
    fs::path base;      // the database's name with its folder
    fs::path database;  // BASE.wsdb
    std::string title;
    std::vector<fs::path> replaced;  // files of an existing database of this name
};

/// Returns the existing files of a database `base`: BASE.pin, BASE.00.pin and so on.
std::vector<fs::path> files_of(const fs::path& base) {
    std::vector<fs::path> files;
    const fs::path folder = base.parent_path();
    const std::string start = base.filename().string() + ".";
    std::error_code error;
    for (fs::directory_iterator entry(folder.empty() ? fs::path(".") : folder, error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (!name.starts_with(start)) continue;
        std::string_view rest = std::string_view(name).substr(start.size() - 1);
        if (const std::size_t digits = rest.find_first_not_of("0123456789", 1); digits >= 3 && digits < rest.size())
            rest.remove_prefix(digits);
        if (std::ranges::find(blast_file_endings(), rest) == blast_file_endings().end()) continue;
        if (fs::is_regular_file(entry->status(error))) files.push_back(folder / name);
    }
    return files;
}

/// Checks that neither an output nor the log is an input.
Status check_files(const Plan& plan, const std::vector<std::string>& taxid_maps,
                   const std::optional<std::string>& log) {
    RunFiles files;
    for (const std::string& map : taxid_maps) files.add_input("-taxid_map", map);
    for (const std::string& input : plan.inputs) files.add_input("-in", input);
    // These outputs are not opened here, because their folder may have to be made first.
    files.add_optional_output("-out", plan.database);
    std::vector<fs::path> outputs = plan.replaced;
    for (const std::string_view ending : blast_file_endings()) {
        fs::path file = plan.base;
        file += ending;
        if (std::ranges::find(outputs, file) == outputs.end()) outputs.push_back(std::move(file));
    }
    for (const fs::path& file : outputs) files.add_optional_output("-out (" + file.filename().string() + ")", file);
    if (log && *log != "/dev/null") files.add_output("-logfile", *log);
    return files.check();
}

/// Whether a database of this name exists, be it NCBI's or warpseq's.
bool is_taken(const fs::path& base) {
    std::error_code error;
    for (const char* ending : {".pin", ".pal", ".wsdb"}) {
        fs::path file = base;
        file += ending;
        if (fs::exists(file, error)) return true;
    }
    return false;
}

/// Raises the limit of open files, because a database of many volumes has more files than a process
/// may usually open.
void allow_many_files() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

/// Prints why no database was made and returns the exit status.
int not_made(const Status& status) {
    return blast_failure(status.code() == StatusCode::kOutOfMemory ? kBlastOutOfMemory : kBlastWrongInput,
                         "BLAST Database creation error: " + status.message());
}

/// Writes the database's files from the inputs and returns the exit status. A file has at most
/// `file_bytes`; 0 stands for the default.
int write_database(const Plan& plan, const BlastArguments& arguments, std::uint64_t file_bytes, TaxidMap& taxids,
                   Log& log) {
    const auto say = [&](const std::string& text) { return log.write(text); };
    std::error_code error;
    for (const std::string& input : plan.inputs) {
        if (input == "-") continue;
        const bool is_regular = fs::is_regular_file(input, error);
        if (is_regular && fs::is_empty(input, error)) return options_error("File " + input + " is empty");
        const bool is_readable = (is_regular || fs::is_fifo(input, error)) && blast_can_read(input);
        if (!is_readable) return options_error("File " + input + " does not exist");
    }
    if (const fs::path folder = plan.base.parent_path(); !folder.empty()) fs::create_directories(folder, error);

    Status log_status;
    const auto say_meanwhile = [&](const std::string& text) {
        if (log_status.ok()) log_status = say(text);
    };
    BlastWriterOptions writing;
    writing.name = plan.base;
    writing.title = plan.title;
    writing.date = blast_date(std::time(nullptr));
    writing.version = arguments.text("blastdb_version") == "4" ? 4 : 5;
    writing.parses_ids = arguments.has("parse_seqids");
    writing.has_hashes = arguments.has("hash_index");
    if (file_bytes > 0) writing.file_bytes = file_bytes;
    if (arguments.has("taxid")) {
        const auto taxid = static_cast<std::uint32_t>(*whole_number_of(arguments.text("taxid")));
        writing.taxid_of = [taxid](std::span<const BlastSeqId>) { return taxid; };
    } else if (arguments.has("taxid_map")) {
        writing.taxid_of = [&taxids](std::span<const BlastSeqId> ids) { return taxids.find(ids); };
    }
    writing.replaced = plan.replaced;
    writing.on_left_out = [&](const std::string& message) { say_meanwhile(message + "\n"); };
    // The lines about letters of a record that are left out. They are held until the record's
    // header has been read. NCBI's makeblastdb reads the definition lines first, and says nothing
    // about the letters if it cannot read them.
    std::string held;
    const auto say_held = [&] {
        if (held.empty()) return;
        if (arguments.has("logfile")) {
            say_meanwhile(held);
        } else {
            std::fwrite(held.data(), 1, held.size(), stderr);
        }
        held.clear();
    };
    writing.on_header = [&](bool is_read) {
        if (is_read) {
            say_held();
        } else {
            held.clear();
        }
    };
    auto start = Clock::now();
    writing.on_file_end = [&](std::uint64_t sequences) {
        char line[128];
        std::snprintf(line, sizeof line, "Adding sequences from FASTA; added %llu sequences in %g seconds.\n",
                      static_cast<unsigned long long>(sequences), seconds_since(start));
        say_meanwhile(line);
        start = Clock::now();
    };
    allow_many_files();
    auto database = BlastDatabaseWriter::create(std::move(writing));
    if (!database.ok()) return not_made(database.status());

    ConvertOptions options;
    options.title = options.release = "";  // they are in the BLAST database
    for (const std::string& input : plan.inputs) options.inputs.emplace_back(input);
    options.output = plan.database;
    options.replace = true;
    options.blast_database = &*database;
    BlastDatabaseWriter::set_reading(options.reading);
    options.reading.on_left_out = [&](FastaLeftOut left_out) {
        left_out.has_hyphens = false;  // hyphens are no mistake in databases
        held += left_out_lines(left_out);
    };
    if (const char* folder = std::getenv("TMPDIR"); folder != nullptr) options.temporary_folder = folder;
    Observer silent;
    const auto report = convert_fasta(options, silent);
    say_held();
    if (!report.ok()) return not_made(report.status());
    if (!log_status.ok()) return report_blast_status(log_status);
    return report_blast_status(say("\n\n"));
}

int make_database(const Plan& plan, const BlastArguments& arguments, Log& log) {
    const auto say = [&](const std::string& text) { return log.write(text); };
    const auto size = file_size_of(arguments.text("max_file_sz"));
    if (!size) return options_error("Invalid value for -max_file_sz: " + arguments.text("max_file_sz"));
    std::error_code error;
    const fs::path absolute = fs::absolute(plan.base, error).lexically_normal();
    std::string head = "\n\nBuilding a new DB, current time: " + time_text("%m/%d/%Y %H:%M:%S") +
                       "\nNew DB name:   " + absolute.string() + "\nNew DB title:  " + plan.title +
                       "\nSequence type: Protein\n";
    if (is_taken(plan.base)) head += "Deleted existing Protein BLAST database named " + absolute.string() + "\n";
    head += "Keep MBits: T\n";
    if (const Status status = say(head); !status.ok()) return report_blast_status(status);
    if (*size >= kMostFileBytes) return options_error("max_file_sz must be < 4 GiB");
    if (const Status status = say("Maximum file size: " + shown_file_size(*size) + "\n"); !status.ok())
        return report_blast_status(status);
    TaxidMap taxids;
    if (arguments.has("taxid_map")) {
        auto read = TaxidMap::read(arguments.text("taxid_map"));
        if (!read.ok()) return not_made(read.status());
        taxids = *std::move(read);
    }
    const int status = write_database(plan, arguments, *size, taxids, log);
    // NCBI's makeblastdb prints this after errors, too.
    if (taxids.is_in_vain()) blast_failure(0, "Error: [makeblastdb] No sequences matched any of the taxids provided.");
    return status;
}

int run(int argc, char** argv) {
    const auto pass_on = [&] {
        return options_error(run_next_program("makeblastdb", argv, "-dbtype nucl asks for nucleotides").message());
    };
    if (asks_for_nucleotides(argv)) return pass_on();
    const BlastArguments arguments = parse_blast_arguments(makeblastdb_grammar(), argc, argv);
    if (arguments.ending) return end_blast_program(*arguments.ending);
    if (arguments.text("dbtype") == "nucl") return pass_on();
    for (const OptionRow& option : makeblastdb_grammar().rows) {
        if (!option.is_supported && arguments.has(option.blast.name))
            return options_error("-" + std::string(option.blast.name) + " is not supported by warpseq's makeblastdb");
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
    plan.title = arguments.has("title") ? arguments.text("title") : in;
    if (arguments.has("taxid_map") && !blast_can_read(arguments.text("taxid_map")))
        return blast_inaccessible("taxid_map", arguments.text("taxid_map"));
    plan.replaced = files_of(plan.base);
    std::optional<std::string> log;
    if (arguments.has("logfile")) log = arguments.text("logfile");
    std::vector<std::string> more;
    if (arguments.has("taxid_map")) more.push_back(arguments.text("taxid_map"));
    if (const Status status = check_files(plan, more, log); !status.ok()) return options_error(status.message());
    Log messages(log);
    if (!messages.is_open()) return blast_inaccessible("logfile", *log);
    return make_database(plan, arguments, messages);
}

}  // namespace

std::vector<CommandSyntax> makeblastdb_syntax() { return {{"", blast_listed(makeblastdb_grammar())}}; }

int makeblastdb_program(int argc, char** argv) {
    prepare_process("makeblastdb");
    int exit_status = 0;
    const Status status = guarded([&] { exit_status = run(argc, argv); });
    return status.ok() ? exit_status : report_blast_status(status);
}

}  // namespace warpseq

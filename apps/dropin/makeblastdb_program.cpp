#include "apps/dropin/makeblastdb_program.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "apps/common/command_line.h"
#include "apps/common/process.h"
#include "apps/dropin/blast_command_line.h"
#include "apps/dropin/blast_databases.h"
#include "apps/dropin/data_size.h"
#include "apps/dropin/makeblastdb_taxids.h"
#include "apps/dropin/next_program.h"
#include "apps/dropin/nucleotide_input.h"
#include "formats/blast/blast_database_writer.h"
#include "formats/fasta/fasta.h"
#include "formats/io/byte_source.h"
#include "formats/io/run_files.h"
#include "formats/io/shown_text.h"
#include "formats/wsdb/convert_fasta.h"
#include "libcore/base/ascii.h"
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

/// Returns the size of files as NCBI's makeblastdb shows it. A small size is shown as 0.
std::string shown_file_size(std::uint64_t bytes) {
    constexpr std::uint64_t kLeastShown = 10'240;
    return std::to_string(bytes < kLeastShown ? 0 : bytes) + "B";
}

/// The messages of the program. They go to standard output, or to the end of a file.
class Log {
   public:
    explicit Log(const std::optional<std::string>& file) {
        if (file && *file != "-") file_.emplace(*file, std::ios::binary | std::ios::app);
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
    if (log && !log->empty() && *log != "-") files.add_optional_output("-logfile", *log);
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

/// Makes the folder of a database. Returns an error, with makeblastdb's message, if there cannot be
/// one.
Status make_folder(const fs::path& base) {
    std::error_code error;
    const fs::path folder = base.parent_path();
    fs::create_directories(folder, error);
    if (fs::is_directory(folder, error)) return {};
    return Status::io("Failed to create directory '" + folder.filename().string() + "'");
}

/// Whether a regular file begins as FASTA does, with a letter behind a header. True for other
/// files.
bool begins_as_fasta(const std::string& file) {
    std::error_code error;
    if (!fs::is_regular_file(file, error)) return true;
    auto source = ByteSource::open(file);
    if (!source.ok()) return true;  // the reader tells why
    const auto start = source->peek_block();
    if (!start.ok()) return true;
    std::string_view text(reinterpret_cast<const char*>(start->data()), start->size());
    while (text.starts_with('#') || text.starts_with('!'))  // comments, besides those with ';'
        text.remove_prefix(std::min(text.find_first_of("\r\n"), text.size() - 1) + 1);
    if (why_not_fasta(start->last(text.size()))) return false;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
        if (!line.starts_with('>') && std::ranges::any_of(line, is_ascii_letter)) return true;
        text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
    return start->size() == kDefaultBlockBytes;  // the rest of the file may have residues
}

/// Checks the inputs. Returns an error, with makeblastdb's message, about the first wrong one.
Status check_inputs(const std::vector<std::string>& inputs) {
    if (inputs.empty()) return Status::invalid_input("File  does not exist");
    std::error_code error;
    for (const std::string& input : inputs) {
        if (input == "-") continue;
        const bool is_regular = fs::is_regular_file(input, error);
        if (is_regular && fs::is_empty(input, error)) return Status::invalid_input("File " + input + " is empty");
        const bool is_readable = (is_regular || fs::is_fifo(input, error)) && blast_can_read(input);
        if (!is_readable) return Status::invalid_input("File " + input + " does not exist");
        if (!begins_as_fasta(input))
            return Status::invalid_input(input + " does not match input format type, default input type is FASTA");
    }
    return {};
}

/// Writes the database's files from the inputs and returns the exit status. A file has at most
/// `file_bytes`; 0 stands for the default.
int write_database(const Plan& plan, const BlastArguments& arguments, std::uint64_t file_bytes, TaxidMap& taxids,
                   Log& log) {
    const auto say = [&](const std::string& text) { return log.write(text); };
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
    const auto warn = [](const std::string& warnings) {
        const std::string shown = for_terminal(warnings);
        std::fwrite(shown.data(), 1, shown.size(), stderr);
    };
    const auto say_held = [&] { warn(std::exchange(held, {})); };
    writing.on_warning = warn;
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
    if (!database.ok()) {
        if (const Status status = say("\nNo volumes were created.\n\n"); !status.ok())
            return report_blast_status(status);
        return not_made(database.status());
    }

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
    database->tell_last_warnings();
    say_meanwhile(database->has_sequences() ? "\n\n" : "\nNo volumes were created.\n\n");
    if (!report.ok()) {
        return database->has_malformed_ids() ? blast_exception(report.status().message()) : not_made(report.status());
    }
    return report_blast_status(log_status);
}

int make_database(const Plan& plan, const BlastArguments& arguments, Log& log) {
    const auto say = [&](const std::string& text) { return log.write(text); };
    std::string head = "\n\nBuilding a new DB, current time: " + time_text("%m/%d/%Y %H:%M:%S") +
                       "\nNew DB name:   " + plan.base.string() + "\nNew DB title:  " + plan.title +
                       "\nSequence type: Protein\n";
    if (is_taken(plan.base)) head += "Deleted existing Protein BLAST database named " + plan.base.string() + "\n";
    head += "Keep MBits: T\n";
    if (const Status status = say(head); !status.ok()) return report_blast_status(status);
    const auto size = read_data_size(arguments.text("max_file_sz"));
    if (!size.ok()) return blast_exception(size.status().message());
    if (*size >= kMostFileBytes) return options_error("max_file_sz must be < 4 GiB");
    if (const Status status = say("Maximum file size: " + shown_file_size(*size) + "\n"); !status.ok())
        return report_blast_status(status);
    TaxidMap taxids;
    if (arguments.has("taxid_map")) {
        const std::string file = arguments.text("taxid_map");
        if (!blast_can_read(file)) return blast_inaccessible("taxid_map", file);
        auto read = TaxidMap::read(file);
        if (!read.ok()) return blast_exception(read.status().message());
        taxids = *std::move(read);
    }
    if (const Status status = check_inputs(plan.inputs); !status.ok()) return options_error(status.message());
    const int status = write_database(plan, arguments, *size, taxids, log);
    // NCBI's makeblastdb prints this after errors, too.
    if (taxids.is_in_vain()) blast_failure(0, "Error: [makeblastdb] No sequences matched any of the taxids provided.");
    return status;
}

/// Returns the path of the database that a name stands for.
fs::path base_of(const std::string& name) {
    std::error_code error;
    fs::path base = fs::absolute(name.empty() ? "." : name, error).lexically_normal();
    return base.has_filename() ? base : base.parent_path();
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
    const std::string name = arguments.has("out") ? arguments.text("out") : in;
    plan.inputs = in == "-" ? std::vector<std::string>{in} : database_names(in);
    plan.base = base_of(name);
    plan.database = plan.base;
    plan.database += ".wsdb";
    plan.title = arguments.has("title") ? arguments.text("title") : in;
    plan.replaced = files_of(plan.base);
    std::optional<std::string> log;
    if (arguments.has("logfile")) log = arguments.text("logfile");
    std::vector<std::string> more;
    if (arguments.has("taxid_map")) more.push_back(arguments.text("taxid_map"));
    if (const Status status = check_files(plan, more, log); !status.ok()) return options_error(status.message());
    if (log) log_blast_messages(*log);
    if (name == "-" || name.find(' ') != std::string::npos)
        return options_error("Please provide a database name using -out");
    if (!arguments.has("title") && in == "-") return options_error("Please provide a title using -title");
    if (const Status status = make_folder(plan.base); !status.ok()) return blast_exception(status.message());
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

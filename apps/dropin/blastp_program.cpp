#include "apps/dropin/blastp_program.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "apps/common/process.h"
#include "apps/dropin/blast_command_line.h"
#include "apps/dropin/blast_databases.h"
#include "apps/dropin/blastp_checks.h"
#include "apps/search/blastp/blastp_command.h"
#include "apps/search/driver/search_driver.h"
#include "engines/blastp/query_parts.h"
#include "formats/blast/given_defline.h"
#include "formats/fasta/fasta.h"
#include "libcore/base/observer.h"
#include "libcore/base/thread_pool.h"
#include "libcore/base/version.h"
#include "options/arguments.h"
#include "options/blastp/blastp_options.h"
#include "options/blastp/blastp_rows.h"
#include "options/option_set.h"
#include "reports/fields.h"

namespace warpseq {
namespace {

/// The options that `search blastp` has under the same name, and reads.
constexpr const char* kSame[] = {
    "task",
    "evalue",
    "word_size",
    "gapopen",
    "gapextend",
    "max_hsps",
    "qcov_hsp_perc",
    "seqidlist",
    "negative_seqidlist",
    "culling_limit",
    "best_hit_overhang",
    "best_hit_score_edge",
    "seg",
    "soft_masking",
    "matrix",
    "outfmt",
    "line_length",
    "num_descriptions",
    "num_alignments",
    "max_target_seqs",
};

/// The name that reports give to a subject without a title.
constexpr const char* kUntitledSubject = "unnamed protein product";

constexpr int kWriteError = 6;

constexpr const char* kNoSequences = "BLAST engine error: Empty CBlastQueryVector";

/// Whether a file holds only white space, or standard input holds nothing. On a pipe, blocks until
/// there is data or the last writer has closed it.
bool is_empty(const std::string& file) {
    struct stat about {};
    struct stat nothing {};
    const auto is_null = [&] {
        return stat("/dev/null", &nothing) == 0 && S_ISCHR(about.st_mode) && about.st_rdev == nothing.st_rdev;
    };
    if (file != "-") {
        if (stat(file.c_str(), &about) != 0) return false;
        if (!S_ISREG(about.st_mode)) return is_null();
        std::ifstream in(file, std::ios::binary);
        return in && (in >> std::ws).eof();
    }
    if (fstat(STDIN_FILENO, &about) != 0) return false;
    if (is_null()) return true;
    if (S_ISREG(about.st_mode)) return lseek(STDIN_FILENO, 0, SEEK_CUR) >= about.st_size;
    if (!S_ISFIFO(about.st_mode)) return false;
    pollfd input{STDIN_FILENO, POLLIN, 0};
    return poll(&input, 1, -1) == 1 && (input.revents & POLLIN) == 0 && (input.revents & POLLHUP) != 0;
}

/// Returns the first line of a file if it looks like an identifier of a database, whose sequence
/// NCBI's blastp would fetch. Returns an empty text if it looks like a sequence.
std::string identifier_in(const std::string& file) {
    struct stat about {};
    if (stat(file.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) return "";
    std::ifstream in(file, std::ios::binary);
    constexpr std::size_t kLongest = 64;
    std::string start(kLongest, '\0');
    in >> std::ws;
    in.read(start.data(), kLongest);
    start.resize(static_cast<std::size_t>(in.gcount()));
    const std::string line = start.substr(0, start.find_first_of("\r\n"));
    // The alternatives are accessions of GenBank and the like, of RefSeq and of UniProt, GIs,
    // identifiers of PDB, and identifiers with their kind before them.
    static const std::regex kIdentifier(
        "([a-z]\\d{5}|[a-z]{2}\\d{6}|[a-z]{3}(\\d{5}|\\d{7})|[a-z]{4}\\d{8,}|[a-z]{2}_(\\d{6}|\\d{9})|"
        "[opq]\\d[a-z\\d]{3}\\d|[a-nr-z]\\d([a-z][a-z\\d]{2}\\d){1,2})(\\.\\d+)?|"
        "\\d+|\\d[a-z\\d]{3}(_\\w+)?|[a-z]{2,3}\\|\\S*",
        std::regex::icase);
    return line.size() < kLongest && std::regex_match(line, kIdentifier) ? line : "";
}

/// Whether FASTA may have lower-case letters. True for anything that cannot be read twice. False
/// for a faulty file, whose fault the search reports.
bool may_have_lower_case(const std::string& file) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) return true;
    FastaReader reader({file}, {.leaves_out_others = true, .takes_bare_residues = true, .find_lower_case = true});
    FastaRecord record;
    for (;;) {
        const auto more = reader.next(record);
        if (!more.ok() || !*more) return false;
        if (!record.lower_case.empty()) return true;
    }
}

/// The files to search, and their names in reports.
struct Targets {
    std::vector<std::string> files;
    std::vector<std::filesystem::path> markers;
    std::vector<RepeatedSequences> repeated;
    std::vector<bool> counted;      // by file: whether E-values count it if all is searched
    bool are_of_version_4 = false;  // whether all databases are of version 4, which has no lists of taxa
    BlastpNames names;
};

/// The key that identifies and orders volumes: the name of the file without ending, then the same
/// with its folder.
using VolumeKey = std::pair<std::filesystem::path, std::filesystem::path>;

VolumeKey key_of(const std::filesystem::path& volume) {
    const std::filesystem::path name = std::filesystem::absolute(volume).lexically_normal();
    return {name.filename(), name};
}

/// Returns the volumes of a database. A database that is not NCBI's has its file as the only
/// volume.
std::vector<CountedVolume> volumes_of(const BlastDatabase& database) {
    constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
    return database.volumes.empty() ? std::vector<CountedVolume>{{database.database, kAll}} : database.volumes;
}

/// Returns the places of the databases on the command line, in the order in which they are
/// searched. The order decides which of several equal hits comes first. Databases are ordered by
/// the names of their first volumes, without endings, and then by the folders of these. Of the
/// databases that begin with the same volume, the one with most volumes goes first. Databases all
/// of whose volumes were in others go last, so that the numbers of sequences are NCBI's.
std::vector<std::size_t> places_in_order(const std::vector<BlastDatabase>& databases) {
    std::vector<std::tuple<VolumeKey, std::ptrdiff_t, std::size_t>> order;
    for (std::size_t d = 0; d < databases.size(); ++d) {
        const auto& volumes = databases[d].volumes;
        order.emplace_back(key_of(volumes.empty() ? databases[d].base : volumes.front().name), -std::ssize(volumes), d);
    }
    std::ranges::sort(order);
    std::vector<std::size_t> places, last;
    std::set<VolumeKey> seen;
    for (const auto& [key, size, place] : order) {
        bool has_more = false;
        for (const CountedVolume& volume : volumes_of(databases[place]))
            has_more = seen.insert(key_of(volume.name)).second || has_more;
        (has_more ? places : last).push_back(place);
    }
    places.insert(places.end(), last.begin(), last.end());
    return places;
}

/// Adds the databases to `targets`. A volume that several of them have is searched once. As in
/// NCBI's program, E-values count it for each alias that has it, and once more if it is named
/// itself.
void add_databases(const std::vector<BlastDatabase>& databases, Targets& targets) {
    std::set<VolumeKey> seen, named;
    for (const std::size_t place : places_in_order(databases)) {
        const BlastDatabase& database = databases[place];
        targets.counted.push_back(database.database.extension() == ".pal" ||
                                  named.insert(key_of(volumes_of(database).front().name)).second);
        std::uint64_t first = 0;
        for (const CountedVolume& volume : volumes_of(database)) {
            if (!seen.insert(key_of(volume.name)).second)
                targets.repeated.push_back({targets.files.size(), first, first + volume.sequences});
            first += volume.sequences;
        }
        targets.files.push_back(database.database.string());
        std::ranges::move(all_files_of(database), std::back_inserter(targets.markers));
        targets.names.each.push_back({.title = database.title,
                                      .has_parsed_ids = database.has_parsed_ids,
                                      .has_taxids = database.has_taxids,
                                      .date = database.date,
                                      .place = place});
    }
}

/// Finds the sequences that -subject names, if it is given. Returns 0, or the exit status after an
/// error, which is printed.
int find_subject(const BlastArguments& arguments, Targets& targets, std::optional<ResidueRange>& range) {
    if (!arguments.has("subject")) {
        if (arguments.has("db")) return 0;
        return blast_options_error("Either a BLAST database or subject sequence(s) must be specified");
    }
    BlastpNames& names = targets.names;
    const std::string file = arguments.text("subject");
    if (!blast_can_read(file)) return blast_inaccessible("subject", file);
    std::optional<int> ended;
    if (arguments.has("subject_loc")) range = read_blastp_range(arguments.text("subject_loc"), "subject", ended);
    if (ended) return *ended;
    if (is_empty(file)) return blast_failure(kBlastEngineError, kNoSequences);
    targets.files.push_back(file);
    names.are_subjects = true;
    if (arguments.has("parse_deflines")) names.each = {{.title = {}, .has_parsed_ids = true}};
    names.databases = "User specified sequence set (Input: " + file + ")";
    names.title = names.databases + ".";
    return 0;
}

/// Finds the databases that -db names. Returns 0, or the exit status after an error, which is
/// printed.
int find_databases(const BlastArguments& arguments, Targets& targets) {
    BlastpNames& names = targets.names;
    names.databases = arguments.text("db");
    const auto given = database_names(names.databases);
    if (given.empty()) return no_database_name(names.databases);
    std::vector<BlastDatabase> databases;
    for (const std::string& name : given) {
        auto found = find_blast_database(name);
        if (!found.ok()) return blast_failure(kBlastDatabaseError, "BLAST Database error: " + found.status().message());
        if (found->title.empty()) found->title = name;
        names.title += (databases.empty() ? "" : "; ") + found->title;
        databases.push_back(*std::move(found));
    }
    constexpr int kOlderVersion = 4;
    targets.are_of_version_4 =
        std::ranges::all_of(databases, [](const BlastDatabase& each) { return each.version == kOlderVersion; });
    add_databases(databases, targets);
    return 0;
}

/// Returns a value of -outfmt. The words behind the number are left out if the format has no
/// columns.
std::string outfmt_of(const std::string& value) {
    const std::string format = value.substr(std::min(value.find_first_not_of(' '), value.size()));
    const std::string number = format.substr(0, format.find_first_of(" \t"));
    const auto known = whole_number_of(number);
    return known && has_blastp_columns(*known) ? value : number;
}

/// Returns NCBI's message for the case that no sequence has one of the taxonomy IDs.
std::string unknown_taxids(const TaxonList& taxa) {
    return std::string(taxa.are_left_out ? "Taxonomy ID(s) not found." : "") +
           "Taxonomy ID(s) not found. This could be because the ID(s) provided are not at or below the species level. "
           "Please "
           "use get_species_taxids.sh to get taxids for nodes higher than species (see "
           "https://www.ncbi.nlm.nih.gov/books/NBK546209/).";
}

/// Returns the values of the engine's options that correspond to the command line.
Result<OptionValues> search_values(const BlastArguments& arguments, const std::vector<std::string>& files,
                                   const std::string& mode) {
    OptionValues values = make_blastp_options().values();
    WARPSEQ_TRY(values.set("query", arguments.text("query")));
    WARPSEQ_TRY(values.set("quiet"));
    for (const std::string& file : files) WARPSEQ_TRY(values.set("db", file));
    if (arguments.text("out") != "-") WARPSEQ_TRY(values.set("out", arguments.text("out")));
    WARPSEQ_TRY(values.set("comp_based_stats", mode));
    // More threads than the machine has would gain nothing.
    const auto threads =
        std::min<std::int64_t>(*whole_number_of(arguments.text("num_threads")), ThreadPool::hardware_threads());
    WARPSEQ_TRY(values.set("num_threads", std::to_string(threads)));
    for (const char* name : kSame) {
        const std::string value = arguments.text(name);
        if (value.empty() && !arguments.has(name)) continue;
        WARPSEQ_TRY(values.set(name, std::string_view(name) == "outfmt" ? outfmt_of(value) : value));
    }
    if (arguments.has("searchsp")) WARPSEQ_TRY(values.set("searchsp", arguments.text("searchsp")));
    for (const char* name : {"lcase_masking", "ungapped", "subject_besthit", "use_sw_tback"})
        if (arguments.has(name)) WARPSEQ_TRY(values.set(name));
    return values;
}

/// Sets the numbers that `search blastp` refuses where they are out of the ordinary.
void set_numbers(const BlastArguments& arguments, BlastpSettings& settings) {
    const auto set = [&](const char* name, double& value) {
        if (arguments.has(name)) value = *number_of(arguments.text(name));
    };
    set("threshold", settings.threshold);
    set("xdrop_ungap", settings.x_drop_ungapped_bits);
    set("xdrop_gap", settings.x_drop_gapped_bits);
    set("xdrop_gap_final", settings.x_drop_final_bits);
    if (arguments.has("window_size"))
        settings.window_residues = static_cast<std::uint32_t>(*whole_number_of(arguments.text("window_size")));
    const std::int64_t residues = arguments.has("dbsize") ? *whole_number_of(arguments.text("dbsize")) : 0;
    settings.has_negative_database = residues < 0;
    if (residues > 0) settings.database_residues = static_cast<std::uint64_t>(residues);
}

/// Whether a table of this format has the names of all taxa of a target.
bool names_all_taxa(const std::string& outfmt, std::int64_t format) {
    if (!has_blastp_columns(format)) return false;
    const auto columns = parse_blastp_fields(split_outfmt(outfmt).second);
    constexpr std::string_view kNames[] = {"sscinames", "scomnames", "sblastnames", "sskingdoms"};
    return columns.ok() && std::ranges::any_of(columns->fields, [&](const Field* field) {
               return std::ranges::find(kNames, field->name) != std::end(kNames);
           });
}

/// The messages of a run about what it reads and finds. The functions that it gives to the search
/// print them, or keep what ends the program.
class Messages {
   public:
    Messages(const BlastArguments& arguments, std::int64_t format) : arguments_(arguments), format_(format) {}

    void listen_to(BlastpOptions& options) {
        const auto report_left_out = [](const FastaLeftOut& left_out) { print(left_out_lines(left_out)); };
        const auto check = [this](std::string_view header, std::uint64_t line) {
            const DeflineFindings findings = check_given_defline(header, line, arguments_.has("parse_deflines"));
            print(findings.id_warnings + findings.title_warnings);
            if (!findings.status.ok()) wrong_defline_ = findings.status.message();
            return findings.status;
        };
        options.query_reading = {.leaves_out_others = true,
                                 .on_left_out = report_left_out,
                                 .takes_bare_residues = true,
                                 .empty_header = "",
                                 .on_header = check};
        if (arguments_.has("subject")) {
            options.common.target_reading = options.query_reading;
            options.common.target_reading.empty_header = kUntitledSubject;
            options.on_subject_warning = [](const std::string& text) { blastp_warn(text); };
        }
        // XML and JSON reports contain the warnings about queries.
        const bool is_document = format_ >= kBlastpFirstDocument && format_ <= kBlastpLastDocument;
        if (format_ != kBlastpXml && !is_document)
            options.on_query_warning = [this](const std::string& text) { blastp_warn(text, subject_); };
        options.on_no_query_residues = [this](std::uint64_t queries) {
            for (std::uint64_t q = 0; q < queries; ++q) no_data_ += "Warning: Sequence contains no data ";
            return Status::invalid_input("no query has a residue");
        };
        if (names_all_taxa(options.outfmt, format_)) options.on_unknown_taxa = [this] { warn_of_taxa(); };
        // With -mt_mode 1, each thread of blastp searches with a group of queries and gives all
        // warnings again.
        if (is_by_queries()) {
            options.on_query_group = [this](std::uint64_t first, std::uint64_t last) {
                ++groups_;
                subject_ = "Query " + std::to_string(first) + "-" + std::to_string(last);
                warn_of_blastp_options(arguments_, format_, subject_);
            };
        }
    }

    /// Prints what remains to be said when the search has ended. Returns the exit status if one of
    /// the messages has ended it.
    std::optional<int> finish(const Status& search) {
        subject_ = "blastp";
        if (!wrong_defline_.empty()) return blast_failure(kBlastWrongInput, "BLAST query error: " + wrong_defline_);
        if (!no_data_.empty()) return blast_failure(kBlastEngineError, "BLAST engine error: " + no_data_);
        if (!search.ok()) return {};
        if (has_warned_of_taxa_ && format_ == kTableWithComments) warn_of_taxa();
        if (is_by_queries() && groups_ < blastp_threads(arguments_)) {
            blastp_warn(
                "This set of queries is too small to fully benefit from the -mt_mode=1 option. The total number of "
                "letters should be at least " +
                std::to_string(kQueryGroupResidues) + " residues per thread.");
        }
        return {};
    }

   private:
    static constexpr std::int64_t kTableWithComments = 7;

    static void print(const std::string& lines) { std::fwrite(lines.data(), 1, lines.size(), stderr); }
    void warn_of_taxa() {
        has_warned_of_taxa_ = true;
        blastp_warn(
            "Taxonomy name lookup from taxid requires installation of taxdb database with "
            "ftp://ftp.ncbi.nlm.nih.gov/blast/db/taxdb.tar.gz",
            subject_);
    }
    bool is_by_queries() const {
        return !arguments_.has("subject") && whole_number_of(arguments_.text("mt_mode")) == 1 &&
               blastp_threads(arguments_) > 1;
    }

    const BlastArguments& arguments_;
    std::int64_t format_;
    std::string subject_ = "blastp";  // what warnings are about: the program or a group of queries
    std::int64_t groups_ = 0;         // groups of queries so far
    bool has_warned_of_taxa_ = false;
    std::string wrong_defline_, no_data_;  // what has ended the search, if anything
};

int run(int argc, char** argv) {
    const BlastArguments arguments = parse_blast_arguments(blastp_grammar(), argc, argv);
    if (arguments.ending) return end_blast_program(*arguments.ending);
    // Options that only concern speed, and options without effect here (-show_gis), are accepted
    // silently.
    for (const OptionRow& option : blastp_grammar().rows)
        if (!option.is_supported && arguments.has(option.blast.name))
            return refuse_in_blastp("-" + std::string(option.blast.name));
    const auto mode = blastp_composition_mode(arguments.text("comp_based_stats"));
    if (!mode) return refuse_in_blastp("-comp_based_stats " + arguments.text("comp_based_stats"));
    // For 0, NCBI's blastp does not compute E-values by lengths, but others.
    if (arguments.has("searchsp") && whole_number_of(arguments.text("searchsp")) == 0)
        return refuse_in_blastp("-searchsp 0");
    if (arguments.has("ungapped") && arguments.has("use_sw_tback"))
        return refuse_in_blastp("-use_sw_tback together with -ungapped");

    // The first mistake in this order is reported, as in NCBI's blastp.
    std::optional<int> ended;
    const auto format = read_blastp_format(arguments.text("outfmt"), ended);
    if (!format) return *ended;
    Targets targets;
    std::optional<ResidueRange> subject_range, query_range;
    if (const int status = find_subject(arguments, targets, subject_range); status != 0) return status;
    auto taxa = read_blastp_taxa(arguments, ended);
    if (ended) return *ended;
    const std::string query = arguments.text("query"), out = arguments.text("out");
    if (!blast_can_read(query)) return blast_inaccessible("query", query);
    if (out != "-" && !blast_can_write(out)) return blast_inaccessible("out", out);
    if (const auto wrong = check_blastp_seg(arguments.text("seg"))) return *wrong;
    if (arguments.has("query_loc")) query_range = read_blastp_range(arguments.text("query_loc"), "query", ended);
    if (ended) return *ended;
    warn_of_blastp_options(arguments, *format);
    if (const auto wrong = check_blastp_search(arguments, *format, *mode)) return *wrong;
    if (!targets.names.are_subjects) {
        if (const int status = find_databases(arguments, targets); status != 0) return status;
    }
    if (targets.are_of_version_4 && taxa)
        return blast_failure(kBlastDatabaseError,
                             "BLAST Database error: Taxonomy filtering is not supported in v4 BLAST dbs");
    if (is_empty(query)) {
        blastp_warn("Query is Empty!");
        return 0;
    }
    constexpr std::int64_t kFilePerQuery[] = {13, 14};
    if (out == "-" && std::ranges::find(kFilePerQuery, *format) != std::end(kFilePerQuery))
        return blast_options_error("Please provide a file name for outfmt " + std::to_string(*format) + ".");
    if (const std::string identifier = identifier_in(query); !identifier.empty()) {
        return blast_failure(kBlastEngineError,
                             "Error: " + query + ": '" + identifier +
                                 "' is an identifier; warpseq does not fetch its sequence from NCBI\n" + kNoSequences);
    }
    // NCBI's blastp masks lower-case letters in subjects, too.
    if (arguments.has("subject") && arguments.has("lcase_masking") && may_have_lower_case(arguments.text("subject")))
        return refuse_in_blastp("-lcase_masking with a -subject that is no file, or has lower-case letters,");

    BlastpNames& names = targets.names;
    names.version = "BLASTP 2.12.0+ (warpseq " + std::string(program_version()) + ")";
    names.parses_queries = arguments.has("parse_deflines");
    const auto values = search_values(arguments, targets.files, *mode);
    if (!values.ok()) return report_blast_status(values.status());
    auto read = read_blastp_options(*values, ColumnBlanks::kAsBlastp);
    if (!read.ok()) return report_blast_status(read.status());
    set_numbers(arguments, read->settings);
    read->common.query_option = "-query";
    read->common.database_option = arguments.has("subject") ? "-subject" : "-db";
    read->common.report_option = "-out";
    read->common.existing = ExistingFile::kWriteInto;
    read->common.target_range = subject_range;
    read->query_range = query_range;
    read->common.database_markers = std::move(targets.markers);
    read->common.targets.repeated = std::move(targets.repeated);
    read->common.targets.may_be_empty = true;
    if (taxa) {
        for (const BlastpNames::Database& database : names.each)
            read->common.targets.taxids_of_databases.push_back({database.has_taxids, database.taxid});
        read->common.targets.taxa = std::move(taxa);
        read->settings.cutoffs_by_shortest_target = true;
    }
    // E-values count only the sequences that a list selects. For databases of version 4, a list of
    // sequences to leave out does not change what is counted.
    const bool counts_all = targets.are_of_version_4 && arguments.has("negative_seqidlist");
    if (counts_all) read->settings.cutoffs_by_shortest_target = false;
    if (counts_all || (!read->common.targets.sequences && !read->common.targets.taxa))
        read->counted_databases = std::move(targets.counted);
    if (arguments.has("subject")) read->settings.cutoffs_by_shortest_target = true;
    read->layout.has_ncbi_lines = true;
    read->layout.is_html = arguments.has("html");
    if (const auto order = whole_number_of(arguments.text("sorthits")))
        read->layout.hit_order = static_cast<BlastpLayout::HitOrder>(*order);
    if (const auto order = whole_number_of(arguments.text("sorthsps")); order && *format == 0)
        read->layout.hsp_order = static_cast<BlastpLayout::HspOrder>(*order);
    Messages messages(arguments, *format);
    messages.listen_to(*read);
    Observer silent;
    const Status status = run_blastp_search(*read, names, silent);
    if (const auto exit_status = messages.finish(status)) return *exit_status;
    if (status.advice() == Advice::kTaxids)
        return blast_failure(kBlastDatabaseError,
                             "BLAST Database error: " + unknown_taxids(*read->common.targets.taxa));
    if (status.advice() == Advice::kTargetRange)
        return blast_options_error("Invalid from coordinate (greater than sequence length)");
    if (status.advice() == Advice::kQueryRange) return blast_failure(kBlastEngineError, kNoSequences);
    if (status.advice() == Advice::kOtherOutput)
        return blast_failure(kWriteError, "BLAST failed to write output: " + status.message());
    return report_blast_status(status);
}

}  // namespace

std::vector<CommandSyntax> blastp_syntax() { return {{"", blast_listed(blastp_grammar())}}; }

int blastp_program(int argc, char** argv) {
    prepare_process("blastp");
    int exit_status = 0;
    const Status status = guarded([&] { exit_status = run(argc, argv); });
    return end_of_search(status.ok() ? exit_status : report_blast_status(status));
}

}  // namespace warpseq

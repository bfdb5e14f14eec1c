#include "apps/dropin/blastp_program.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "apps/common/process.h"
#include "apps/dropin/blast_command_line.h"
#include "apps/dropin/blast_databases.h"
#include "apps/search/blastp/blastp_command.h"
#include "apps/search/driver/search_driver.h"
#include "formats/fasta/fasta.h"
#include "libcore/base/observer.h"
#include "libcore/base/thread_pool.h"
#include "libcore/base/version.h"
#include "libcore/scoring/builtin_matrices.h"
#include "libcore/scoring/word_rule.h"
#include "libcore/statistics/karlin_altschul.h"
#include "options/arguments.h"
#include "options/blastp/blastp_options.h"
#include "options/blastp/blastp_rows.h"
#include "options/option_set.h"

namespace warpseq {
namespace {

/// The options that `search blastp` has under the same name, and reads.
constexpr const char* kSame[] = {
    "task",
    "dbsize",
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
    "xdrop_ungap",
    "xdrop_gap",
    "xdrop_gap_final",
    "seg",
    "soft_masking",
    "matrix",
    "threshold",
    "window_size",
    "outfmt",
    "line_length",
    "num_descriptions",
    "num_alignments",
    "max_target_seqs",
};

/// The name that reports give to a subject without a title.
constexpr const char* kUntitledSubject = "unnamed protein product";

constexpr int kStatusOfException = 255, kWriteError = 6;

int refuse(const std::string& what) { return blast_options_error(what + " is not supported by warpseq's blastp"); }

void warn(const std::string& text) { blast_failure(0, "Warning: [blastp] " + text); }

/// Returns the number of the output format. If it is wrong, prints the error, sets `ended` to the
/// exit status, and returns nothing.
std::optional<std::int64_t> read_format(const std::string& outfmt, std::optional<int>& ended) {
    std::string number = outfmt.substr(std::min(outfmt.find_first_not_of(' '), outfmt.size()));
    number = number.substr(0, number.find(' '));
    const auto value = whole_number_of(number);
    const bool is_decimal = value && number.find_first_of("xX") == std::string::npos &&
                            std::abs(*value) <= std::numeric_limits<std::int32_t>::max();
    const auto format = is_decimal ? value : std::nullopt;
    constexpr std::int64_t kSam = 17, kMost = 18, kRearrangements = 19, kFasta = 20;
    constexpr std::int64_t kNotYet[] = {8, 9, 11, 12, 18};
    if (!format) {
        ended = blast_options_error("'" + outfmt + "' is not a valid output format");
    } else if (*format == kSam) {
        ended = blast_options_error("SAM format is only applicable to blastn");
    } else if (*format == kRearrangements) {
        ended = blast_options_error("AIRR rearrangement format is only applicable to igblastn");
    } else if (*format == kFasta) {
        ended = blast_options_error("FASTA output format is only applicable to magicblast");
    } else if (*format < 0 || *format > kMost) {
        ended = blast_failure(kStatusOfException, "Error: Formatting choice is out of range");
    } else if (std::ranges::find(kNotYet, *format) != std::end(kNotYet)) {
        ended = refuse("-outfmt " + std::to_string(*format));
    }
    return ended ? std::nullopt : format;
}

/// Reads a range such as "10-250": positions from 1, two residues or more. If it is wrong, prints
/// the error, sets `ended` to the exit status, and returns nothing. `what` is "query" or "subject".
std::optional<ResidueRange> read_range(const std::string& text, const std::string& what, std::optional<int>& ended) {
    const auto wrong = [&](const std::string& why) {
        ended = blast_failure(kBlastEngineError,
                              "BLAST engine error: Invalid specification of " + what + " location (" + why + ")");
        return std::nullopt;
    };
    const std::size_t hyphen = text.find('-');
    const std::string words[] = {text.substr(0, hyphen), hyphen == text.npos ? "" : text.substr(hyphen + 1)};
    if (words[0].empty() || words[1].empty() || words[1].find('-') != text.npos) return wrong("Format: start-stop");
    std::int32_t positions[2] = {};
    for (int i = 0; i < 2; ++i) {
        const char* const begin = words[i].data() + (words[i].starts_with('+') ? 1 : 0);
        const auto [end, error] = std::from_chars(begin, words[i].data() + words[i].size(), positions[i]);
        if (error == std::errc() && *end == '\0') continue;
        const bool is_long = error == std::errc::result_out_of_range && *end == '\0';
        ended = blast_failure(kStatusOfException, "Error: Cannot convert string '" + words[i] + "' to " +
                                                      (is_long ? "int, overflow" : "Int8") +
                                                      " (m_Pos = " + std::to_string(is_long ? 0 : end - begin) + ")");
        return std::nullopt;
    }
    const auto [first, last] = positions;
    if (first <= 0 || last <= 0) return wrong("range elements cannot be less than or equal to 0");
    if (first > last) return wrong("start cannot be larger than stop");
    if (first == last) return wrong("range cannot be empty");
    return ResidueRange{static_cast<std::uint64_t>(first - 1), static_cast<std::uint64_t>(last)};
}

/// Returns the mode that BLAST+ reads from a value of -comp_based_stats. The first letter decides,
/// and an unknown one means 0. Returns nothing for a mode that is not supported.
std::optional<std::string> composition_mode(const std::string& value) {
    if (value.size() > 1 && (value[1] == 'u' || value[1] == 'U')) return {};  // asks for another kind of E-value
    const std::string_view first = std::string_view(value).substr(0, 1);
    if (first == "1" || first == "2" || first == "3") return std::string(first);
    constexpr std::string_view kStandard = "DdTt";
    return !first.empty() && kStandard.find(first) != std::string_view::npos ? "2" : "0";
}

/// Checks a value of -seg: "yes", "no", or a window and two levels. If it is wrong, prints the
/// error and returns the exit status.
std::optional<int> check_seg(const std::string& value) {
    if (value == "yes" || value == "no") return {};
    std::vector<std::string> words(1);
    for (const char c : value) {
        if (c == ' ') {
            words.emplace_back();
        } else {
            words.back() += c;
        }
    }
    if (words.size() != 3) return blast_options_error("Invalid number of arguments to filtering option");
    const auto window = whole_number_of(words[0]);
    const auto low = number_of(words[1]), high = number_of(words[2]);
    if (!window || !low || !high) return blast_options_error("Invalid input for filtering parameters");
    // For other values NCBI's blastp takes levels of its own.
    if (*window < 1 || *low <= 0 || *high <= 0) return refuse("-seg '" + value + "'");
    return {};
}

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

/// Checks values that `search blastp` would refuse. If one is wrong, prints the error in BLAST+'s
/// words and returns the exit status.
std::optional<int> check_scoring(const BlastArguments& arguments) {
    const auto number = [&](const char* name) { return number_of(arguments.text(name)); };
    if (*number("evalue") <= 0) return blast_options_error("expect value or cutoff score must be greater than zero");
    if (arguments.has("xdrop_ungap") && *number("xdrop_ungap") <= 0)
        return blast_options_error("x_dropoff must be greater than zero");
    if (arguments.has("threshold") && *number("threshold") <= 0)
        return blast_options_error("Non-zero threshold required");
    if (arguments.has("word_size") && *number("word_size") > WordRule::kMostResidues) {
        return blast_options_error("Word-size must be less than " + std::to_string(WordRule::kMostResidues + 1) +
                                   " for a tblastn, blastp or blastx search");
    }
    const std::string name = arguments.has("matrix")                    ? arguments.text("matrix")
                             : arguments.text("task") == "blastp-short" ? "PAM30"
                                                                        : "BLOSUM62";
    auto matrix = builtin_matrix(name);
    if (!matrix) {
        return blast_options_error(name +
                                   " is not a supported matrix, supported matrices are:\nBLOSUM80 \nBLOSUM62 "
                                   "\nBLOSUM50 \nBLOSUM45 \nPAM250 \nBLOSUM90 \nPAM30 \nPAM70 \nIDENTITY \n");
    }
    const std::string known_name = matrix->name();
    GapCosts gaps = AlignmentStatistics::default_gap_costs(known_name).value_or(GapCosts());
    const std::int64_t open = whole_number_of(arguments.text("gapopen")).value_or(gaps.open);
    const std::int64_t extend = whole_number_of(arguments.text("gapextend")).value_or(gaps.extend);
    gaps = {static_cast<int>(open), static_cast<int>(extend)};
    if (open >= 0 && extend >= 0 && arguments.has("ungapped")) return {};
    if (open >= 0 && extend >= 0 && AlignmentStatistics::find({*std::move(matrix), gaps})) return {};
    std::string known = AlignmentStatistics::known_gap_costs(known_name) + ", ";
    std::string lines = "32767, 32767\n";
    for (std::size_t at = 0, end = 0; (end = known.find(", ", at)) != std::string::npos; at = end + 2) {
        std::string costs = known.substr(at, end - at);
        if (const std::size_t slash = costs.find('/'); slash != std::string::npos) costs.replace(slash, 1, ", ");
        lines += costs + "\n";
    }
    return blast_options_error("Gap existence and extension values of " + std::to_string(open) + " and " +
                               std::to_string(extend) + " not supported for " + known_name +
                               "\nsupported values are:\n" + lines);
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

int find_targets(const BlastArguments& arguments, Targets& targets) {
    BlastpNames& names = targets.names;
    if (arguments.has("subject")) {
        const std::string file = arguments.text("subject");
        if (!blast_can_read(file)) return blast_inaccessible("subject", file);
        if (is_empty(file)) return blast_failure(kBlastEngineError, kNoSequences);
        targets.files.push_back(file);
        names.are_subjects = true;
        if (arguments.has("parse_deflines")) names.each = {{.title = {}, .has_parsed_ids = true}};
        names.databases = "User specified sequence set (Input: " + file + ")";
        names.title = names.databases + ".";
        return 0;
    }
    if (!arguments.has("db"))
        return blast_options_error("Either a BLAST database or subject sequence(s) must be specified");
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

/// The last of the formats from 0 on that have both a table of hits and alignments.
constexpr std::int64_t kLastWithTable = 4;
constexpr std::int64_t kXmlFormat = 5, kFirstDocument = 13, kLastDocument = 16;

/// Prints the warnings of BLAST+ that concern the options.
void warn_of_options(const BlastArguments& arguments, std::int64_t format) {
    constexpr std::int64_t kFewTargets = 5;
    if (format > kLastWithTable) {
        if (arguments.has("num_descriptions"))
            warn(
                "The parameter -num_descriptions is ignored for output formats > 4 . Use -max_target_seqs to control "
                "output");
        if (arguments.has("line_length")) warn("The parameter -line_length is not applicable for output formats > 4 .");
        if (arguments.has("sorthits")) warn("The parameter -sorthits is ignored for output formats > 4.");
    }
    if (format != 0 && arguments.has("sorthsps")) warn("The parameter -sorthsps is ignored for output formats != 0.");
    const auto count = [&](const char* name) { return whole_number_of(arguments.text(name)).value_or(0); };
    std::optional<std::int64_t> targets;
    if (arguments.has("max_target_seqs")) {
        targets = count("max_target_seqs");
    } else if (format > kLastWithTable && arguments.has("num_alignments")) {
        targets = count("num_alignments");
    } else if (format <= kLastWithTable && arguments.has("num_alignments") && arguments.has("num_descriptions")) {
        targets = std::max(count("num_alignments"), count("num_descriptions"));
    }
    if (targets && *targets < kFewTargets) warn("Examining 5 or more matches is recommended");
}

/// Whether -num_descriptions and -num_alignments leave nothing to report.
bool saves_no_hits(const BlastArguments& arguments, std::int64_t format) {
    const auto is_zero = [&](const char* name) { return whole_number_of(arguments.text(name)) == 0; };
    return is_zero("num_alignments") && (format > kLastWithTable || is_zero("num_descriptions"));
}

/// Returns a value of -outfmt. The words behind the number are left out if the format has no
/// columns.
std::string outfmt_of(const std::string& value) {
    const std::string format = value.substr(std::min(value.find_first_not_of(' '), value.size()));
    const std::string number = format.substr(0, format.find_first_of(" \t"));
    const auto known = whole_number_of(number);
    return known == 6 || known == 7 || known == 10 ? value : number;
}

/// Returns a value in the form that `search` takes. A threshold above the highest that it takes
/// becomes that one, because no word scores as much.
std::string search_value(std::string_view name, const std::string& value) {
    constexpr double kMostThreshold = 1e6;
    if (name == "outfmt") return outfmt_of(value);
    if (name == "threshold" && number_of(value).value_or(0) > kMostThreshold) return "1e6";
    return value;
}

/// Returns the taxa that -taxids and the like ask for, or nothing if the list is empty. If it is
/// wrong, prints the error and sets `ended` to the exit status.
std::optional<TaxonList> read_taxa(const BlastArguments& arguments, std::optional<int>& ended) {
    for (const char* const name : {"taxids", "negative_taxids", "taxidlist", "negative_taxidlist"}) {
        if (!arguments.has(name)) continue;
        const std::string value = arguments.text(name);
        std::optional<std::vector<std::uint64_t>> taxids;
        if (!std::string_view(name).ends_with("list")) {
            taxids = parse_taxids(value, ',');
        } else if (!blast_can_read(value)) {
            ended = blast_options_error("File is not acessible: " + value);
            return {};
        } else if (auto read = read_taxids(value); read.ok()) {
            taxids = *std::move(read);
        }
        if (!taxids) {
            ended = blast_options_error("Invalid taxidlist file ");
            return {};
        }
        if (!taxids->empty())
            return TaxonList{"-" + std::string(name), *std::move(taxids), std::string_view(name).starts_with("neg")};
    }
    return {};
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
        WARPSEQ_TRY(values.set(name, search_value(name, value)));
    }
    if (arguments.has("searchsp")) WARPSEQ_TRY(values.set("searchsp", arguments.text("searchsp")));
    for (const char* name : {"lcase_masking", "ungapped", "subject_besthit", "use_sw_tback"})
        if (arguments.has(name)) WARPSEQ_TRY(values.set(name));
    return values;
}

int run(int argc, char** argv) {
    const BlastArguments arguments = parse_blast_arguments(blastp_grammar(), argc, argv);
    if (arguments.ending) return end_blast_program(*arguments.ending);
    // Options that only concern speed, and options without effect here (-show_gis), are accepted
    // silently.
    for (const OptionRow& option : blastp_grammar().rows)
        if (!option.is_supported && arguments.has(option.blast.name))
            return refuse("-" + std::string(option.blast.name));
    std::optional<int> ended;
    const auto format = read_format(arguments.text("outfmt"), ended);
    if (!format) return *ended;
    std::optional<ResidueRange> subject_range;
    if (arguments.has("subject") && arguments.has("subject_loc")) {
        if (const std::string file = arguments.text("subject"); !blast_can_read(file))
            return blast_inaccessible("subject", file);
        subject_range = read_range(arguments.text("subject_loc"), "subject", ended);
        if (!subject_range) return *ended;
    }
    const bool is_document = *format >= kFirstDocument && *format <= kLastDocument;
    const auto mode = composition_mode(arguments.text("comp_based_stats"));
    if (!mode) return refuse("-comp_based_stats " + arguments.text("comp_based_stats"));
    // For 0, NCBI's blastp does not compute E-values by lengths, but others.
    if (arguments.has("searchsp") && whole_number_of(arguments.text("searchsp")) == 0) return refuse("-searchsp 0");
    if (const auto wrong = check_seg(arguments.text("seg"))) return *wrong;
    if (const auto wrong = check_scoring(arguments)) return *wrong;
    if (arguments.has("ungapped") && arguments.has("use_sw_tback"))
        return refuse("-use_sw_tback together with -ungapped");
    if (arguments.has("ungapped") && *mode != "0") {
        return blast_options_error(
            "Composition-adjusted searched are not supported with an ungapped search, please add -comp_based_stats F "
            "or "
            "do a gapped search");
    }

    constexpr std::int64_t kFilePerQuery[] = {13, 14};
    if (arguments.text("out") == "-" && std::ranges::find(kFilePerQuery, *format) != std::end(kFilePerQuery))
        return blast_options_error("Please provide a file name for outfmt " + std::to_string(*format) + ".");
    const std::string query = arguments.text("query");
    if (!blast_can_read(query)) return blast_inaccessible("query", query);
    if (const std::string out = arguments.text("out"); out != "-" && !blast_can_write(out))
        return blast_inaccessible("out", out);
    Targets targets;
    BlastpNames& names = targets.names;
    names.version = "BLASTP 2.12.0+ (warpseq " + std::string(program_version()) + ")";
    names.parses_queries = arguments.has("parse_deflines");
    if (const int status = find_targets(arguments, targets); status != 0) return status;
    // NCBI's blastp masks lower-case letters in subjects, too.
    if (arguments.has("subject") && arguments.has("lcase_masking") && may_have_lower_case(arguments.text("subject")))
        return refuse("-lcase_masking with a -subject that is no file, or has lower-case letters,");
    warn_of_options(arguments, *format);
    if (saves_no_hits(arguments, *format)) return blast_options_error("No hits are being saved");

    const auto values = search_values(arguments, targets.files, *mode);
    if (!values.ok()) return report_blast_status(values.status());
    auto read = read_blastp_options(*values);
    if (!read.ok()) return report_blast_status(read.status());
    read->common.query_option = "-query";
    read->common.database_option = arguments.has("subject") ? "-subject" : "-db";
    read->common.report_option = "-out";
    read->common.existing = ExistingFile::kWriteInto;
    read->common.target_range = subject_range;
    read->common.database_markers = std::move(targets.markers);
    read->common.targets.repeated = std::move(targets.repeated);
    read->common.targets.may_be_empty = true;
    auto taxa = read_taxa(arguments, ended);
    if (ended) return *ended;
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
    const auto report_left_out = [](const FastaLeftOut& left_out) {
        const std::string lines = left_out_lines(left_out);
        std::fwrite(lines.data(), 1, lines.size(), stderr);
    };
    read->query_reading = {
        .leaves_out_others = true, .on_left_out = report_left_out, .takes_bare_residues = true, .empty_header = ""};
    if (arguments.has("subject")) {
        read->common.target_reading = read->query_reading;
        read->common.target_reading.empty_header = kUntitledSubject;
    }
    // XML and JSON reports contain the warnings about queries.
    if (*format != kXmlFormat && !is_document) read->on_query_warning = warn;
    if (arguments.has("subject")) read->on_subject_warning = warn;
    std::string no_data;
    read->on_no_query_residues = [&](std::uint64_t queries) {
        for (std::uint64_t q = 0; q < queries; ++q) no_data += "Warning: Sequence contains no data ";
        return Status::invalid_input("no query has a residue");
    };
    read->layout.has_ncbi_lines = true;
    read->layout.is_html = arguments.has("html");
    if (const auto order = whole_number_of(arguments.text("sorthits")))
        read->layout.hit_order = static_cast<BlastpLayout::HitOrder>(*order);
    if (const auto order = whole_number_of(arguments.text("sorthsps")); order && *format == 0)
        read->layout.hsp_order = static_cast<BlastpLayout::HspOrder>(*order);
    if (arguments.has("query_loc")) {
        read->query_range = read_range(arguments.text("query_loc"), "query", ended);
        if (!read->query_range) return *ended;
    }
    if (targets.are_of_version_4 && read->common.targets.taxa)
        return blast_failure(kBlastDatabaseError,
                             "BLAST Database error: Taxonomy filtering is not supported in v4 BLAST dbs");
    if (is_empty(query)) {
        warn("Query is Empty!");
        return 0;
    }
    if (const std::string identifier = identifier_in(query); !identifier.empty()) {
        return blast_failure(kBlastEngineError,
                             "Error: " + query + ": '" + identifier +
                                 "' is an identifier; warpseq does not fetch its sequence from NCBI\n" + kNoSequences);
    }
    Observer silent;
    const Status status = run_blastp_search(*read, names, silent);
    if (!no_data.empty()) return blast_failure(kBlastEngineError, "BLAST engine error: " + no_data);
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

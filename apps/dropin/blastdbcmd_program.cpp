#include "apps/dropin/blastdbcmd_program.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/common/process.h"
#include "apps/dropin/blast_command_line.h"
#include "apps/dropin/blast_databases.h"
#include "apps/dropin/blast_settings.h"
#include "apps/dropin/blastdbcmd_entries.h"
#include "apps/dropin/blastdbcmd_list.h"
#include "apps/dropin/blastdbcmd_source.h"
#include "apps/dropin/blastdbcmd_taxa.h"
#include "apps/dropin/blastdbcmd_writer.h"
#include "apps/dropin/next_program.h"
#include "apps/dropin/nucleotide_input.h"
#include "formats/blast/blast_database.h"
#include "formats/io/output_sink.h"
#include "formats/io/run_files.h"
#include "libcore/base/number_format.h"
#include "options/blastdbcmd/blastdbcmd_options.h"

namespace warpseq {
namespace {

using namespace blastdbcmd;
namespace fs = std::filesystem;

/// Prints the message of a mistake to standard error and returns the exit status.
int failure(const std::string& message) { return blast_failure(kBlastWrongInput, "Error: [blastdbcmd] " + message); }

fs::path temporary_folder() {
    if (const char* folder = std::getenv("TMPDIR"); folder != nullptr && *folder != '\0') return folder;
    std::error_code ignored;
    return fs::temp_directory_path(ignored);
}

/// Reads a number of a range. Returns an error that says why the text is none.
Result<std::int64_t> range_number(const std::string& text) {
    const std::size_t sign = text.starts_with('+') || text.starts_with('-') ? 1 : 0;
    const std::size_t other = std::min(text.find_first_not_of("0123456789", sign), text.size());
    const auto number = plain_number(text);
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    if (other < text.size() || other == sign)
        return Status::invalid_input("Cannot convert string '" + text + "' to Int8");
    if (!number || *number > kMost)
        return Status::invalid_input("Cannot convert string '" + text + "' to int, overflow");
    return *number;
}

/// Reads a range: "10-25", or "10-" up to the end, or "10" for a single residue. Text between two
/// hyphens is ignored.
Result<Range> read_range(const std::string& text) {
    constexpr const char* kWrong = "Failed to parse sequence range ";
    const std::string begin = text.substr(0, text.find('-'));
    const std::string end = text.substr(text.rfind('-') + 1);
    if (begin.empty()) return Status::invalid_input(std::string(kWrong) + "(start cannot be empty)");
    const auto first = range_number(begin);
    if (!first.ok()) return first.status();
    Range range;
    range.first = static_cast<std::uint64_t>(*first - 1);
    range.is_given = *first > 0;
    if (end.empty()) return range;
    const auto last = range_number(end);
    if (!last.ok()) return last.status();
    if (*first <= 0 || *last <= 0)
        return Status::invalid_input(std::string(kWrong) + "(range elements cannot be less than or equal to 0)");
    if (*first > *last) return Status::invalid_input(std::string(kWrong) + "(start cannot be larger than stop)");
    range.last = static_cast<std::uint64_t>(*last);
    return range;
}

int print_info(const Sources& sources, OutputSink& output) {
    std::uint64_t sequences = 0, residues = 0, longest = 0;
    std::string titles, volumes;
    std::vector<std::string> bases;
    for (const auto& source : sources) {
        sequences += source->told_sequences();
        residues += source->told_residues();
        longest = std::max(longest, source->longest_residues());
        titles += (titles.empty() ? "" : "; ") + source->about().title;
        for (const fs::path& volume : source->volumes()) bases.push_back(volume.string());
    }
    std::ranges::sort(bases);
    for (const std::string& base : bases) volumes += "\t" + base + "\n";
    const BlastDatabase& first = sources.front()->about();
    const Status status = output.write(
        "Database: " + titles + "\n\t" + format_count(sequences) + " sequences; " + format_count(residues) +
        " total residues\n\nDate: " + date_of_database(first) + "\tLongest sequence: " + format_count(longest) +
        " residues\n\nBLASTDB Version: " + std::to_string(first.version) + "\n\nVolumes:\n" + volumes);
    return report_blast_status(status.ok() ? output.finish() : status);
}

/// An identifier that is asked for. In a file it may have a range and masks of its sequence.
struct Entry {
    std::string name = {};
    Range range = {};
    std::vector<std::string> unknown_masks = {};  // all that are given: no database here has masks
};

constexpr std::string_view kBlanks = " \t";

/// Reads the words that follow an identifier in a file: a range and numbers of masks. Other words
/// are ignored.
void read_specifiers(const std::string& text, Entry& entry) {
    for (std::size_t at = 0; (at = text.find_first_not_of(kBlanks, at)) != std::string::npos;) {
        const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
        const std::string word = text.substr(at, end - at);
        at = end;
        if (word.find('-') != std::string::npos) {
            if (const auto range = read_range(word); range.ok()) entry.range = *range;
        } else if (const auto number = range_number(word); number.ok()) {
            entry.unknown_masks.push_back(std::to_string(*number));
        }
    }
}

/// Reads entries, one on each line.
std::vector<Entry> read_batch(std::istream& in) {
    std::vector<Entry> entries;
    for (std::string line; std::getline(in, line);) {
        const std::size_t begin = line.find_first_not_of(kBlanks);
        if (begin == std::string::npos) continue;
        const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
        Entry entry;
        entry.name = line.substr(begin, end - begin);
        read_specifiers(line.substr(end), entry);
        entries.push_back(std::move(entry));
    }
    return entries;
}

/// The databases of a request, its options, and the writer for the answers.
struct Request {
    const Sources& sources;
    const BlastArguments& arguments;
    SequenceWriter& writer;
};

/// Writes the sequence with this number among all databases. If `taxids` is given, it writes only
/// definition lines of these taxa.
Status write_number(const Request& request, std::uint64_t number, const Range& range, const std::string& target,
                    const std::set<std::int64_t>* taxids = nullptr) {
    std::uint64_t first = 0;
    for (const auto& source : request.sources) {
        if (number - first < source->sequence_count()) {
            Sequence sequence;
            WARPSEQ_TRY(source->read(number - first, request.writer.needs_letters(), sequence));
            if (taxids != nullptr)
                std::erase_if(sequence.lines, [&](const StoredDefline& line) { return !taxids->contains(line.taxid); });
            return request.writer.write(sequence, number, range, target);
        }
        first += source->sequence_count();
    }
    return Status::invalid_input("OID not in valid range.");
}

/// Writes all sequences of all databases, in the order of the databases. The sequences of a
/// database come in the order of its inputs.
Status write_all(const Request& request, const Range& range) {
    std::uint64_t first = 0;
    for (const auto& source : request.sources) {
        WARPSEQ_TRY(source->for_each(true, [&](const Sequence& sequence) {
            return request.writer.write(sequence, first + sequence.number, range, {});
        }));
        first += source->sequence_count();
    }
    return {};
}

/// Returns the numbers of the sequences to write. With `all`, the sequence found by GI takes the
/// place of all those found by name. Otherwise the first sequence found by name takes the place of
/// the one found by GI.
std::vector<std::uint64_t> numbers_of(const Found& found, bool all) {
    if (found.by_gi && (all || found.by_name.empty())) return {*found.by_gi};
    if (all || found.by_name.empty()) return found.by_name;
    return {found.by_name.front()};
}

std::vector<std::string> asked_names(const Request& request, std::span<const std::string> entries) {
    std::vector<std::string> names;
    for (const std::string& entry : entries) names.push_back(asked_name(request.sources, entry));
    return names;
}

/// Writes, for each identifier of -entry, all sequences that have it.
Result<int> write_entries(const Request& request, const Range& range) {
    std::vector<std::string> entries;
    std::string rest = request.arguments.text("entry");
    for (std::size_t comma = 0; (comma = rest.find(',')) != std::string::npos; rest.erase(0, comma + 1))
        entries.push_back(rest.substr(0, comma));
    entries.push_back(rest);
    const auto names = asked_names(request, entries);
    const auto found = find_sequences(request.sources, names, entries);
    if (!found.ok()) return found.status();
    std::size_t missing = 0;
    for (std::size_t e = 0; e < entries.size(); ++e) {
        const auto numbers = numbers_of((*found)[e], true);
        if (!(*found)[e].by_gi) WARPSEQ_TRY((*found)[e].error);
        if (numbers.empty()) {
            failure("Entry not found: " + names[e]);
            ++missing;
        }
        for (const std::uint64_t number : numbers)
            WARPSEQ_TRY(write_number(request, number, range, request.arguments.has("target_only") ? entries[e] : ""));
    }
    if (missing == entries.size()) return Status::invalid_input("Entry or entries not found in BLAST database");
    return missing == 0 ? 0 : kBlastWrongInput;
}

/// Writes, for each identifier of -entry_batch, the first sequence that has it, or all with
/// -get_dups.
Result<int> write_batch(const Request& request) {
    const std::string file = request.arguments.text("entry_batch");
    std::ifstream in;
    if (file != "-") in.open(file);
    const std::vector<Entry> batch = read_batch(file == "-" ? std::cin : in);
    std::vector<std::string> entries;
    for (const Entry& entry : batch) entries.push_back(entry.name);
    const auto names = asked_names(request, entries);
    const auto found = find_sequences(request.sources, names, entries);
    if (!found.ok()) return found.status();
    const bool has_all = request.arguments.has("get_dups");
    if (!has_all) {
        for (const Found& each : *found)
            if (!each.has_no_index) WARPSEQ_TRY(each.error);
    }
    int exit_status = 0;
    const auto skip = [&](const std::string& name) { exit_status = failure("Skipped " + name); };
    for (std::size_t e = 0; e < entries.size(); ++e) {
        const auto numbers = numbers_of((*found)[e], has_all);
        const auto has_masks = [&] {
            for (const std::string& mask : batch[e].unknown_masks) failure("Invalid filtering algorithm ID: " + mask);
            return !batch[e].unknown_masks.empty();
        };
        if (has_all && has_masks()) {
            skip(entries[e]);
            continue;
        }
        if (has_all && !(*found)[e].by_gi) WARPSEQ_TRY((*found)[e].error);
        if (numbers.empty()) {
            if (has_all) failure("Entry not found: " + names[e]);
            skip(has_all ? entries[e] : names[e]);
            continue;
        }
        if (!has_all && has_masks()) {
            skip(names[e]);
            continue;
        }
        const std::string target = request.arguments.has("target_only") ? names[e] : "";
        for (const std::uint64_t number : numbers) WARPSEQ_TRY(write_number(request, number, batch[e].range, target));
    }
    return exit_status;
}

/// Returns an error if -outfmt %m or -mask_sequence_with asks for a mask, because no database here
/// has any.
Status check_masks(const BlastArguments& arguments) {
    const std::string format = arguments.text("outfmt");
    const bool is_fasta = format.find("%f") != std::string::npos;
    if (const std::size_t place = format.find("%m"); place != std::string::npos && !is_fasta) {
        const std::size_t end = std::min(format.find_first_not_of("0123456789", place + 2), format.size());
        if (end == place + 2)
            return Status::invalid_input("The option '-outfmt %m' is not followed by a masking algo ID.");
        std::int64_t number = 0;
        for (std::size_t i = place + 2; i < end && number < std::numeric_limits<std::int32_t>::max(); ++i)
            number = number * 10 + (format[i] - '0');
        failure("Invalid filtering algorithm ID: " + std::to_string(number));
        return Status::invalid_input("Invalid filtering algorithm ID for outfmt %m.");
    }
    if (!arguments.has("mask_sequence_with")) return {};
    const auto number = plain_number(arguments.text("mask_sequence_with"));
    if (number && *number < 0) return {};
    if (!number) return Status::invalid_input("Cannot find string algorithm id in algorithm map.");
    failure("Invalid filtering algorithm ID: " + std::to_string(*number));
    return Status::invalid_input("Invalid filtering algorithm ID for mask_sequence_with.");
}

/// Writes, for each group of identical proteins that -ipg or -ipg_batch names, the first sequence.
Result<int> write_groups(const Request& request, const Range& range) {
    std::vector<Entry> batch;
    if (request.arguments.has("ipg")) {
        batch.push_back({request.arguments.text("ipg"), range});
    } else {
        std::ifstream in(request.arguments.text("ipg_batch"));
        batch = read_batch(in);
    }
    for (const Entry& entry : batch) {
        std::optional<std::uint64_t> found;
        std::uint64_t first = 0;
        for (const auto& source : request.sources) {
            WARPSEQ_TRY(source->for_each(false, [&](const Sequence& sequence) -> Status {
                const bool is_it = std::ranges::any_of(sequence.lines, [&](const StoredDefline& line) {
                    return line.ipg >= 0 && std::to_string(line.ipg) == entry.name;
                });
                const std::uint64_t number = first + sequence.number;
                if (is_it && number < found.value_or(number + 1)) found = number;
                return {};
            }));
            first += source->sequence_count();
        }
        if (!found) return Status::invalid_input("OID not found");
        WARPSEQ_TRY(write_number(request, *found, entry.range, {}));
    }
    return 0;
}

/// Reads the taxonomy IDs of -taxids or -taxidlist. Returns an error that says which word is none.
Result<std::set<std::int64_t>> read_taxids(const BlastArguments& arguments) {
    std::vector<std::string> words;
    if (arguments.has("taxids") && !arguments.text("taxids").empty()) {
        std::istringstream list(arguments.text("taxids") + ",");
        for (std::string word; std::getline(list, word, ',');) words.push_back(word);
    } else if (arguments.has("taxidlist")) {
        std::ifstream list(arguments.text("taxidlist"));
        for (std::string line; std::getline(list, line);) {
            if (line.ends_with('\r')) line.pop_back();
            if (!line.empty()) words.push_back(line);
        }
    }
    std::set<std::int64_t> taxids;
    for (const std::string& word : words) {
        const std::size_t begin = std::min(word.find_first_not_of(kBlanks), word.size());
        const auto number =
            plain_number(std::string_view(word).substr(begin, word.find_last_not_of(kBlanks) + 1 - begin));
        if (!number) {
            const std::size_t sign =
                begin + (word.substr(begin).starts_with('-') || word.substr(begin).starts_with('+') ? 1 : 0);
            const std::size_t place = std::min(word.find_first_not_of("0123456789", sign), word.size());
            return Status::invalid_input("Cannot convert string '" + word +
                                         "' to Int8 (m_Pos = " + std::to_string(place) + ")");
        }
        taxids.insert(*number);
    }
    return taxids;
}

constexpr const char* kNoFilter = "Taxonomy filtering is not supported in v4 BLAST dbs";
constexpr const char* kTaxaNotFound =
    "Taxonomy ID(s) not found. This could be because the ID(s) provided are not at or below the species level. Please "
    "use "
    "get_species_taxids.sh to get taxids for nodes higher than species (see "
    "https://www.ncbi.nlm.nih.gov/books/NBK546209/).";

/// Returns the numbers of the sequences that have one of these taxa, in ascending order. Returns an
/// error if there are none.
Result<std::vector<std::uint64_t>> find_taxa(const Sources& sources, const std::set<std::int64_t>& taxids) {
    if (are_of_version_4(sources)) return Status::invalid_input(kNoTaxa);
    std::vector<std::uint64_t> numbers;
    std::uint64_t first = 0;
    for (const auto& source : sources) {
        WARPSEQ_TRY(source->for_each(false, [&](const Sequence& sequence) -> Status {
            if (std::ranges::any_of(sequence.lines,
                                    [&](const StoredDefline& line) { return taxids.contains(line.taxid); }))
                numbers.push_back(first + sequence.number);
            return {};
        }));
        first += source->sequence_count();
    }
    if (numbers.empty()) return Status::invalid_input(kTaxaNotFound);
    std::ranges::sort(numbers);
    return numbers;
}

/// Returns `taxids` and all taxa below them in the databases' trees.
std::set<std::int64_t> with_descendants(const Sources& sources, std::set<std::int64_t> taxids) {
    std::vector<std::uint32_t> known;
    for (const std::int64_t taxid : taxids)
        if (taxid > 0 && taxid <= std::int64_t{kMostTaxid}) known.push_back(static_cast<std::uint32_t>(taxid));
    for (const auto& source : sources)
        if (const auto taxonomy = source->taxonomy(); taxonomy != nullptr)
            for (const std::uint32_t taxid : taxonomy->with_descendants(known)) taxids.insert(taxid);
    return taxids;
}

/// Writes the sequences of these taxa. With -target_only it writes only definition lines of these
/// taxa.
Result<int> write_taxa(const Request& request, const Range& range, const std::set<std::int64_t>& taxids) {
    const auto numbers = find_taxa(request.sources, taxids);
    if (!numbers.ok()) return numbers.status();
    for (const std::uint64_t number : *numbers)
        WARPSEQ_TRY(write_number(request, number, range, {}, request.arguments.has("target_only") ? &taxids : nullptr));
    return 0;
}

Result<int> write_requested(const Sources& sources, const BlastArguments& arguments,
                            const std::optional<std::set<std::int64_t>>& taxids, OutputSink& output) {
    const std::string format = arguments.text("outfmt");
    const auto has = [&](const char* letter) { return format.find(letter) != std::string::npos; };
    if (has("%f") + has("%b") + has("%d") > 1)
        return Status::invalid_input("The %f, %b, %d output format options cannot be specified together.");
    if (has("%b") || has("%d"))
        return Status::invalid_input("-outfmt %b and %d, ASN.1, are not supported by warpseq's blastdbcmd");
    WARPSEQ_TRY(check_masks(arguments));
    Range range;
    if (arguments.has("range")) {
        const auto read = read_range(arguments.text("range"));
        if (!read.ok()) return read.status();
        range = *read;
    }
    const bool has_long_ids = arguments.has("long_seqids") || blast_setting("LONG_SEQID") == "1";
    TaxonLookup taxa(sources);
    auto writer = SequenceWriter::make(arguments, has_long_ids, taxa, output);
    if (!writer.ok()) return writer.status();
    const Request request{sources, arguments, *writer};
    const auto requested = [&]() -> Result<int> {
        for (const char* name : {"entry_batch", "ipg_batch"}) {
            const std::string file = arguments.text(name);
            if (arguments.has(name) && !blast_can_read(file))
                return Status::invalid_input(blast_inaccessible_text(name, file));
        }
        if (arguments.text("entry") == "all") {
            WARPSEQ_TRY(write_all(request, range));
            return 0;
        }
        if (arguments.has("entry_batch")) return write_batch(request);
        if (arguments.has("entry")) return write_entries(request, range);
        if (arguments.has("ipg") || arguments.has("ipg_batch")) return write_groups(request, range);
        if (taxids) return write_taxa(request, range, *taxids);
        return Status::invalid_input("Must specify query type: one of 'entry', 'entry_batch', or 'pig'");
    };
    auto result = requested();
    WARPSEQ_TRY(writer->flush());
    return result;
}

int retrieve(const Sources& sources, const BlastArguments& arguments,
             const std::optional<std::set<std::int64_t>>& taxids, OutputSink& output) {
    if (taxids && !taxids->empty() && arguments.has("target_only")) {
        if (const auto numbers = find_taxa(sources, *taxids); !numbers.ok()) {
            // If "guess" finds no protein database, NCBI's blastdbcmd says that it found no
            // nucleotide database.
            std::string why = no_blast_database(database_names(arguments.text("db")).front(), "nucleotide");
            if (arguments.text("dbtype") == "prot")
                why = are_of_version_4(sources) ? kNoFilter : numbers.status().message();
            return blast_failure(kBlastDatabaseError, "BLAST Database error: " + why);
        }
    }
    const auto result = write_requested(sources, arguments, taxids, output);
    for (const auto& source : sources)
        if (const Status status = source->verify_unchanged(); !status.ok()) return report_blast_status(status);
    // A request that fails before it writes anything leaves an existing file as it was.
    if (!result.ok() && !output.has_written()) return failure(result.status().message());
    if (const Status status = output.finish(); !status.ok()) return report_blast_status(status);
    return result.ok() ? *result : failure(result.status().message());
}

/// Checks that the log of messages, which grows, is none of the files that are read.
Status check_log(const BlastArguments& arguments) {
    RunFiles files;
    for (const std::string& name : database_names(arguments.text("db"))) {
        const auto found = find_blast_database(name);
        if (!found.ok()) continue;  // told later
        files.add_input("-db", found->database);
        for (const fs::path& each : all_files_of(*found)) files.add_input("-db", each);
    }
    for (const char* name : {"entry_batch", "ipg_batch", "taxidlist"})
        if (arguments.has(name) && blast_can_read(arguments.text(name)))
            files.add_input("-" + std::string(name), arguments.text(name));
    files.set_existing(ExistingFile::kWriteInto);
    files.add_output("-logfile", arguments.text("logfile"));
    return files.check_names();
}

int run(int argc, char** argv) {
    const auto pass_on = [&](const std::string& why) {
        return blast_failure(kBlastDatabaseError,
                             "BLAST Database error: " + run_next_program("blastdbcmd", argv, why).message());
    };
    const BlastArguments arguments = parse_blast_arguments(blastdbcmd_grammar(), argc, argv);
    const bool is_about_folders =
        !arguments.ending && (arguments.has("list") || arguments.has("show_blastdb_search_path"));
    if (asks_for_nucleotides(argv) && !is_about_folders) return pass_on("-dbtype nucl asks for nucleotides");
    if (arguments.ending) return end_blast_program(*arguments.ending);
    if (arguments.text("dbtype") == "nucl" && !is_about_folders) return pass_on("-dbtype nucl asks for nucleotides");
    if (arguments.has("logfile")) {
        const std::string log = arguments.text("logfile");
        if (const Status status = check_log(arguments); !log.empty() && log != "-" && !status.ok())
            return failure(status.message());
        log_blast_messages(log);
    }
    std::optional<fs::path> file;
    if (arguments.text("out") != "-") {
        file = arguments.text("out");
        if (!blast_can_write(file->string())) return blast_inaccessible("out", file->string());
    }
    if (arguments.has("show_blastdb_search_path")) {
        auto output = OutputSink::open(file, ExistingFile::kWriteInto);
        if (!output.ok()) return blast_inaccessible("out", file->string());
        const Status status = output->write(database_search_path() + "\n");
        return report_blast_status(status.ok() ? output->finish() : status);
    }
    if (arguments.has("list")) {
        auto output = OutputSink::open(file, ExistingFile::kWriteInto);
        if (!output.ok()) return blast_inaccessible("out", file->string());
        return list_databases(arguments, *output);
    }
    if (arguments.has("taxidlist") && !blast_can_read(arguments.text("taxidlist")))
        return blast_inaccessible("taxidlist", arguments.text("taxidlist"));

    std::optional<std::set<std::int64_t>> taxids;
    if (arguments.has("taxids") || arguments.has("taxidlist")) {
        auto read = read_taxids(arguments);
        if (!read.ok()) return blast_exception(read.status().message());
        taxids = *std::move(read);
    }
    for (const char* name : {"recursive", "remove_redundant_dbs", "list_outfmt"})
        if (arguments.has(name))
            return blast_failure(kBlastWrongInput,
                                 "Command line argument error: Argument \"db\". The value is excluded by other "
                                 "arguments.");

    std::vector<BlastDatabase> databases;
    RunFiles files;
    const std::vector<std::string> names = database_names(arguments.text("db"));
    for (const std::string& name : names) {
        auto found = find_blast_database(name);
        if (!found.ok()) {
            if (arguments.text("dbtype") != "prot" && is_nucleotide_database(name))
                return pass_on("[" + name + "] is a database of nucleotides");
            // With "guess", NCBI's blastdbcmd looks for proteins and then for nucleotides. It tells
            // the first name that it does not find.
            const bool is_absent = found.status().code() == StatusCode::kIo;
            return blast_failure(kBlastDatabaseError,
                                 "BLAST Database error: " + (is_absent && arguments.text("dbtype") != "prot"
                                                                 ? no_blast_database(names.front(), "nucleotide")
                                                                 : found.status().message()));
        }
        files.add_input("-db", found->database);
        for (const std::filesystem::path& each : all_files_of(*found)) files.add_input("-db", each);
        databases.push_back(*std::move(found));
    }
    if (databases.empty()) return no_database_name(arguments.text("db"));
    auto opened = Source::open(std::move(databases), temporary_folder());
    if (!opened.ok()) return blast_failure(kBlastDatabaseError, "BLAST Database error: " + opened.status().message());
    const Sources sources = *std::move(opened);
    if (taxids) taxids = with_descendants(sources, *std::move(taxids));
    for (const char* name : {"entry_batch", "ipg_batch", "taxidlist"})
        if (arguments.has(name)) files.add_input("-" + std::string(name), arguments.text(name));
    files.set_existing(ExistingFile::kWriteInto);
    files.add_output("-out", file);
    if (const Status status = files.check(); !status.ok()) return failure(status.message());
    auto output = OutputSink::open(file, ExistingFile::kWriteInto);
    if (!output.ok()) return blast_inaccessible("out", file ? file->string() : "-");
    if (arguments.has("info")) return print_info(sources, *output);
    if (arguments.has("tax_info")) return print_taxa(sources, arguments.text("outfmt"), *output);
    return retrieve(sources, arguments, taxids, *output);
}

}  // namespace

std::vector<CommandSyntax> blastdbcmd_syntax() { return {{"", blast_listed(blastdbcmd_grammar())}}; }

int blastdbcmd_program(int argc, char** argv) {
    prepare_process("blastdbcmd");
    int exit_status = 0;
    const Status status = guarded([&] { exit_status = run(argc, argv); });
    return status.ok() ? exit_status : report_blast_status(status);
}

}  // namespace warpseq

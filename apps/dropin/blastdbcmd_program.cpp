#include "apps/dropin/blastdbcmd_program.h"

#include <algorithm>
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
#include "apps/dropin/blastdbcmd_arguments.h"
#include "apps/dropin/blastdbcmd_writer.h"
#include "apps/dropin/next_program.h"
#include "apps/dropin/nucleotide_input.h"
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

namespace warpseq {
namespace {

using namespace blastdbcmd;
namespace fs = std::filesystem;

constexpr std::uint64_t kSortingMemory = std::uint64_t{256} << 20;

int failure(const std::string& message) { return blast_failure(kBlastWrongInput, "Error: [blastdbcmd] " + message); }

fs::path temporary_folder() {
    if (const char* folder = std::getenv("TMPDIR"); folder != nullptr && *folder != '\0') return folder;
    std::error_code ignored;
    return fs::temp_directory_path(ignored);
}

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

/// Databases of a folder, by their .wsdb files, indexes and aliases.
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
Status write_all(const std::vector<Source>& sources, const Range& range, SequenceWriter& writer) {
    for (const Source& source : sources) {
        OrderedSequences sequences(kSortingMemory, temporary_folder());
        for (std::uint64_t rank = 0; rank < source.reader.sequence_count(); ++rank)
            WARPSEQ_TRY(sequences.add(source.reader, rank, source.reader.input_positions()[rank]));
        WARPSEQ_TRY(sequences.for_each(
            [&](std::uint64_t place, std::string_view header, std::span<const ResidueCode> residues) {
                return writer.write(source, range, source.first_number + place, header, residues, {});
            }));
    }
    return writer.flush();
}

/// Entries in their order, and each one's sequences database by database.
Status write_entries(const std::vector<Source>& sources, std::vector<Entry>& entries, SequenceWriter& writer) {
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
    SequenceWriter writer(arguments, output);
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
    const auto pass_on = [&](const std::string& why) {
        return blast_failure(kBlastDatabaseError,
                             "BLAST Database error: " + run_next_program("blastdbcmd", argv, why).message());
    };
    if (asks_for_nucleotides(argv)) return pass_on("-dbtype nucl asks for nucleotides");
    const BlastArguments arguments = parse_blast_arguments(blastdbcmd_grammar(), argc, argv);
    if (arguments.ended) return *arguments.ended;
    if (arguments.text("dbtype") == "nucl") return pass_on("-dbtype nucl asks for nucleotides");
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

    std::vector<Source> sources;
    RunFiles files;
    const ThreadPool pool(1);
    Observer silent;
    std::uint64_t sequences = 0;
    for (const std::string& name : database_names(arguments.text("db"))) {
        // What "guess" finds nothing for is called a nucleotide database by the original.
        const char* kind = arguments.text("dbtype") == "prot" ? "protein" : "nucleotide";
        auto found = find_blast_database(name, kind);
        if (!found.ok()) {
            if (arguments.text("dbtype") != "prot" && is_nucleotide_database(name))
                return pass_on("[" + name + "] is a database of nucleotides");
            return blast_failure(kBlastDatabaseError, "BLAST Database error: " + found.status().message());
        }
        auto target = open_target(found->database, {.temporary_folder = temporary_folder()}, pool, silent);
        if (!target.ok())
            return blast_failure(kBlastDatabaseError, "BLAST Database error: " + target.status().message());
        files.add_input("-db", found->database);
        for (const std::filesystem::path& file : all_files_of(*found)) files.add_input("-db", file);
        if (const auto& facts = target->blast) {
            if (!facts->title.empty()) found->title = facts->title;
            found->date = facts->date;
            found->version = static_cast<int>(facts->version);
            found->has_parsed_ids = facts->has_parsed_ids;
            found->has_taxids = facts->has_taxids;
        }
        if (!target->title.empty()) found->title = target->title;
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
    files.set_existing(ExistingFile::kWriteInto);
    files.add_output("-out", file);
    if (const Status status = files.check(); !status.ok()) return failure(status.message());
    auto output = OutputSink::open(file, ExistingFile::kWriteInto);
    if (!output.ok()) return blast_inaccessible("out", file ? file->string() : "-");
    return is_info ? print_info(sources, *output) : retrieve(sources, arguments, *entries, *output);
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

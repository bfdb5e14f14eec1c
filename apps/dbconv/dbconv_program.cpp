#include "apps/dbconv/dbconv_program.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "apps/common/command_line.h"
#include "apps/common/process.h"
#include "apps/common/progress.h"
#include "formats/fasta/record_selection.h"
#include "formats/io/file_identity.h"
#include "formats/io/output_sink.h"
#include "formats/io/run_files.h"
#include "formats/io/shown_text.h"
#include "formats/wsdb/convert_fasta.h"
#include "formats/wsdb/database_labels.h"
#include "formats/wsdb/wsdb_set.h"
#include "formats/wsdb/wsdb_set_update.h"
#include "libcore/base/number_format.h"
#include "libcore/base/version.h"
#include "options/arguments.h"
#include "options/dbconv/dbconv_options.h"

namespace warpseq {
namespace {

constexpr std::int64_t kMostParts = 999;

/// Adds warnings if the options ask for taxa and the input does not have them.
void add_taxa_warnings(const ConvertOptions& options, const WsdbTaxidCounts& taxids,
                       std::vector<std::string>& warnings) {
    const bool has_lists = !options.taxid_lists.empty();
    if (has_lists && taxids.listed == 0) {
        warnings.push_back(std::string("no definition line has an identifier of the taxonomy map; ") +
                           (taxids.known == 0 ? "the database knows no taxa" : "taxa are those that the input knows"));
    }
    if (!has_lists && !options.taxonomy_folder.empty() && taxids.known == 0) {
        warnings.push_back(
            "--taxonomy names taxa, and no sequence has a taxonomy ID; --taxid-map says which has which");
    }
    if (taxids.known > 0 && taxids.known < taxids.lines) {
        const std::uint64_t unknown = taxids.lines - taxids.known;
        warnings.push_back(format_count(unknown) + (unknown == 1 ? " definition line is" : " definition lines are") +
                           " of no known taxon");
    }
}

/// Adds warnings about the input, the most important ones first.
void add_warnings(const ConvertOptions& options, const ConvertReport& report, std::vector<std::string>& warnings) {
    const FastaCounts& counts = report.counts;
    const WsdbSummary& summary = report.summary;
    const auto warn = [&](std::uint64_t count, const std::string& one, const std::string& many) {
        if (count > 0) warnings.push_back(format_count(count) + " " + (count == 1 ? one : many));
    };
    warn(counts.skipped_invalid, "invalid record was left out", "invalid records were left out");
    if (summary.duplicate_identifiers > 0) {
        warn(summary.duplicate_identifiers, "sequence has", "sequences have");
        warnings.back() += " an identifier that an earlier one has, such as " + shown_text(summary.duplicate_example) +
                           "; all are kept";
    }
    warn(counts.unnamed, "sequence has no name and got one (\"unnamed_\" and its number)",
         "sequences have no name and got one (\"unnamed_\" and their number)");
    warn(summary.empty_sequences, "sequence is empty; it is kept", "sequences are empty; they are kept");
    add_taxa_warnings(options, summary.taxids, warnings);
    warn(counts.gaps_removed, "gap character ('-' or '.') was removed", "gap characters ('-' or '.') were removed");
}

/// Adds a warning about identifiers of the list that no input has.
void add_missing(const RecordSelection& selection, std::vector<std::string>& warnings) {
    constexpr std::size_t kShown = 5;
    const auto missing = selection.not_found();
    if (missing.empty()) return;
    std::string text = format_count(missing.size()) + " of " + format_count(selection.names().size()) +
                       (selection.names().size() == 1 ? " identifier" : " identifiers") + " of the list " +
                       (missing.size() == 1 ? "was" : "were") + " not found: ";
    for (std::size_t n = 0; n < std::min(missing.size(), kShown); ++n)
        text += (n == 0 ? "" : ", ") + shown_text(std::string(missing[n]));
    if (missing.size() > kShown) text += ", ...";
    warnings.push_back(std::move(text));
}

/// Returns up to `most` names, and dots if there are more.
std::string list_of(const std::vector<std::string>& names, std::size_t most, std::size_t count) {
    std::string text;
    for (std::size_t n = 0; n < std::min(names.size(), most); ++n) text += (n == 0 ? "" : ", ") + shown_text(names[n]);
    return text + (count > most ? ", ..." : "");
}

/// Adds warnings if the sequences appended to a set differ from those that were there.
void add_set_warnings(const SetUpdateReport& report, std::vector<std::string>& warnings) {
    const SharedIdentifiers& repeated = report.repeated;
    if (repeated.sequences > 0) {
        warnings.push_back(format_count(repeated.sequences) +
                           (repeated.sequences == 1 ? " sequence has" : " sequences have") +
                           " an identifier that the set had before: " +
                           list_of(repeated.examples, repeated.examples.size(), repeated.sequences) +
                           "; all are kept (--replace removes the earlier ones)");
    }
    if (report.knew_taxa && report.appended->summary.taxids.known == 0)
        warnings.push_back(
            "the set knows taxa, and what was appended has none; --taxid-map says which sequence is of which taxon");
}

/// Adds a warning about files that were met beside a set and do not belong to it.
void add_unknown_files(const SetUpdateReport& report, std::vector<std::string>& warnings) {
    constexpr std::size_t kShown = 3;
    const std::vector<std::string>& files = report.unknown_files;
    if (files.empty()) return;
    std::string text = format_count(files.size()) + (files.size() == 1 ? " file is" : " files are") +
                       " called as those of the set, which does not have " + (files.size() == 1 ? "it: " : "them: ") +
                       list_of(files, kShown, files.size()) + (files.size() == 1 ? "; it stays" : "; they stay");
    if (report.manifest_may_be_old) {
        text +=
            ". An update made such a file for this set, and the manifest does not know it: the manifest is an older ";
        text += "one, or that update was killed. As long as the file is there nothing that the set no longer needs is ";
        text += "removed. Append the file if what it holds is missing, and move it away";
    }
    warnings.push_back(std::move(text));
}

/// A change to a set.
struct SetUpdate {
    enum class Kind { kAppend, kReplace, kRemove, kCompact };
    Kind kind;
    std::filesystem::path set;
};

/// Returns the update of a set that the command line asks for, or nothing.
Result<std::optional<SetUpdate>> update_of(const OptionValues& parsed) {
    std::optional<SetUpdate> update;
    std::string given;
    constexpr std::pair<const char*, SetUpdate::Kind> kKinds[] = {{"append", SetUpdate::Kind::kAppend},
                                                                  {"replace", SetUpdate::Kind::kReplace},
                                                                  {"remove", SetUpdate::Kind::kRemove},
                                                                  {"compact", SetUpdate::Kind::kCompact}};
    for (const auto& [option, kind] : kKinds) {
        if (parsed.count(option) == 0) continue;
        if (update)
            return Status::usage("--" + given + " and --" + option + " are two updates; do one after the other");
        given = option;
        update = SetUpdate{kind, {}};
        // --remove and --compact change the set that is the only input. --append and --replace name
        // the set.
        const bool from_input = kind == SetUpdate::Kind::kRemove || kind == SetUpdate::Kind::kCompact;
        if (from_input && parsed.texts("input").size() != 1)
            return Status::usage("--" + given + " takes one set, and nothing else");
        update->set = from_input ? parsed.texts("input").front() : parsed.text(option);
    }
    if (!update) return update;
    for (const std::string option : {"out", "parts", "force"}) {
        if (parsed.count(option) != 0)
            return Status::usage("--" + given + " changes a set, and --" + option + " says nothing of it");
    }
    for (const std::string option : {"taxid-map", "taxonomy"}) {
        if (update->kind == SetUpdate::Kind::kRemove && parsed.count(option) != 0)
            return Status::usage("--remove writes no sequences, and --" + option + " says nothing of it");
    }
    const bool has_records = update->kind == SetUpdate::Kind::kAppend || update->kind == SetUpdate::Kind::kReplace;
    for (const std::string option : {"list", "taxids", "min-length", "max-length", "unique", "skip-invalid"}) {
        if (!has_records && parsed.count(option) != 0)
            return Status::usage("--" + given + " reads no sequences, and --" + option + " chooses among them");
    }
    return update;
}

/// Runs the update and prints its warnings and its result.
Status run_update(const SetUpdate& update, const ConvertOptions& options, bool is_codec_given,
                  const RecordSelection& selection, std::vector<std::string> warnings, bool quiet, Observer& observer) {
    const auto report = [&]() -> Result<SetUpdateReport> {
        switch (update.kind) {
            case SetUpdate::Kind::kAppend: return append_to_set(update.set, options, false, observer);
            case SetUpdate::Kind::kReplace: return append_to_set(update.set, options, true, observer);
            case SetUpdate::Kind::kRemove: return remove_from_set(update.set, selection, options);
            case SetUpdate::Kind::kCompact: break;
        }
        return compact_set(update.set, options, is_codec_given, observer);
    }();
    if (!report.ok()) return report.status();
    if (quiet) return {};
    if (report->appended && update.kind == SetUpdate::Kind::kCompact) {
        add_taxa_warnings(options, report->appended->summary.taxids, warnings);
    } else if (report->appended) {
        add_warnings(options, *report->appended, warnings);
        add_set_warnings(*report, warnings);
    }
    add_missing(selection, warnings);
    add_unknown_files(*report, warnings);
    for (const std::string& warning : warnings) print_message("dbconv", "warning: " + warning);
    const WsdbSetManifest& manifest = report->manifest;
    const auto count = [](std::uint64_t number, const std::string& noun) {
        return format_count(number) + " " + noun + (number == 1 ? "" : "s");
    };
    std::string text = update.set.string() + ": " + count(manifest.sequence_count(), "sequence") + ", " +
                       count(manifest.residue_count(), "residue") + ", " + count(manifest.volumes.size(), "volume") +
                       "\n";
    if (report->appended && update.kind != SetUpdate::Kind::kCompact)
        text += "  " + count(report->appended->summary.sequences, "sequence") + " appended\n";
    if (report->removed_sequences > 0 || update.kind == SetUpdate::Kind::kRemove)
        text += "  " + count(report->removed_sequences, "sequence") + " removed\n";
    return print(text);
}

/// Returns the line about taxa; empty if no taxon is known.
std::string taxa_text(const WsdbTaxidCounts& counts) {
    if (counts.known == 0) return "";
    return "  " + format_count(counts.taxa) + (counts.taxa == 1 ? " taxon" : " taxa") + ", names of " +
           format_count(counts.named) + "\n";
}

std::string summary_text(const std::filesystem::path& file, const std::string& codec, const WsdbSummary& summary) {
    const std::uint64_t words = summary.residue_words + summary.padding_words;
    char padding[32];
    std::snprintf(padding, sizeof padding, "%.2f %%",
                  words == 0 ? 0.0 : 100.0 * static_cast<double>(summary.padding_words) / static_cast<double>(words));
    return file.string() + ": " + format_count(summary.sequences) +
           (summary.sequences == 1 ? " sequence, " : " sequences, ") + format_count(summary.residues) +
           " residues, the longest " + format_count(summary.longest_residues) + "\n  " +
           format_size_bytes(summary.file_bytes) + ", codec " + codec + ", " + format_count(summary.tiles) +
           " tiles (" + format_count(summary.linear_tiles) + " linear), padding " + padding + ", content " +
           summary.content_digest + "\n" + taxa_text(summary.taxids);
}

Status run(int argc, char** argv) {
    OptionSet options = make_dbconv_options();
    const auto parsed = options.parse(argc, argv);
    if (!parsed.ok()) return parsed.status();
    if (parsed->count("help") != 0) {
        return print(options.help() + "\n");
    }
    if (parsed->count("version") != 0) {
        return print("dbconv (warpseq) " + std::string(program_version()) + "\n");
    }

    ConvertOptions convert_options;
    if (parsed->count("input") == 0)
        return Status::usage("no input: name FASTA files or databases, or - for standard input");
    for (const auto& name : parsed->texts("input")) convert_options.inputs.emplace_back(name);
    const auto update = update_of(*parsed);
    if (!update.ok()) return update.status();
    if (!*update) {
        if (parsed->count("out") == 0) return Status::usage("no output: name the database to write with -o");
        convert_options.output = output_path(parsed->text("out"));
        const auto place = identify_file(convert_options.output);
        if (convert_options.output.extension() == ".wsdbs" || (place.ok() && place->resolved.extension() == ".wsdbs"))
            return Status::usage("-o " + parsed->text("out") +
                                 ": names a set, and -o writes a database (.wsdb); --append makes a set or adds to it");
    }
    const auto codec = parsed->text("codec");
    if (codec != "packed" && codec != "zstd") {
        return Status::usage("--codec " + codec + ": unknown codec; choose packed or zstd");
    }
    convert_options.codec = codec == "packed" ? ResidueCodec::kPacked : ResidueCodec::kZstd;
    const auto threads = read_threads(*parsed);
    if (!threads.ok()) return threads.status();
    convert_options.threads = *threads;
    const auto memory = parse_size_bytes(parsed->text("memory"), "--memory");
    if (!memory.ok()) return memory.status();
    convert_options.memory_bytes = *memory;
    for (const auto& [option, longest_bytes, label] :
         {std::tuple("title", kLongestTitleBytes, &convert_options.title),
          std::tuple("release", kLongestReleaseBytes, &convert_options.release)}) {
        if (parsed->count(option) == 0) continue;
        *label = parsed->text(option);
        if (const auto why = why_no_label(**label, longest_bytes))
            return Status::usage(std::string("--") + option + " " + shown_text(**label) + " " + *why +
                                 "; a line of text in UTF-8 was expected");
    }
    convert_options.replace = parsed->count("force") != 0;
    convert_options.skip_invalid = parsed->count("skip-invalid") != 0;
    const bool quiet = parsed->count("quiet") != 0;
    if (const char* folder = std::getenv("TMPDIR"); folder != nullptr) convert_options.temporary_folder = folder;
    TerminalObserver observer("dbconv", quiet);
    convert_options.on_invalid_record = [&](const std::string& message) { observer.say("left out: " + message); };

    std::vector<std::string> warnings;
    convert_options.on_nucleotides = [&](const std::string& found) -> Status {
        if (parsed->count("expect-protein") != 0) {
            return Status::invalid_input(convert_options.inputs.front().string() + ": " + found +
                                         ", and --expect-protein was given; translate them first");
        }
        warnings.push_back("THESE DO NOT LOOK LIKE PROTEINS: " + found +
                           "; they were converted as if they were proteins (--expect-protein refuses them)");
        return {};
    };
    RecordSelection selection;
    if (parsed->count("min-length") != 0) {
        const auto residues = parse_whole_number(parsed->text("min-length"), "--min-length", 0);
        if (!residues.ok()) return residues.status();
        selection.min_residues = static_cast<std::uint64_t>(*residues);
    }
    if (parsed->count("max-length") != 0) {
        const auto residues = parse_whole_number(parsed->text("max-length"), "--max-length", 0);
        if (!residues.ok()) return residues.status();
        selection.max_residues = static_cast<std::uint64_t>(*residues);
    }
    if (parsed->count("taxids") != 0) {
        const auto taxids = parse_taxids(parsed->text("taxids"), ',');
        if (!taxids || taxids->empty())
            return Status::usage("--taxids " + parsed->text("taxids") +
                                 ": expected taxonomy IDs, numbers separated by commas, as 9606,10090");
        for (const std::uint64_t taxid : *taxids) selection.taxids.push_back(static_cast<std::uint32_t>(taxid));
    }
    if (selection.min_residues > selection.max_residues)
        return Status::usage("--min-length " + parsed->text("min-length") + " is more than --max-length " +
                             parsed->text("max-length"));
    unsigned parts = 1;
    if (parsed->count("parts") != 0) {
        const auto number = parse_whole_number(parsed->text("parts"), "--parts", 1, kMostParts);
        if (!number.ok()) return number.status();
        parts = static_cast<unsigned>(*number);
    }
    convert_options.unique = parsed->count("unique") != 0;
    RunFiles files;
    for (const std::string option : {"list", "remove"}) {
        if (parsed->count(option) != 0) files.add_input("--" + option, parsed->text(option));
    }
    if (parsed->count("taxid-map") != 0) {
        for (const auto& list : parsed->texts("taxid-map")) convert_options.taxid_lists.emplace_back(list);
    }
    if (parsed->count("taxonomy") != 0) convert_options.taxonomy_folder = parsed->text("taxonomy");
    add_conversion_files(convert_options, *update ? 0 : parts, {"an input", "-o", "--taxid-map", "--taxonomy"}, files);
    WARPSEQ_TRY(files.check());
    if (parsed->count("list") != 0 || parsed->count("remove") != 0)
        WARPSEQ_TRY(selection.read_list(parsed->text(parsed->count("list") != 0 ? "list" : "remove")));
    if (!selection.wants_all()) convert_options.selection = &selection;

    if (*update)
        return run_update(**update, convert_options, parsed->count("codec") != 0, selection, warnings, quiet, observer);
    std::vector<ConvertReport> reports;
    if (parts == 1) {
        const auto report = convert_fasta(convert_options, observer);
        if (!report.ok()) return report.status();
        reports.push_back(*report);
    } else {
        auto made = convert_in_parts(convert_options, parts, observer);
        if (!made.ok()) return made.status();
        reports = *std::move(made);
    }
    if (quiet) return {};
    add_warnings(convert_options, reports.front(), warnings);
    add_missing(selection, warnings);
    for (const std::string& warning : warnings) print_message("dbconv", "warning: " + warning);
    std::string text;
    for (unsigned part = 0; part < parts; ++part) {
        const auto file = parts == 1 ? convert_options.output : part_of_output(convert_options.output, part, parts);
        text += summary_text(file, codec, reports[part].summary);
    }
    if (convert_options.unique)
        text += "  " + format_count(reports.front().merged_sequences) + " identical sequences were merged\n";
    return print(text);
}

}  // namespace

int dbconv_program(int argc, char** argv) {
    prepare_process("dbconv");
    Status status = guarded([&] { return run(argc, argv); });
    if (status.code() == StatusCode::kOutOfMemory)
        status = Status::out_of_memory("out of memory; a smaller --memory may help");
    return report_status("dbconv", status);
}

}  // namespace warpseq

#include "apps/dbconv/dbconv_program.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/common/command_line.h"
#include "apps/common/process.h"
#include "apps/common/progress.h"
#include "formats/fasta/record_selection.h"
#include "formats/io/output_sink.h"
#include "formats/io/run_files.h"
#include "formats/io/shown_text.h"
#include "formats/wsdb/convert_fasta.h"
#include "formats/wsdb/wsdb_set.h"
#include "formats/wsdb/wsdb_set_update.h"
#include "libcore/base/number_format.h"
#include "libcore/base/version.h"
#include "options/dbconv/dbconv_options.h"

namespace warpseq {
namespace {

/// Adds warnings if the options ask for taxa and the input does not have them.
void add_taxa_warnings(const ConvertOptions& options, const WsdbTaxidCounts& taxids,
                       std::vector<std::string>& warnings) {
    const bool has_lists = !options.taxid_lists.empty();
    if (has_lists && taxids.listed == 0) {
        warnings.push_back(std::string("no definition line has an identifier of the taxonomy map; ") +
                           (taxids.known == 0 ? "the database has no taxa" : "taxa come from the input alone"));
    }
    if (!has_lists && !options.taxonomy_folder.empty() && taxids.known == 0) {
        warnings.push_back(
            "--taxonomy was given, but no sequence has a taxonomy ID; add --taxid-map to assign taxa to sequences");
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
            "the set has taxa, but the appended sequences have none; add --taxid-map to assign taxa to them");
}

/// Adds a warning about files that were met beside a set and do not belong to it.
void add_unknown_files(const SetUpdateReport& report, std::vector<std::string>& warnings) {
    constexpr std::size_t kShown = 3;
    const std::vector<std::string>& files = report.unknown_files;
    if (files.empty()) return;
    const bool is_one = files.size() == 1;
    std::string text = format_count(files.size()) +
                       (is_one ? " file beside the set is named like its files, but does not belong to it: "
                               : " files beside the set are named like its files, but do not belong to it: ") +
                       list_of(files, kShown, files.size()) +
                       (is_one ? "; it is left in place" : "; they are left in place");
    if (report.manifest_may_be_old) {
        text +=
            ". An update made such a file for this set, but the manifest does not list it: either the manifest is an "
            "older one, or that update was killed. While the file is there, no file that the set no longer needs is "
            "removed. If sequences of it are missing in the set, append it; then move it away";
    }
    warnings.push_back(std::move(text));
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

    auto settings = read_dbconv_options(*parsed);
    if (!settings.ok()) return settings.status();
    ConvertOptions& conversion = settings->conversion;
    RecordSelection& selection = settings->selection;
    const std::optional<SetUpdate>& update = settings->update;
    const unsigned parts = settings->parts;
    if (const char* folder = std::getenv("TMPDIR"); folder != nullptr) conversion.temporary_folder = folder;
    TerminalObserver observer("dbconv", settings->quiet);
    conversion.on_invalid_record = [&](const std::string& message) { observer.say("left out: " + message); };

    std::vector<std::string> warnings;
    conversion.on_nucleotides = [&](const std::string& found) -> Status {
        if (settings->expect_protein) {
            return Status::invalid_input(conversion.inputs.front().string() + ": " + found +
                                         ", and --expect-protein was given; translate them first");
        }
        warnings.push_back("THESE DO NOT LOOK LIKE PROTEINS: " + found +
                           "; they were converted as if they were proteins (--expect-protein refuses them)");
        return {};
    };
    RunFiles files;
    for (const std::string option : {"list", "remove"}) {
        if (parsed->count(option) != 0) files.add_input("--" + option, parsed->text(option));
    }
    add_conversion_files(conversion, update ? 0 : parts, {"an input", "-o", "--taxid-map", "--taxonomy"}, files);
    WARPSEQ_TRY(files.check());
    if (settings->list) WARPSEQ_TRY(selection.read_list(*settings->list));
    if (!selection.wants_all()) conversion.selection = &selection;

    if (update)
        return run_update(*update, conversion, parsed->count("codec") != 0, selection, warnings, settings->quiet,
                          observer);
    std::vector<ConvertReport> reports;
    if (parts == 1) {
        const auto report = convert_fasta(conversion, observer);
        if (!report.ok()) return report.status();
        reports.push_back(*report);
    } else {
        auto made = convert_in_parts(conversion, parts, observer);
        if (!made.ok()) return made.status();
        reports = *std::move(made);
    }
    if (settings->quiet) return {};
    add_warnings(conversion, reports.front(), warnings);
    add_missing(selection, warnings);
    for (const std::string& warning : warnings) print_message("dbconv", "warning: " + warning);
    std::string text;
    for (unsigned part = 0; part < parts; ++part) {
        const auto file = parts == 1 ? conversion.output : part_of_output(conversion.output, part, parts);
        text += summary_text(file, parsed->text("codec"), reports[part].summary);
    }
    if (conversion.unique)
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

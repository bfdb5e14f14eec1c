#include "options/dbconv/dbconv_run.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "formats/io/run_files.h"
#include "formats/io/shown_text.h"
#include "libcore/base/number_format.h"

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

Result<SetUpdateReport> update_set(const SetUpdate& update, const ConvertOptions& options, bool is_codec_given,
                                   const RecordSelection& selection, Observer& observer) {
    switch (update.kind) {
        case SetUpdate::Kind::kAppend: return append_to_set(update.set, options, false, observer);
        case SetUpdate::Kind::kReplace: return append_to_set(update.set, options, true, observer);
        case SetUpdate::Kind::kRemove: return remove_from_set(update.set, selection, options);
        case SetUpdate::Kind::kCompact: break;
    }
    return compact_set(update.set, options, is_codec_given, observer);
}

/// Adds the warnings about an update.
void add_update_warnings(const DbconvSettings& settings, const SetUpdateReport& report,
                         std::vector<std::string>& warnings) {
    if (report.appended && settings.update->kind == SetUpdate::Kind::kCompact) {
        add_taxa_warnings(settings.conversion, report.appended->summary.taxids, warnings);
    } else if (report.appended) {
        add_warnings(settings.conversion, *report.appended, warnings);
        add_set_warnings(report, warnings);
    }
    add_missing(settings.selection, warnings);
    add_unknown_files(report, warnings);
}

}  // namespace

Result<DbconvRun> run_dbconv(const OptionValues& values, DbconvSettings& settings, Observer& observer) {
    ConvertOptions& conversion = settings.conversion;
    DbconvRun run;
    if (const char* folder = std::getenv("TMPDIR"); folder != nullptr) conversion.temporary_folder = folder;
    conversion.on_nucleotides = [&](const std::string& found) -> Status {
        if (settings.expect_protein) {
            return Status::invalid_input(conversion.inputs.front().string() + ": " + found +
                                         ", and --expect-protein was given; translate them first");
        }
        run.warnings.push_back("THESE DO NOT LOOK LIKE PROTEINS: " + found +
                               "; they were converted as if they were proteins (--expect-protein refuses them)");
        return {};
    };
    RunFiles files;
    for (const std::string option : {"list", "remove"}) {
        if (values.count(option) != 0) files.add_input("--" + option, values.text(option));
    }
    add_conversion_files(conversion, settings.update ? 0 : settings.parts,
                         {"an input", "-o", "--taxid-map", "--taxonomy"}, files);
    WARPSEQ_TRY(files.check());
    if (settings.list) WARPSEQ_TRY(settings.selection.read_list(*settings.list));
    if (!settings.selection.wants_all()) conversion.selection = &settings.selection;

    if (settings.update) {
        auto report =
            update_set(*settings.update, conversion, values.count("codec") != 0, settings.selection, observer);
        if (!report.ok()) return report.status();
        run.update = *std::move(report);
        add_update_warnings(settings, *run.update, run.warnings);
        return run;
    }
    if (settings.parts == 1) {
        const auto report = convert_fasta(conversion, observer);
        if (!report.ok()) return report.status();
        run.reports.push_back(*report);
    } else {
        auto made = convert_in_parts(conversion, settings.parts, observer);
        if (!made.ok()) return made.status();
        run.reports = *std::move(made);
    }
    add_warnings(conversion, run.reports.front(), run.warnings);
    add_missing(settings.selection, run.warnings);
    return run;
}

std::vector<std::filesystem::path> outputs_of(const DbconvSettings& settings) {
    if (settings.update) return {settings.update->set};
    if (settings.parts == 1) return {settings.conversion.output};
    std::vector<std::filesystem::path> files;
    for (unsigned part = 0; part < settings.parts; ++part)
        files.push_back(part_of_output(settings.conversion.output, part, settings.parts));
    return files;
}

}  // namespace warpseq

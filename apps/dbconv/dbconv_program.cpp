#include "apps/dbconv/dbconv_program.h"

#include <cstdio>
#include <string>
#include <vector>

#include "apps/common/command_line.h"
#include "apps/common/process.h"
#include "apps/common/progress.h"
#include "formats/io/output_sink.h"
#include "formats/wsdb/convert_fasta.h"
#include "formats/wsdb/wsdb_set_update.h"
#include "libcore/base/number_format.h"
#include "libcore/base/version.h"
#include "options/dbconv/dbconv_options.h"
#include "options/dbconv/dbconv_run.h"

namespace warpseq {
namespace {

std::string update_text(const SetUpdate& update, const SetUpdateReport& report) {
    const WsdbSetManifest& manifest = report.manifest;
    const auto count = [](std::uint64_t number, const std::string& noun) {
        return format_count(number) + " " + noun + (number == 1 ? "" : "s");
    };
    std::string text = update.set.string() + ": " + count(manifest.sequence_count(), "sequence") + ", " +
                       count(manifest.residue_count(), "residue") + ", " + count(manifest.volumes.size(), "volume") +
                       "\n";
    if (report.appended && update.kind != SetUpdate::Kind::kCompact)
        text += "  " + count(report.appended->summary.sequences, "sequence") + " appended\n";
    if (report.removed_sequences > 0 || update.kind == SetUpdate::Kind::kRemove)
        text += "  " + count(report.removed_sequences, "sequence") + " removed\n";
    return text;
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
    TerminalObserver observer("dbconv", settings->quiet);
    settings->conversion.on_invalid_record = [&](const std::string& message) { observer.say("left out: " + message); };
    const auto done = run_dbconv(*parsed, *settings, observer);
    if (!done.ok()) return done.status();
    if (settings->quiet) return {};
    for (const std::string& warning : done->warnings) print_message("dbconv", "warning: " + warning);
    if (done->update) return print(update_text(*settings->update, *done->update));
    const std::vector<std::filesystem::path> outputs = outputs_of(*settings);
    std::string text;
    for (std::size_t part = 0; part < outputs.size(); ++part)
        text += summary_text(outputs[part], parsed->text("codec"), done->reports[part].summary);
    if (settings->conversion.unique)
        text += "  " + format_count(done->reports.front().merged_sequences) + " identical sequences were merged\n";
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

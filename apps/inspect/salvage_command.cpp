// `inspect salvage`: what is whole in a damaged database.
#include <string>

#include "apps/common/command_line.h"
#include "apps/inspect/arguments.h"
#include "apps/inspect/commands.h"
#include "formats/json_writer.h"
#include "formats/ordered_sequences.h"
#include "formats/output_sink.h"
#include "formats/run_files.h"
#include "formats/wsdb_salvage.h"
#include "formats/wsdb_set.h"
#include "libcore/base/number_format.h"

namespace warpseq {

namespace {

/// Text is written in pieces of this size.
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

std::string counted(std::uint64_t count, std::string_view what) {
    return format_count(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

std::string loss_text(const WsdbLoss& loss) {
    const std::string ranks = loss.sequences == 1 ? "rank " + std::to_string(loss.first_rank)
                                                  : "ranks " + std::to_string(loss.first_rank) + " to " +
                                                        std::to_string(loss.first_rank + loss.sequences - 1);
    if (loss.names_alone) return counted(loss.sequences, "header") + " lost (" + ranks + "): " + loss.why;
    return counted(loss.sequences, "sequence") + " lost (" + ranks + ", " + counted(loss.residues, "residue") +
           "): " + loss.why;
}

std::string salvage_json(const std::string& file, const WsdbSalvage& salvage) {
    std::string text;
    JsonWriter json(text, JsonWriter::Layout::kIndented);
    json.begin_object();
    json.member("file", file);
    json.member("whole", salvage.is_whole());
    json.member("sequences", salvage.sequences);
    json.member("saved_sequences", salvage.saved_sequences);
    json.member("saved_residues", salvage.saved_residues);
    json.member("lost_sequences", salvage.lost_sequences);
    json.member("lost_residues", salvage.lost_residues);
    json.member("lost_headers", salvage.lost_names);
    json.key("damage_of_file_header");
    if (salvage.header_damage.empty()) {
        json.null();
    } else {
        json.value(salvage.header_damage);
    }
    json.key("losses").begin_array();
    for (const WsdbLoss& loss : salvage.losses) {
        json.begin_object();
        json.member("what", loss.names_alone ? "headers" : "sequences");
        json.member("first_rank", loss.first_rank);
        json.member("sequences", loss.sequences);
        if (!loss.names_alone) json.member("residues", loss.residues);
        json.member("why", loss.why);
        json.end_object();
    }
    json.end_array();
    json.end_object();
    json.line_break();
    return text;
}

}  // namespace

Status run_salvage_command(int argc, char** argv) {
    const auto arguments = parse_inspect_arguments(argc, argv);
    if (!arguments.ok() || arguments->done) return arguments.status();
    const std::string file = arguments->database.string();
    if (arguments->json && !arguments->output)
        return Status::usage("salvage: --json prints to standard output, so the sequences need a file: -o FILE");
    if (is_wsdb_set(arguments->database)) {
        std::string message = file + ": is a set; salvage its volumes one by one";
        const auto manifest = read_set_manifest(arguments->database);
        if (!manifest.ok())
            return Status::invalid_input(message + ", the databases beside it; " + manifest.status().message());
        for (const auto& volume : volumes_of_wsdb_set(arguments->database, *manifest))
            message += "\n  " + volume.string();
        return Status::invalid_input(message);
    }
    RunFiles files;
    files.add_input("the database", arguments->database);
    files.add_output(arguments->output ? "-o" : "the sequences", arguments->output);
    WARPSEQ_TRY(files.check());
    auto output = OutputSink::open(arguments->output, arguments->force);
    if (!output.ok()) return output.status();
    std::string text;
    const auto salvage = salvage_wsdb(arguments->database,
                                      [&](std::string_view header, std::span<const ResidueCode> residues) -> Status {
                                          text += '>';
                                          text += header;
                                          text += '\n';
                                          append_residue_lines(residues, arguments->width, text);
                                          if (text.size() < kPieceBytes) return {};
                                          WARPSEQ_TRY(output->write(text));
                                          text.clear();
                                          return {};
                                      });
    if (!salvage.ok()) return salvage.status();
    WARPSEQ_TRY(output->write(text));
    WARPSEQ_TRY(output->finish());
    if (arguments->json) WARPSEQ_TRY(print(salvage_json(file, *salvage)));
    if (!salvage->header_damage.empty())
        print_message("inspect salvage", file + ": the file's header is damaged: " + salvage->header_damage);
    if (!arguments->quiet) {
        for (const WsdbLoss& loss : salvage->losses) print_message("inspect salvage", file + ": " + loss_text(loss));
        if (salvage->losses.size() == WsdbSalvage::kMostLosses)
            print_message("inspect salvage", file + ": no more are named");
    }
    if (salvage->is_whole()) return {};
    return Status::invalid_input(file + ": " + format_count(salvage->saved_sequences) + " of " +
                                 counted(salvage->sequences, "sequence") + " saved, " +
                                 format_count(salvage->lost_names) + " of them under names that were made up; " +
                                 counted(salvage->lost_sequences, "sequence") + " lost");
}

}  // namespace warpseq

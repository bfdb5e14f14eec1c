// `inspect salvage`: copies the undamaged sequences out of a damaged database.
#include <string>
#include <vector>

#include "apps/common/command_line.h"
#include "apps/inspect/commands.h"
#include "formats/io/json_writer.h"
#include "formats/io/output_sink.h"
#include "formats/io/run_files.h"
#include "formats/wsdb/ordered_sequences.h"
#include "formats/wsdb/wsdb_salvage.h"
#include "formats/wsdb/wsdb_set.h"
#include "formats/wsdb/wsdb_set_salvage.h"
#include "libcore/base/number_format.h"
#include "options/inspect/inspect_options.h"

namespace warpseq {

namespace {

/// Size of the pieces in which text is written.
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

void write_json(JsonWriter& json, const std::string& file, const WsdbSalvage& salvage) {
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
}

/// Prints what is damaged in one file. With `quiet` the single losses are left out.
void print_losses(const std::string& file, const WsdbSalvage& salvage, bool quiet) {
    if (!salvage.header_damage.empty())
        print_message("inspect salvage", file + ": the file's header is damaged: " + salvage.header_damage);
    if (salvage.unreadable_bytes > 0) {
        print_message("inspect salvage", file + ": byte " + std::to_string(salvage.first_unreadable_byte) +
                                             ": cannot be read: " + salvage.why_unreadable);
    }
    if (quiet) return;
    for (const WsdbLoss& loss : salvage.losses) print_message("inspect salvage", file + ": " + loss_text(loss));
    if (salvage.losses.size() == WsdbSalvage::kMostLosses)
        print_message("inspect salvage", file + ": further losses are not listed");
}

/// The sums over all volumes of a set.
struct Sums {
    bool is_whole = true;
    std::uint64_t sequences = 0, saved = 0, saved_residues = 0, lost = 0, lost_residues = 0, lost_names = 0;

    void add(const WsdbSalvage& salvage) {
        is_whole = is_whole && salvage.is_whole();
        sequences += salvage.sequences;
        saved += salvage.saved_sequences;
        saved_residues += salvage.saved_residues;
        lost += salvage.lost_sequences;
        lost_residues += salvage.lost_residues;
        lost_names += salvage.lost_names;
    }
};

std::string salvage_json(const std::string& file, const std::vector<WsdbVolumeSalvage>& volumes, const Sums& sums,
                         bool is_set) {
    std::string text;
    JsonWriter json(text, JsonWriter::Layout::kIndented);
    if (is_set) {
        json.begin_object();
        json.member("file", file);
        json.member("whole", sums.is_whole);
        json.member("sequences", sums.sequences);
        json.member("saved_sequences", sums.saved);
        json.member("saved_residues", sums.saved_residues);
        json.member("lost_sequences", sums.lost);
        json.member("lost_residues", sums.lost_residues);
        json.member("lost_headers", sums.lost_names);
        json.key("volumes").begin_array();
    }
    for (const WsdbVolumeSalvage& volume : volumes) write_json(json, volume.file.string(), volume.salvage);
    if (is_set) {
        json.end_array();
        json.end_object();
    }
    json.line_break();
    return text;
}

}  // namespace

Status run_salvage_command(int argc, char** argv) {
    const auto arguments = parse_inspect_arguments(argc, argv);
    if (!arguments.ok()) return arguments.status();
    if (!arguments->help.empty()) return print(arguments->help);
    const std::string file = arguments->database.string();
    if (arguments->json && !arguments->output)
        return Status::usage("salvage: --json prints to standard output, so the sequences need a file: -o FILE");
    const bool is_set = is_wsdb_set(arguments->database);
    RunFiles files;
    files.add_input("the database", arguments->database);
    if (is_set) {
        const auto manifest = read_set_manifest(arguments->database);
        if (!manifest.ok())
            return Status::invalid_input(file +
                                         ": the manifest of this set cannot be read, so its volumes and their removed "
                                         "sequences are unknown; salvage the databases beside it one by one; " +
                                         manifest.status().message());
        for (const auto& each : files_of_wsdb_set(arguments->database)) files.add_input("the database", each);
    }
    files.add_output(arguments->output ? "-o" : "the sequences", arguments->output);
    WARPSEQ_TRY(files.check());
    auto output = OutputSink::open(arguments->output, arguments->force);
    if (!output.ok()) return output.status();
    std::string text;
    const auto use = [&](std::string_view header, std::span<const ResidueCode> residues) -> Status {
        text += '>';
        text += header;
        text += '\n';
        append_residue_lines(residues, arguments->width, text);
        if (text.size() < kPieceBytes) return {};
        WARPSEQ_TRY(output->write(text));
        text.clear();
        return {};
    };
    std::vector<WsdbVolumeSalvage> volumes;
    if (is_set) {
        auto salvaged = salvage_wsdb_set(arguments->database, use);
        if (!salvaged.ok()) return salvaged.status();
        volumes = *std::move(salvaged);
    } else {
        auto salvaged = salvage_wsdb(arguments->database, use);
        if (!salvaged.ok()) return salvaged.status();
        volumes.push_back({arguments->database, *std::move(salvaged)});
    }
    WARPSEQ_TRY(output->write(text));
    WARPSEQ_TRY(output->finish());
    Sums sums;
    for (const WsdbVolumeSalvage& volume : volumes) sums.add(volume.salvage);
    if (arguments->json) WARPSEQ_TRY(print(salvage_json(file, volumes, sums, is_set)));
    for (const WsdbVolumeSalvage& volume : volumes)
        print_losses(volume.file.string(), volume.salvage, arguments->quiet);
    if (sums.is_whole) return {};
    return Status::invalid_input(file + ": " + format_count(sums.saved) + " of " + counted(sums.sequences, "sequence") +
                                 " saved, " + format_count(sums.lost_names) + " of them under made-up names; " +
                                 counted(sums.lost, "sequence") + " lost");
}

}  // namespace warpseq

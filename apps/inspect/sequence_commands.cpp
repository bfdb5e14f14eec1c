// `inspect fetch` and `inspect fasta`: sequences out of a database, as FASTA.
//
// Both read in the database's order, so that every tile and every block is read once, and bring the sequences into the
// order of the output by an external sort, so that memory stays bounded.
#include <algorithm>
#include <cstdio>
#include <utility>

#include "apps/common/command_line.h"
#include "apps/inspect/arguments.h"
#include "apps/inspect/commands.h"
#include "formats/byte_source.h"
#include "formats/ordered_sequences.h"
#include "formats/output_sink.h"
#include "formats/run_files.h"
#include "formats/shown_text.h"
#include "formats/wsdb_reader.h"
#include "libcore/base/number_format.h"

namespace warpseq {

namespace {

/// Text is written in pieces of this size.
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

constexpr std::uint64_t kFetchSortingMemory = std::uint64_t{256} << 20;

/// All of the sequences as FASTA.
Status write_fasta(OrderedSequences& sequences, OutputSink& output, std::uint64_t width) {
    std::string text;
    WARPSEQ_TRY(sequences.for_each(
        [&](std::uint64_t, std::string_view header, std::span<const ResidueCode> residues) -> Status {
            text += '>';
            text += header;
            text += '\n';
            append_residue_lines(residues, width, text);
            if (text.size() < kPieceBytes) return {};
            WARPSEQ_TRY(output.write(text));
            text.clear();
            return {};
        }));
    return output.write(text);
}

Status check_files(const InspectArguments& arguments) {
    RunFiles files;
    files.add_input("the database", arguments.database);
    if (arguments.list) files.add_input("--list", *arguments.list);
    files.add_output(arguments.output ? "-o" : "the sequences", arguments.output);
    return files.check();
}

Status read_identifiers(const std::filesystem::path& list, std::vector<std::string>& identifiers) {
    auto source = ByteSource::open(list);
    if (!source.ok()) return source.status();
    std::string name;
    bool in_blanks = false;  // behind an identifier: the rest of its line does not count
    const auto end_line = [&] {
        // A line of a FASTA header will do as well.
        if (name.starts_with('>')) name.erase(0, 1);
        if (!name.empty()) identifiers.push_back(std::move(name));
        name.clear();
        in_blanks = false;
    };
    for (;;) {
        const auto block = source->next_block();
        if (!block.ok()) return block.status();
        if (block->empty()) break;
        for (const std::uint8_t byte : *block) {
            if (byte == '\n') {
                end_line();
            } else if (std::string_view(" \t\r\v\f\x01").find(static_cast<char>(byte)) != std::string_view::npos) {
                in_blanks = true;
            } else if (!in_blanks) {
                name += static_cast<char>(byte);
            }
        }
    }
    end_line();
    return {};
}

}  // namespace

Status run_fetch_command(int argc, char** argv) {
    auto arguments = parse_inspect_arguments(argc, argv);
    if (!arguments.ok() || arguments->done) return arguments.status();
    WARPSEQ_TRY(check_files(*arguments));
    std::vector<std::string> identifiers = arguments->identifiers;
    if (arguments->list) WARPSEQ_TRY(read_identifiers(*arguments->list, identifiers));
    if (identifiers.empty() && !arguments->list) {
        return Status::usage("fetch: name identifiers behind the database, or a file of them with --list");
    }
    const auto reader = WsdbReader::open(arguments->database);
    if (!reader.ok()) return reader.status();

    struct Wanted {
        std::uint64_t rank, place;
    };
    std::vector<Wanted> wanted;
    std::uint64_t missing = 0;
    std::string missing_names;
    for (const std::string& identifier : identifiers) {
        const auto ranks = reader->find(identifier);
        if (!ranks.ok()) return ranks.status();
        for (const std::uint64_t rank : *ranks) wanted.push_back({rank, wanted.size()});
        if (!ranks->empty()) continue;
        if (++missing <= 10) missing_names += (missing_names.empty() ? "" : ", ") + shown_text(identifier);
    }
    if (missing > 0) {
        const std::string message = arguments->database.string() + ": " + format_count(missing) + " of " +
                                    format_count(identifiers.size()) + " identifiers are not in it: " + missing_names +
                                    (missing > 10 ? ", ..." : "");
        if (!arguments->skip_missing) {
            return Status::invalid_input(message + "; nothing was written (--skip-missing goes on without them)");
        }
        print_message("inspect fetch", "warning: " + message);
    }
    std::ranges::sort(wanted, {}, &Wanted::rank);
    auto output = OutputSink::open(arguments->output, arguments->force);
    if (!output.ok()) return output.status();
    OrderedSequences sequences(*reader, kFetchSortingMemory, temporary_folder(*arguments));
    for (const Wanted& sequence : wanted) WARPSEQ_TRY(sequences.add(sequence.rank, sequence.place));
    ThreadPool pool(1);
    WARPSEQ_TRY(reader->verify_unchanged(pool));
    WARPSEQ_TRY(write_fasta(sequences, *output, arguments->width));
    return output->finish();
}

Status run_fasta_command(int argc, char** argv) {
    const auto arguments = parse_inspect_arguments(argc, argv);
    if (!arguments.ok() || arguments->done) return arguments.status();
    WARPSEQ_TRY(check_files(*arguments));
    const auto reader = WsdbReader::open(arguments->database);
    if (!reader.ok()) return reader.status();
    auto output = OutputSink::open(arguments->output, arguments->force);
    if (!output.ok()) return output.status();
    OrderedSequences sequences(*reader, arguments->memory_bytes, temporary_folder(*arguments));
    for (std::uint64_t rank = 0; rank < reader->sequence_count(); ++rank) {
        WARPSEQ_TRY(sequences.add(rank, reader->input_positions()[rank]));
    }
    ThreadPool pool(1);
    WARPSEQ_TRY(reader->verify_unchanged(pool));
    WARPSEQ_TRY(write_fasta(sequences, *output, arguments->width));
    return output->finish();
}

}  // namespace warpseq

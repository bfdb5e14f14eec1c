// `inspect fetch` and `inspect fasta`: sequences out of a database, as FASTA.
//
// Both read in the database's order, so that every tile and every block is read once, and bring the sequences into the
// order of the output by an external sort, so that memory stays bounded.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "apps/common/command_line.h"
#include "apps/inspect/arguments.h"
#include "apps/inspect/commands.h"
#include "formats/byte_source.h"
#include "formats/external_sort.h"
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

std::span<const std::uint8_t> bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// Where temporary files go.
std::filesystem::path temporary_folder(const InspectArguments& arguments) {
    if (const char* folder = std::getenv("TMPDIR"); folder != nullptr && *folder != '\0') return folder;
    if (arguments.output) return arguments.output->parent_path();
    std::error_code ignored;
    return std::filesystem::temp_directory_path(ignored);
}

/// Takes sequences in any order, with their place in the output, and writes them in that order.
class OrderedFasta {
   public:
    OrderedFasta(const WsdbReader& reader, std::uint64_t memory_bytes, std::filesystem::path folder)
        : reader_(reader), sort_(memory_bytes, std::move(folder)) {}

    Status add(std::uint64_t rank, std::uint64_t place) {
        const auto header = reader_.header(rank);
        if (!header.ok()) return header.status();
        const auto residues = reader_.residues(rank, buffer_);
        if (!residues.ok()) return residues.status();
        // The length tells where the header begins.
        return sort_.add({place, residues->size()}, {*residues, bytes_of(*header)});
    }

    Status write(OutputSink& output, std::uint64_t width) {
        WARPSEQ_TRY(sort_.finish());
        SortItem item;
        std::string text;
        for (;;) {
            auto more = sort_.next(item);
            if (!more.ok()) return more.status();
            if (!*more) return output.write(text);
            const auto residues = item.payload.first(item.key[1]);
            const auto header = item.payload.subspan(item.key[1]);
            text += '>';
            text.append(reinterpret_cast<const char*>(header.data()), header.size());
            text += '\n';
            const std::uint64_t line = width == 0 ? std::max<std::uint64_t>(residues.size(), 1) : width;
            for (std::uint64_t begin = 0; begin < residues.size(); begin += line) {
                const std::uint64_t end = std::min<std::uint64_t>(begin + line, residues.size());
                const std::size_t place = text.size();
                text.resize(place + (end - begin) + 1);
                for (std::uint64_t i = begin; i < end; ++i) text[place + (i - begin)] = residue_letter(residues[i]);
                text.back() = '\n';
            }
            sort_.release();
            if (text.size() < kPieceBytes) continue;
            WARPSEQ_TRY(output.write(text));
            text.clear();
        }
    }

   private:
    const WsdbReader& reader_;
    TileBuffer buffer_;
    ExternalSort sort_;
};

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
    auto arguments = parse_inspect_arguments(
        argc, argv,
        "Prints sequences by identifier, as FASTA, in the order in which they are asked for. An identifier that\n"
        "several sequences have gives all of them. Letters are upper case.",
        kOptionList | kOptionOutput);
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
    OrderedFasta fasta(*reader, kFetchSortingMemory, temporary_folder(*arguments));
    for (const Wanted& sequence : wanted) WARPSEQ_TRY(fasta.add(sequence.rank, sequence.place));
    ThreadPool pool(1);
    WARPSEQ_TRY(reader->verify_unchanged(pool));
    WARPSEQ_TRY(fasta.write(*output, arguments->width));
    return output->finish();
}

Status run_fasta_command(int argc, char** argv) {
    const auto arguments = parse_inspect_arguments(
        argc, argv,
        "Gives the input back as FASTA: every sequence, residue for residue, header for header, in input order.\n"
        "Letter case, line lengths, comments and removed gaps are not kept.",
        kOptionOutput | kOptionMemory);
    if (!arguments.ok() || arguments->done) return arguments.status();
    WARPSEQ_TRY(check_files(*arguments));
    const auto reader = WsdbReader::open(arguments->database);
    if (!reader.ok()) return reader.status();
    auto output = OutputSink::open(arguments->output, arguments->force);
    if (!output.ok()) return output.status();
    OrderedFasta fasta(*reader, arguments->memory_bytes, temporary_folder(*arguments));
    for (std::uint64_t rank = 0; rank < reader->sequence_count(); ++rank) {
        WARPSEQ_TRY(fasta.add(rank, reader->input_positions()[rank]));
    }
    ThreadPool pool(1);
    WARPSEQ_TRY(reader->verify_unchanged(pool));
    WARPSEQ_TRY(fasta.write(*output, arguments->width));
    return output->finish();
}

}  // namespace warpseq

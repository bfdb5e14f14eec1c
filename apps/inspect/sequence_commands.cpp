// `inspect fetch` and `inspect fasta`: write sequences of a database as FASTA.
//
// Both read in the database's order, so that every tile and every block is read once. An external
// sort then brings the sequences into the order of the output, so that memory stays bounded.
#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "apps/common/command_line.h"
#include "apps/inspect/commands.h"
#include "formats/io/byte_source.h"
#include "formats/io/output_sink.h"
#include "formats/io/run_files.h"
#include "formats/io/shown_text.h"
#include "formats/wsdb/named_sequences.h"
#include "formats/wsdb/ordered_sequences.h"
#include "formats/wsdb/wsdb_reader.h"
#include "formats/wsdb/wsdb_set.h"
#include "libcore/base/number_format.h"
#include "options/inspect/inspect_options.h"

namespace warpseq {

namespace {

/// Size of the pieces in which text is written.
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

constexpr std::uint64_t kFetchSortingMemory = std::uint64_t{256} << 20;

/// Writes all of the sequences as FASTA.
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
    if (is_wsdb_set(arguments.database)) {
        for (const auto& file : files_of_wsdb_set(arguments.database)) files.add_input("the database", file);
    }
    if (arguments.list) files.add_input("--list", *arguments.list);
    files.add_output(arguments.output ? "-o" : "the sequences", arguments.output);
    return files.check();
}

Status read_identifiers(const std::filesystem::path& list, std::vector<std::string>& identifiers) {
    auto source = ByteSource::open(list);
    if (!source.ok()) return source.status();
    std::string name;
    bool in_blanks = false;  // after an identifier; the rest of the line is skipped
    const auto end_line = [&] {
        // A FASTA header's line is accepted, too.
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

/// A request of the command line: an identifier, or a range of its sequence as "ID:10-50", "ID:10-"
/// or "ID:-50".
struct Request {
    std::string name;
    std::string base;  // the identifier before the range; empty if there is no range
    std::uint64_t first = 1;
    std::optional<std::uint64_t> last = {};  // none: the last residue of the sequence
};

Request request_of(std::string name) {
    Request request;
    request.name = std::move(name);
    const std::size_t colon = request.name.rfind(':');
    if (colon == std::string::npos || colon == 0) return request;
    const std::string_view range = std::string_view(request.name).substr(colon + 1);
    const std::size_t hyphen = range.find('-');
    if (hyphen == range.npos || range.size() == 1) return request;
    const auto number = [](std::string_view digits, std::uint64_t& value) {
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        return error == std::errc() && end == digits.data() + digits.size();
    };
    std::uint64_t first = 1, last = 0;
    const std::string_view begin = range.substr(0, hyphen), end = range.substr(hyphen + 1);
    if ((!begin.empty() && !number(begin, first)) || (!end.empty() && !number(end, last))) return request;
    request.base = request.name.substr(0, colon);
    request.first = first;
    if (!end.empty()) request.last = last;
    return request;
}

/// Returns the requested range of a sequence of this length.
Result<ResidueRange> range_of(const Request& request, std::uint64_t residues) {
    const std::uint64_t last = request.last.value_or(residues);
    if (request.first >= 1 && request.first <= last && last <= residues) return ResidueRange{request.first - 1, last};
    const std::string name = shown_text(request.name);
    if (request.last && request.first > last)
        return Status::invalid_input(name + ": the range ends before it begins; a range is FIRST-LAST, counted from 1");
    return Status::invalid_input(name + ": there is no such range: the sequence has " + format_count(residues) +
                                 (residues == 1 ? " residue" : " residues") + ", which are counted from 1");
}

struct Wanted {
    NamedSequence sequence;
    bool is_range = false;  // whether only a range is asked for
};

/// Returns the requested sequences, in the order of the requests. A request is first taken as a
/// whole identifier, even with a colon in it, and then as one with a range.
Result<std::vector<Wanted>> find_requests(const std::vector<Request>& requests,
                                          const std::vector<WsdbSet::Volume>& volumes) {
    const ThreadPool pool(1);
    std::vector<std::string_view> names;
    for (const Request& request : requests) names.push_back(request.name);
    const auto as_they_stand = find_named_sequences(names, volumes, pool);
    if (!as_they_stand.ok()) return as_they_stand.status();
    // In a name with bars the accession alone matches, which would ignore a range behind it.
    const auto stands = [&](const NamedSequence& each) {
        return requests[each.name].base.empty() || each.is_whole ||
               requests[each.name].name.find('|') == std::string::npos;
    };
    std::vector<bool> is_found(requests.size());
    for (const NamedSequence& each : *as_they_stand) {
        if (stands(each)) is_found[each.name] = true;
    }
    std::vector<std::string_view> bases;
    std::vector<std::size_t> request_of_base;
    for (std::size_t r = 0; r < requests.size(); ++r) {
        if (is_found[r] || requests[r].base.empty()) continue;
        bases.push_back(requests[r].base);
        request_of_base.push_back(r);
    }
    const auto of_bases = find_named_sequences(bases, volumes, pool);
    if (!of_bases.ok()) return of_bases.status();
    std::vector<Wanted> wanted;
    for (const NamedSequence& each : *as_they_stand) {
        if (stands(each)) wanted.push_back({each, false});
    }
    for (NamedSequence each : *of_bases) {
        each.name = request_of_base[each.name];
        wanted.push_back({each, true});
    }
    std::ranges::stable_sort(wanted, {}, [](const Wanted& each) { return each.sequence.name; });
    return wanted;
}

Status verify_unchanged(const std::vector<WsdbSet::Volume>& volumes) {
    const ThreadPool pool(1);
    for (const WsdbSet::Volume& volume : volumes) WARPSEQ_TRY(volume.reader.verify_unchanged(pool));
    return {};
}

}  // namespace

Status run_fetch_command(int argc, char** argv) {
    auto arguments = parse_inspect_arguments(argc, argv);
    if (!arguments.ok()) return arguments.status();
    if (!arguments->help.empty()) return print(arguments->help);
    WARPSEQ_TRY(check_files(*arguments));
    std::vector<std::string> identifiers = arguments->identifiers;
    if (arguments->list) WARPSEQ_TRY(read_identifiers(*arguments->list, identifiers));
    if (identifiers.empty() && !arguments->list) {
        return Status::usage("fetch: name identifiers after the database, or a file of them with --list");
    }
    const auto volumes = open_volumes(arguments->database);
    if (!volumes.ok()) return volumes.status();
    std::vector<Request> requests;
    for (std::string& identifier : identifiers) requests.push_back(request_of(std::move(identifier)));
    const auto wanted = find_requests(requests, *volumes);
    if (!wanted.ok()) return wanted.status();

    std::vector<bool> is_found(requests.size());
    for (const Wanted& each : *wanted) is_found[each.sequence.name] = true;
    std::vector<std::string_view> missing;
    for (std::size_t r = 0; r < requests.size(); ++r) {
        if (!is_found[r]) missing.push_back(requests[r].name);
    }
    if (!missing.empty()) {
        const std::string message = missing_names_text(arguments->database.string(), missing, requests.size());
        if (!arguments->skip_missing) {
            return Status::invalid_input(message + "; nothing was written (--skip-missing goes on without them)");
        }
        print_message("inspect fetch", "warning: " + message);
    }
    struct Placed {
        std::size_t volume;
        std::uint64_t rank, place;
        std::optional<ResidueRange> range;
    };
    std::vector<Placed> placed;
    for (const Wanted& each : *wanted) {
        const auto& [name, volume, rank, is_whole] = each.sequence;
        Placed& sequence = placed.emplace_back(Placed{volume, rank, placed.size(), {}});
        if (!each.is_range) continue;
        const auto range = range_of(requests[name], (*volumes)[volume].reader.lengths_residues()[rank]);
        if (!range.ok()) {
            WARPSEQ_TRY(verify_unchanged(*volumes));
            return Status::invalid_input(arguments->database.string() + ": " + range.status().message());
        }
        sequence.range = *range;
    }
    std::ranges::sort(placed, {}, [](const Placed& each) { return std::tuple(each.volume, each.rank, each.place); });
    auto output = OutputSink::open(arguments->output, arguments->force);
    if (!output.ok()) return output.status();
    OrderedSequences sequences(kFetchSortingMemory, temporary_folder(*arguments));
    for (const Placed& each : placed) {
        const WsdbReader& reader = (*volumes)[each.volume].reader;
        WARPSEQ_TRY(each.range ? sequences.add_range(reader, each.rank, each.place, *each.range)
                               : sequences.add(reader, each.rank, each.place));
    }
    WARPSEQ_TRY(verify_unchanged(*volumes));
    WARPSEQ_TRY(write_fasta(sequences, *output, arguments->width));
    return output->finish();
}

Status run_fasta_command(int argc, char** argv) {
    const auto arguments = parse_inspect_arguments(argc, argv);
    if (!arguments.ok()) return arguments.status();
    if (!arguments->help.empty()) return print(arguments->help);
    WARPSEQ_TRY(check_files(*arguments));
    const auto volumes = open_volumes(arguments->database);
    if (!volumes.ok()) return volumes.status();
    auto output = OutputSink::open(arguments->output, arguments->force);
    if (!output.ok()) return output.status();
    OrderedSequences sequences(arguments->memory_bytes, temporary_folder(*arguments));
    std::uint64_t before = 0;  // number of sequences in the volumes before
    for (const auto& [reader, removed] : *volumes) {
        for (std::uint64_t rank = 0; rank < reader.sequence_count(); ++rank) {
            if (removed && removed->has(rank)) continue;
            WARPSEQ_TRY(sequences.add(reader, rank, before + reader.input_positions()[rank]));
        }
        before += reader.sequence_count();
    }
    WARPSEQ_TRY(verify_unchanged(*volumes));
    WARPSEQ_TRY(write_fasta(sequences, *output, arguments->width));
    return output->finish();
}

}  // namespace warpseq

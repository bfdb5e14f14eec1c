#include "apps/search/target_choice.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "engines/targets/headers.h"
#include "formats/byte_source.h"
#include "reports/blast/blast_defline.h"
#include "reports/blast/blastp_report_text.h"

namespace warpseq {
namespace {

std::string upper(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return out;
}

/// Identifiers as they stand in the file, and accessions in capitals.
struct Names {
    std::unordered_set<std::string> ids, accessions;

    bool has(const std::string& title) const {
        const BlastDefline line = parse_defline(title);
        if (ids.contains(title.substr(0, title.find_first_of(" \t"))) || ids.contains(line.accession)) return true;
        // Of local names and chains of PDB capitals matter.
        const bool is_as_written =
            line.id.starts_with("lcl|") || line.id.starts_with("pdb|") || line.id.find('|') == std::string::npos;
        return !is_as_written && (accessions.contains(upper(line.accession)) ||
                                  accessions.contains(upper(line.accession_without_version())));
    }
};

Result<Names> read_names(const std::filesystem::path& file) {
    auto source = ByteSource::open(file);
    if (!source.ok()) return source.status();
    std::string text;
    for (;;) {
        const auto block = source->next_block();
        if (!block.ok()) return block.status();
        if (block->empty()) break;
        text.append(block->begin(), block->end());
    }
    if (text.find('\0') != std::string::npos)
        return Status::invalid_input(source->name() + ": no list of sequences as text, an identifier a line");
    Names names;
    std::istringstream words(text);
    words.exceptions(std::ios::badbit);  // memory that runs out is no end of the text
    for (std::string name; words >> name;) {
        if (name.front() == '#') {
            std::getline(words, name);
            continue;
        }
        if (name.front() == '>') name.erase(0, 1);
        if (name.empty()) continue;
        // A bare name may be local, of which capitals matter, or an accession.
        const BlastDefline parsed = parse_defline(name);
        if (!name.starts_with("lcl|")) names.accessions.insert(upper(parsed.accession));
        names.ids.insert(parsed.accession);
        names.ids.insert(std::move(name));
    }
    if (names.ids.empty()) return Status::invalid_input(source->name() + ": no sequence is named in it");
    return names;
}

/// Of merged definition lines any, or all.
bool is_named_by(std::string_view header, const Names& names, bool by_all) {
    for (std::size_t at = 0; at <= header.size();) {
        const std::size_t end = std::min(header.find('\x01', at), header.size());
        const bool has = names.has(target_title(header.substr(at, end - at)));
        if (has != by_all) return has;
        at = end + 1;
    }
    return by_all;
}

/// Takes out what the list does not name, or names.
Status keep_listed(const DatabaseSet& databases, const SequenceList& list, const ThreadPool& pool,
                   std::vector<TargetMembers>& members) {
    const auto names = read_names(list.file);
    if (!names.ok()) return names.status();
    constexpr std::uint64_t kAtOnce = std::uint64_t{1} << 20;
    std::vector<SequencePlace> places;
    std::vector<unsigned char> is_named;
    for (std::uint32_t d = 0; d < databases.size(); ++d) {
        const std::uint64_t count = databases.reader(d).sequence_count();
        for (std::uint64_t first = 0; first < count; first += kAtOnce) {
            places.clear();
            for (std::uint64_t rank = first; rank < std::min(count, first + kAtOnce); ++rank) {
                if (members[d].has(rank)) places.push_back({d, rank});
            }
            is_named.assign(places.size(), 0);
            WARPSEQ_TRY(for_each_header(databases, places, pool, [&](std::size_t i, std::string_view header) {
                is_named[i] = is_named_by(header, *names, list.are_left_out) ? 1 : 0;
            }));
            for (std::size_t i = 0; i < places.size(); ++i) {
                if ((is_named[i] != 0) == list.are_left_out) members[d].remove(places[i].rank);
            }
        }
    }
    return {};
}

/// Takes out what is searched in another database.
void leave_out_repeated(const DatabaseSet& databases, const std::vector<RepeatedSequences>& repeated,
                        std::vector<TargetMembers>& members) {
    for (std::size_t d = 0; d < databases.size(); ++d) {
        const WsdbReader& reader = databases.reader(d);
        for (std::uint64_t rank = 0; rank < reader.sequence_count(); ++rank) {
            const std::uint64_t position = reader.input_positions()[rank];
            const bool is_repeated = std::ranges::any_of(repeated, [&](const RepeatedSequences& sequences) {
                return sequences.database == d && position >= sequences.first && position < sequences.end;
            });
            if (is_repeated) members[d].remove(rank);
        }
    }
}

}  // namespace

void add_target_options(OptionSet& options) {
    options.add_options("Targets")                                                                            //
        ("seqidlist", "search these sequences only: a file with an identifier a line", text_value(), "FILE")  //
        ("negative-seqidlist", "leave the sequences of this file out", text_value(), "FILE");
}

Result<TargetChoice> read_target_options(const ParsedOptions& parsed) {
    TargetChoice choice;
    // Options are spelled as blastp's in its command.
    const char* const negative = parsed.count("negative_seqidlist") != 0 ? "negative_seqidlist" : "negative-seqidlist";
    for (const char* const name : {"seqidlist", negative}) {
        if (parsed.count(name) == 0) continue;
        const std::string option = "--" + parsed.name_given(name);
        if (choice.sequences) return Status::usage(choice.sequences->option + " and " + option + " exclude each other");
        choice.sequences = SequenceList{option, parsed.text(name), std::string_view(name) != "seqidlist"};
    }
    return choice;
}

void add_inputs(const TargetChoice& choice, RunFiles& files) {
    if (choice.sequences) files.add_input(choice.sequences->option, choice.sequences->file);
}

Result<std::vector<TargetMembers>> choose_targets(const DatabaseSet& databases, const TargetChoice& choice,
                                                  const ThreadPool& pool) {
    std::vector<TargetMembers> members;
    for (std::size_t d = 0; d < databases.size(); ++d) {
        const TargetMembers* present = databases.present(d);
        members.push_back(present != nullptr ? *present : TargetMembers::all(databases.reader(d).sequence_count()));
    }
    if (choice.sequences) {
        WARPSEQ_TRY(keep_listed(databases, *choice.sequences, pool, members));
        if (std::ranges::all_of(members, [](const TargetMembers& of_database) { return of_database.count() == 0; })) {
            return Status::invalid_input(choice.sequences->file.string() +
                                         (choice.sequences->are_left_out ? ": names all sequences of the databases"
                                                                         : ": names no sequence of the databases"));
        }
    }
    if (!choice.repeated.empty()) leave_out_repeated(databases, choice.repeated, members);
    return members;
}

}  // namespace warpseq

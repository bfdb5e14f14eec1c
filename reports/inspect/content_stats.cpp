#include "reports/inspect/content_stats.h"

#include "formats/fasta/fasta.h"
#include "formats/io/shown_text.h"
#include "libcore/base/number_format.h"
#include "reports/inspect/stats_text.h"

namespace warpseq {
namespace {

std::string share(std::uint64_t part, std::uint64_t whole) {
    return percentage(static_cast<double>(part), static_cast<double>(whole));
}

Result<std::string> identifier(const WsdbReader& reader, std::uint64_t rank) {
    auto header = reader.header(rank);
    if (!header.ok()) return header.status();
    return std::string(identifier_of(*header));
}

double fraction(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

Result<std::string> content_text(const WsdbReader& reader, const WsdbContentFiguresOptions& chosen,
                                 const WsdbContentFigures& figures) {
    const std::uint64_t sequences = reader.sequence_count(), residues = reader.residue_count();
    std::string text;
    if (chosen.letters) {
        text += "\nletters               residues                   sequences with it\n";
        for (std::size_t code = 0; code < static_cast<std::size_t>(kResidueCodes); ++code) {
            const std::uint64_t count = figures.letter_residues[code], holders = figures.letter_sequences[code];
            if (count == 0) continue;
            text += "  ";
            text += residue_letter(static_cast<ResidueCode>(code));
            text += right(format_count(count), 27) + right(share(count, residues), 10) +
                    right(format_count(holders), 18) + right(share(holders, sequences), 10) + "\n";
        }
    }
    if (chosen.low_complexity) {
        text += "\nlow complexity\n";
        text += right(format_count(figures.masked_residues), 18) + right(share(figures.masked_residues, residues), 10) +
                "  residues that SEG masks\n";
        text += right(format_count(figures.masked_sequences), 18) +
                right(share(figures.masked_sequences, sequences), 10) + "  sequences with such residues\n";
        text += right(format_count(figures.mostly_masked_sequences), 18) +
                right(share(figures.mostly_masked_sequences, sequences), 10) +
                "  sequences of which they are half or more\n";
    }
    if (chosen.duplicates) {
        text += "\nduplicates\n";
        text += right(format_count(figures.copies), 18) + right(share(figures.copies, sequences), 10) +
                "  sequences are copies of another one\n";
        text += right(format_count(figures.copy_residues), 18) + right(share(figures.copy_residues, residues), 10) +
                "  residues in copies\n";
        text += right(format_count(figures.groups), 18) + "            groups of identical sequences" +
                (figures.groups > 0 ? ", of them the largest:\n" : "\n");
        if (figures.groups > 0) text += "         sequences  residues each  first one\n";
        for (const WsdbContentFigures::Group& group : figures.largest_groups) {
            const auto name = identifier(reader, group.first_rank);
            if (!name.ok()) return name.status();
            text += right(format_count(group.sequences), 18) + right(format_count(group.length_residues), 15) + "  " +
                    shown_text(*name) + "\n";
        }
    }
    return text;
}

Status write_content_json(const WsdbReader& reader, const WsdbContentFiguresOptions& chosen,
                          const WsdbContentFigures& figures, JsonWriter& json) {
    if (chosen.letters) {
        json.key("letters").begin_object();
        for (std::size_t code = 0; code < static_cast<std::size_t>(kResidueCodes); ++code) {
            const char letter = residue_letter(static_cast<ResidueCode>(code));
            json.key({&letter, 1}).begin_object();
            json.member("residues", figures.letter_residues[code]);
            json.member("sequences", figures.letter_sequences[code]);
            json.end_object();
        }
        json.end_object();
    }
    if (chosen.low_complexity) {
        json.key("low_complexity").begin_object();
        json.member("masked_residues", figures.masked_residues);
        json.member("masked_fraction", fraction(figures.masked_residues, reader.residue_count()));
        json.member("masked_sequences", figures.masked_sequences);
        json.member("mostly_masked_sequences", figures.mostly_masked_sequences);
        json.end_object();
    }
    if (!chosen.duplicates) return {};
    json.key("duplicates").begin_object();
    json.member("groups", figures.groups);
    json.member("sequences_in_groups", figures.group_sequences);
    json.member("copies", figures.copies);
    json.member("residues_in_copies", figures.copy_residues);
    json.key("largest_groups").begin_array();
    for (const WsdbContentFigures::Group& group : figures.largest_groups) {
        const auto name = identifier(reader, group.first_rank);
        if (!name.ok()) return name.status();
        json.begin_object();
        json.member("sequences", group.sequences);
        json.member("length_residues", group.length_residues);
        json.member("first", *name);
        json.end_object();
    }
    json.end_array();
    json.end_object();
    return {};
}

}  // namespace warpseq

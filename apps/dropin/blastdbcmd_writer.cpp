#include "apps/dropin/blastdbcmd_writer.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "apps/common/arguments.h"
#include "formats/blast_database.h"
#include "formats/fasta_target.h"
#include "formats/ordered_sequences.h"
#include "reports/blast/blastp_report_text.h"

namespace warpseq::blastdbcmd {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

/// The definition lines of a sequence; its number and its title where it has no identifiers.
std::vector<BlastDefline> deflines_of(const Source& source, std::uint64_t number, std::string_view header) {
    constexpr std::string_view kNumbered = "gnl|BL_ORD_ID|";
    std::vector<BlastDefline> lines;
    if (source.about.has_parsed_ids) {
        lines = parse_deflines(header, source.about.has_taxids);
        if (!lines.front().full_id.starts_with(kNumbered)) return lines;
        const std::size_t end = std::min(header.find(' '), header.size());
        header.remove_prefix(std::min(end + 1, header.size()));
    }
    BlastDefline line;
    if (source.about.has_taxids) header = without_taxid(header, line.taxid);
    line.label = "BL_ORD_ID:" + std::to_string(number);
    line.id = std::string(kNumbered) + std::to_string(number);
    line.title = target_title(header);
    return {line};
}

}  // namespace

std::string upper(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return out;
}

std::vector<std::string> other_names(const BlastDefline& line) {
    std::vector<std::string> names = {upper(line.full_id), upper(line.id), upper(line.accession), upper(line.label),
                                      upper(line.accession_without_version())};
    if (!line.gi.empty()) names.push_back(line.gi);
    // "sp|P12345|" for "sp|P12345|NAME".
    if (const std::size_t bar = line.id.rfind('|'); bar != std::string::npos && line.id.find('|') != bar)
        names.push_back(upper(line.id.substr(0, bar + 1)));
    return names;
}

SequenceWriter::SequenceWriter(const BlastArguments& arguments, OutputSink& output)
    : output_(output),
      format_(arguments.text("outfmt")),
      width_(static_cast<std::uint64_t>(*whole_number_of(arguments.text("line_length")))),
      long_ids_(arguments.has("long_seqids")),
      target_only_(arguments.has("target_only")),
      ctrl_a_(arguments.has("ctrl_a")),
      is_fasta_(format_.find("%f") != std::string::npos) {}

Status SequenceWriter::write(const Source& source, const Range& range, std::uint64_t number, std::string_view header,
                             std::span<const ResidueCode> residues, const std::string& entry) {
    std::vector<BlastDefline> lines = deflines_of(source, number, header);
    if (target_only_ && !entry.empty() && lines.size() > 1) {
        std::vector<BlastDefline> asked_for;
        for (const BlastDefline& line : lines)
            if (std::ranges::count(other_names(line), upper(entry)) > 0) asked_for.push_back(line);
        if (!asked_for.empty()) lines = std::move(asked_for);
    }
    // A range that begins behind the sequence is none, to BLAST+.
    std::uint64_t first = range.first, last = std::min<std::uint64_t>(range.last, residues.size());
    const bool is_part = range.is_given && first < residues.size();
    if (!is_part) {
        first = 0;
        last = residues.size();
    }
    const auto part = residues.subspan(first, last - first);
    if (is_fasta_) {
        const std::string positions =
            is_part ? ":" + std::to_string(first + 1) + "-" + std::to_string(last) : std::string();
        add_fasta(lines, positions, part);
    } else {
        for (const BlastDefline& line : lines) add_line(line, number, residues.size(), part);
    }
    if (text_.size() < kPieceBytes) return {};
    return flush();
}

Status SequenceWriter::flush() {
    WARPSEQ_TRY(output_.write(text_));
    text_.clear();
    return {};
}

void SequenceWriter::add_fasta(const std::vector<BlastDefline>& lines, const std::string& positions,
                               std::span<const ResidueCode> residues) {
    const BlastDefline& first = lines.front();
    const auto long_id = [](const BlastDefline& line) { return line.gi.empty() ? line.id : line.full_id; };
    std::string titles = first.title;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        const bool is_behind_ctrl_a = long_ids_ && ctrl_a_ && !lines[i].gi.empty();
        titles += is_behind_ctrl_a ? "\x01" : " >";
        titles += (long_ids_ ? long_id(lines[i]) : lines[i].label) + " " + lines[i].title;
    }
    std::string text;
    if (long_ids_) {
        text = long_id(first) + positions + " " + (first.is_third_party() ? "TPA: " : "") + cleaned_title(titles);
        text.erase(text.find_last_not_of(' ') + 1);
    } else if (!first.accession.empty()) {
        text = first.label + positions + " " + titles;
    } else {
        text = positions + (positions.empty() ? "" : " ") + titles;  // there are no identifiers
    }
    text_ += ">" + text + "\n";
    append_residue_lines(residues, width_, text_);
}

void SequenceWriter::add_line(const BlastDefline& line, std::uint64_t number, std::uint64_t length,
                              std::span<const ResidueCode> residues) {
    for (std::size_t i = 0; i < format_.size(); ++i) {
        const char next = i + 1 < format_.size() ? format_[i + 1] : '\0';
        if (format_[i] != '%' || std::string_view("agiotlsTXeLCSNBKP%").find(next) == std::string_view::npos ||
            next == '\0') {
            text_ += format_[i];
            continue;
        }
        ++i;
        switch (next) {
            case 'a': text_ += line.label; break;
            case 'g': text_ += line.gi.empty() ? "N/A" : line.gi; break;
            case 'i': text_ += line.id; break;
            case 'o': text_ += std::to_string(number); break;
            case 't': text_ += line.title; break;
            case 'l': text_ += std::to_string(length); break;
            case 's':
                for (const ResidueCode code : residues) text_ += residue_letter(code);
                break;
            case 'T':
            case 'X': text_ += std::to_string(line.taxid); break;
            case 'e': text_ += '0'; break;
            case 'P': text_ += "-1"; break;
            case '%': text_ += '%'; break;
            default: text_ += "N/A";
        }
    }
    text_ += '\n';
}

}  // namespace warpseq::blastdbcmd

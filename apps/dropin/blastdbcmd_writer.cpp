#include "apps/dropin/blastdbcmd_writer.h"

#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include "formats/blast/blast_seqid_parser.h"
#include "options/arguments.h"
#include "reports/blast/blast_defline.h"

namespace warpseq::blastdbcmd {
namespace {

using Kind = BlastSeqId::Kind;
using Comparison = BlastSeqId::Comparison;

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
constexpr std::string_view kUnknown = "N/A";
constexpr SeqIdReading kTargetReading{.takes_any_local = false};

/// Whether `ids` has the wanted identifier. The first identifier of the wanted kind decides.
bool has_id(const std::vector<BlastSeqId>& ids, const BlastSeqId& wanted) {
    for (const BlastSeqId& id : ids) {
        const Comparison result = id.compare(wanted);
        if (result != Comparison::kOtherKind) return result == Comparison::kSame;
    }
    return false;
}

BlastSeqId local_id(const std::string& name) { return {.kind = Kind::kLocal, .second = name}; }

/// Returns the definition line for FASTA that has the identifier `target`. A number stands for a
/// GI, and 0 for all lines. Returns an error if no line has it.
Result<std::vector<StoredDefline>> fasta_lines(const std::vector<StoredDefline>& lines, const std::string& target) {
    BlastSeqId wanted;
    if (const auto number = whole_number_of(target)) {
        if (*number == 0) return lines;
        wanted = {.kind = Kind::kGi, .second = std::to_string(*number)};
    } else {
        auto id = parse_seqid(target, kTargetReading);
        if (!id.ok()) return id.status();
        wanted = *std::move(id);
    }
    const BlastSeqId as_local = local_id(wanted.label(true));
    for (const StoredDefline& line : lines)
        if (has_id(line.ids, wanted) || has_id(line.ids, as_local)) return std::vector{line};
    return Status::invalid_input("Error: oid headers do not contain target gi/seq_id.");
}

/// Returns the definition line that has the identifier or GI `target`, for formats other than
/// FASTA. Returns an error if no line has it.
Result<std::vector<StoredDefline>> table_lines(const std::vector<StoredDefline>& lines, const std::string& target) {
    const auto id = parse_seqid(target, kTargetReading);
    if (!id.ok()) return id.status();
    const auto number = whole_number_of(target);
    for (const StoredDefline& line : lines) {
        const bool is_wanted = std::ranges::any_of(line.ids, [&](const BlastSeqId& each) {
            return each.compare(*id) == Comparison::kSame ||
                   (number && each.kind == Kind::kGi && each.second == std::to_string(*number));
        });
        if (is_wanted) return std::vector{line};
    }
    return Status::invalid_input("Failed to find target id " + target);
}

/// Returns the titles of all lines as one text. All titles but the first have the line's
/// identifiers before them.
std::string joined_titles(const std::vector<StoredDefline>& lines) {
    std::string title;
    for (const StoredDefline& line : lines) {
        if (!title.empty()) title += ' ';
        if (&line != &lines.front()) {
            title += '>';
            for (const BlastSeqId& id : line.ids) title += (&id == &line.ids.front() ? "" : "|") + id.fasta();
            if (line.has_title && !line.ids.empty()) title += ' ';
        }
        title += line.title;
    }
    return title;
}

/// Returns titles in which short identifiers stand for long ones. A text that only looks like the
/// beginning of another definition line stays as it is.
std::string with_short_ids(std::string_view titles, bool has_ctrl_a) {
    constexpr std::string_view kSeparator = " >";
    const SeqIdReading kinds_only{.finds_accessions = false, .takes_local = false};
    std::string out;
    for (bool is_first = true;; is_first = false) {
        const std::size_t end = std::min(titles.find(kSeparator), titles.size());
        const std::string_view part = titles.substr(0, end);
        if (is_first) {
            out += part;
        } else {
            const std::size_t blank = std::min(part.find(' '), part.size());
            std::vector<BlastSeqId> ids;
            if (const Status read = parse_seqids(part.substr(0, blank), kinds_only, ids); !read.ok() && ids.empty()) {
                out += kSeparator;
                out += part;
            } else if (const BlastSeqId* const id = shown_seqid(ids); id == nullptr) {
                out += kSeparator;
                out += part;
            } else {
                out += has_ctrl_a ? std::string_view("\x01") : kSeparator;
                out += id->shown();
                out += part.substr(blank);
            }
        }
        if (end == titles.size()) return out;
        titles.remove_prefix(end + kSeparator.size());
    }
}

/// Returns a GI, if there is one, and then the accession or another identifier.
std::string long_id(const std::vector<BlastSeqId>& ids) {
    std::string text;
    for (const BlastSeqId& id : ids)
        if (id.kind == Kind::kGi) text = id.fasta() + "|";
    std::vector<BlastSeqId> others;
    std::ranges::copy_if(ids, std::back_inserter(others), [](const BlastSeqId& id) { return id.kind != Kind::kGi; });
    const BlastSeqId* const other = shown_seqid(others);
    if (other == nullptr) return text.substr(0, text.size() - std::min<std::size_t>(text.size(), 1));
    return text + other->fasta();
}

/// Returns the title that NCBI's program gives a sequence without one. It is empty except for
/// sequences of patents and of PDB.
std::string made_up_title(const BlastSeqId& id) {
    if (id.kind == Kind::kPdb && !id.second.empty()) return "Chain " + id.second;
    if (id.kind != Kind::kPatent) return "";
    return "Sequence " + std::to_string(id.number) + " from Patent " + id.first + " " + id.second;
}

/// Returns residues as NCBI's program has them in all formats except FASTA. Gaps and stops have no
/// letter there and become the byte 0xff.
std::string in_amino_acid_letters(std::string letters) {
    for (char& c : letters)
        if (c == '-' || c == '*') c = '\xff';
    return letters;
}

bool is_third_party(const BlastSeqId& id) {
    return id.kind == Kind::kTpg || id.kind == Kind::kTpe || id.kind == Kind::kTpd;
}

}  // namespace

Result<SequenceWriter> SequenceWriter::make(const BlastArguments& arguments, bool has_long_ids, TaxonLookup& taxa,
                                            OutputSink& output) {
    SequenceWriter writer(taxa, output);
    writer.width_ = static_cast<std::uint64_t>(*whole_number_of(arguments.text("line_length")));
    writer.has_long_ids_ = has_long_ids;
    writer.has_ctrl_a_ = arguments.has("ctrl_a");
    writer.are_all_ = arguments.text("entry") == "all";
    const std::string format = arguments.text("outfmt");
    writer.is_fasta_ = format.find("%f") != std::string::npos;
    if (writer.is_fasta_) return writer;
    std::string between;
    for (std::size_t i = 0; i < format.size(); ++i) {
        if (format[i] != '%') {
            between += format[i];
            continue;
        }
        const char letter = ++i < format.size() ? format[i] : '\0';
        if (letter == '%') {
            between += letter;
            continue;
        }
        writer.letters_ += letter;
        writer.between_.push_back(std::exchange(between, {}));
    }
    writer.between_.push_back(between);
    if (writer.letters_.empty()) return Status::invalid_input("Invalid format specification");
    // A format that has one of these letters gets a line for each definition line. Any other format
    // gets a line for each sequence.
    writer.has_lines_ = writer.letters_.find_first_of("aigtTXPLBKSCNen") != std::string::npos;
    writer.has_letters_ = writer.letters_.find_first_of("shl") != std::string::npos;
    return writer;
}

Status SequenceWriter::write(const Sequence& sequence, std::uint64_t number, const Range& range,
                             const std::string& target) {
    const std::string coded = is_fasta_ ? std::string() : in_amino_acid_letters(sequence.letters);
    const std::string_view letters = is_fasta_ ? std::string_view(sequence.letters) : std::string_view(coded);
    // BLAST+ ignores a range that begins behind the end of the sequence.
    const std::uint64_t last = std::min<std::uint64_t>(range.last, letters.size());
    const bool is_part = range.is_given && range.first < last;
    const std::string_view part = is_part ? letters.substr(range.first, last - range.first) : letters;
    if (is_fasta_) {
        // NCBI's program looks taxa up for FASTA, too. Only its messages about the taxdb show that.
        const auto has_taxid = [](const StoredDefline& line) { return line.taxid != 0; };
        if (std::ranges::any_of(sequence.lines, has_taxid)) taxa_->open();
        const std::string positions =
            is_part ? std::to_string(range.first + 1) + "-" + std::to_string(last) : std::string();
        if (target.empty()) {
            WARPSEQ_TRY(add_fasta(sequence.lines, part, positions));
        } else {
            const auto lines = fasta_lines(sequence.lines, target);
            if (!lines.ok()) return lines.status();
            WARPSEQ_TRY(add_fasta(*lines, part, positions));
        }
    } else if (!has_lines_) {
        WARPSEQ_TRY(add_line({}, number, letters, part));
    } else if (target.empty()) {
        for (const StoredDefline& line : sequence.lines) WARPSEQ_TRY(add_line(line, number, letters, part));
    } else {
        const auto lines = table_lines(sequence.lines, target);
        if (!lines.ok()) return lines.status();
        WARPSEQ_TRY(add_line(lines->front(), number, letters, part));
    }
    return text_.size() < kPieceBytes ? Status() : flush();
}

Status SequenceWriter::flush() {
    WARPSEQ_TRY(output_->write(text_));
    text_.clear();
    return {};
}

Status SequenceWriter::add_fasta(const std::vector<StoredDefline>& lines, std::string_view letters,
                                 const std::string& positions) {
    const std::vector<BlastSeqId>& ids = lines.front().ids;
    // NCBI's blastdbcmd writes a whole sequence under its long identifier only once. If all
    // sequences are written, there is no need to remember their identifiers.
    if (has_long_ids_ && !are_all_ && positions.empty()) {
        for (const BlastSeqId& id : ids)
            if (!written_.insert(id.fasta()).second)
                return Status::invalid_input("Duplicate Seq-id " + id.fasta() + " in FASTA output");
    }
    std::string titles = joined_titles(lines);
    std::string text;
    if (has_long_ids_) {
        if (has_ctrl_a_) {
            constexpr std::string_view kGi = " >gi|";
            for (std::size_t at = 0; (at = titles.find(kGi, at)) != std::string::npos; ++at)
                titles.replace(at, 2, "\x01");
        }
        if (titles.empty() && !ids.empty()) titles = made_up_title(*shown_seqid(ids));
        const bool is_tpa = !ids.empty() && is_third_party(*shown_seqid(ids));
        text = long_id(ids) + (positions.empty() ? "" : ":" + positions) + " " + marked_title(titles, is_tpa);
        text.erase(text.find_last_not_of(' ') + 1);
    } else if (!ids.empty()) {
        const std::string place = positions.empty() ? "" : ":" + positions + " ";
        if (ids.front().kind == Kind::kGeneral && ids.front().first == "BL_ORD_ID") {
            text = place + titles;
        } else {
            const std::string gap = place.empty() ? " " : place;
            text = ids.front().kind == Kind::kLocal
                       ? ids.front().second + gap + titles
                       : shown_seqid(ids)->shown() + gap + with_short_ids(titles, has_ctrl_a_);
        }
    }
    text_ += ">" + text + "\n";
    for (std::size_t at = 0; at < letters.size(); at += width_) {
        text_ += letters.substr(at, width_);
        text_ += '\n';
    }
    return {};
}

std::string SequenceWriter::taxon_name(std::int64_t taxid, char letter) const {
    const auto names = taxa_->find(taxid);
    if (!names) return std::string(kUnknown);
    const std::string& name = letter == 'L' || letter == 'C'   ? names->common
                              : letter == 'S' || letter == 'N' ? names->scientific
                              : letter == 'B'                  ? names->blast
                                                               : names->kingdom;
    const bool is_missing = name.empty() || (name == "-" && (letter == 'B' || letter == 'K'));
    return is_missing ? std::string(kUnknown) : name;
}

Status SequenceWriter::add_line(const StoredDefline& line, std::uint64_t number, std::string_view letters,
                                std::string_view part) {
    const BlastSeqId* const id = shown_seqid(line.ids);
    for (std::size_t i = 0; i < letters_.size(); ++i) {
        text_ += between_[i];
        switch (letters_[i]) {
            case 'a': text_ += id != nullptr ? id->shown() : ""; break;
            case 'i': text_ += id != nullptr ? id->fasta() : ""; break;
            case 'g': {
                const auto gi = std::ranges::find(line.ids, Kind::kGi, &BlastSeqId::kind);
                text_ += gi != line.ids.end() ? std::string_view(gi->second) : kUnknown;
                break;
            }
            case 'o': text_ += std::to_string(number); break;
            case 't': text_ += line.has_title ? std::string_view(line.title) : kUnknown; break;
            case 'l': text_ += std::to_string(letters.size()); break;
            case 's': text_ += part; break;
            case 'h': {
                const auto* const bytes = reinterpret_cast<const Bytef*>(letters.data());
                char hash[16];
                // NCBI's checksum leaves out the last step of the usual one.
                std::snprintf(hash, sizeof hash, "0X%lX", crc32_z(0, bytes, letters.size()) ^ 0xffff'fffful);
                text_ += hash;
                break;
            }
            case 'T':
            case 'X': text_ += std::to_string(line.taxid); break;
            case 'e': text_ += std::to_string(line.memberships); break;
            case 'P': text_ += std::to_string(line.ipg); break;
            case 'L':
            case 'C':
            case 'S':
            case 'N':
            case 'B':
            case 'K': text_ += taxon_name(line.taxid, letters_[i]); break;
            case 'n': text_ += kUnknown; break;
            default:
                return Status::invalid_input("Unrecognized format specification: '%" + std::string(1, letters_[i]) +
                                             "'");
        }
    }
    text_ += between_.back() + "\n";
    return {};
}

}  // namespace warpseq::blastdbcmd

#include "reports/blast/blast_defline.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "formats/blast/blast_database.h"
#include "formats/blast/blast_seqid_parser.h"
#include "reports/blast/blastp_report_text.h"

namespace warpseq {
namespace {

/// Returns the identifiers as tables have them: the first GI, and behind it the other identifier
/// that is shown. A local name has no "lcl|".
std::string table_id(const std::vector<BlastSeqId>& ids) {
    const auto gi = std::ranges::find(ids, BlastSeqId::Kind::kGi, &BlastSeqId::kind);
    std::string text = gi == ids.end() ? "" : gi->fasta();
    const BlastSeqId& other = *shown_seqid(ids);
    if (other.kind == BlastSeqId::Kind::kGi) return text;
    return text + (text.empty() ? "" : "|") + (other.kind == BlastSeqId::Kind::kLocal ? other.second : other.fasta());
}

/// Returns the index at which the first word of a title ends, and the one at which the rest begins.
std::pair<std::size_t, std::size_t> parts_of(std::string_view title) {
    const std::size_t blank = std::min(title.find_first_of(" \t"), title.size());
    return {blank, std::min(title.find_first_not_of(" \t", blank), title.size())};
}

/// Returns the title for a sequence that has only an identifier.
std::string title_of(const BlastSeqId& id) {
    if (id.kind == BlastSeqId::Kind::kPatent)
        return "Sequence " + std::to_string(id.number) + " from Patent " + id.first + " " + id.second;
    if (id.kind == BlastSeqId::Kind::kPdb && !id.second.empty()) return "Chain " + id.second;
    return BlastDefline().untitled;
}

}  // namespace

std::string_view BlastDefline::accession_without_version() const {
    return std::string_view(accession).substr(0, accession.size() - version_bytes);
}

std::string BlastDefline::summary() const { return label + " " + marked_title(shown_title(), is_third_party()); }

std::string marked_title(std::string_view title, bool is_third_party) {
    return cleaned_title(title, is_third_party ? "TPA: " : "");
}

std::vector<BlastSeqId> defline_ids(std::string_view word) {
    std::vector<BlastSeqId> ids;
    const SeqIdReading reading{.takes_parts = false};
    // A word with bars that is no identifier of a known kind is a name as a whole.
    if (!parse_seqids(word, reading, ids).ok() || ids.empty())
        ids = {{.kind = BlastSeqId::Kind::kLocal, .second = std::string(word)}};
    return ids;
}

BlastDefline parse_defline(std::string_view title) {
    BlastDefline line;
    const auto [end, text] = parts_of(title);
    line.title = title.substr(text);
    const auto ids = defline_ids(title.substr(0, end));
    const BlastSeqId& shown = *shown_seqid(ids);
    for (const BlastSeqId& id : ids)
        if (id.kind == BlastSeqId::Kind::kGi && line.gi.empty()) line.gi = id.second;
    line.id = shown.fasta();
    line.untitled = title_of(shown);
    line.full_id = table_id(ids);
    line.accession = shown.label(true);
    line.version_bytes = line.accession.size() - shown.label(false).size();
    line.label = shown.shown();
    const auto general = std::ranges::find(ids, BlastSeqId::Kind::kGeneral, &BlastSeqId::kind);
    const bool is_general = shown.kind == BlastSeqId::Kind::kLocal && general != ids.end();
    line.label_in_list = is_general ? general->shown() : line.label;
    line.has_public_accession = shown.is_textual() && !shown.first.empty();
    return line;
}

std::vector<BlastDefline> parse_deflines(std::string_view header, bool has_taxids) {
    std::vector<BlastDefline> lines;
    for (;;) {
        const std::size_t end = std::min(header.find('\x01'), header.size());
        std::string_view text = header.substr(0, end);
        std::uint64_t taxid = 0;
        if (has_taxids) text = without_taxid(text, taxid);
        lines.push_back(parse_defline(target_title(text)));
        lines.back().taxid = taxid;
        if (end == header.size()) return lines;
        header.remove_prefix(end + 1);
    }
}

StoredDefline stored_defline(std::string_view text, bool has_taxids) {
    StoredDefline line;
    if (has_taxids) {
        std::uint64_t taxid = 0;
        text = without_taxid(text, taxid);
        line.taxid = static_cast<std::int64_t>(taxid);
    }
    const std::string title = target_title(text);
    const auto [end, rest] = parts_of(title);
    line.ids = defline_ids(std::string_view(title).substr(0, end));
    line.id = table_id(line.ids);
    line.title = title.substr(rest);
    line.has_title = true;
    return line;
}

}  // namespace warpseq

#include "apps/search/report/fields.h"

#include <algorithm>
#include <cstdio>

#include "formats/fasta.h"

namespace warpseq {

namespace {

/// What is printed where a value is not known, as BLAST does.
constexpr std::string_view kUnknown = "N/A";

void append_percent(double part, double whole, const char* format, std::string& out) {
    char text[32];
    std::snprintf(text, sizeof text, format, whole > 0 ? 100 * part / whole : 0.0);
    out += text;
}

/// Whole per cent of the query that the alignment covers.
void append_query_coverage(const Row& row, std::string& out) {
    const auto covered = static_cast<double>(row.query_end - row.query_start + 1);
    out += std::to_string(static_cast<int>(0.5 + 100 * covered / static_cast<double>(row.query_residues)));
}

void append_query_id(const Row& row, std::string& out) { out += identifier_of(row.query_header); }
void append_target_id(const Row& row, std::string& out) { out += identifier_of(row.target_header); }
void append_target_title(const Row& row, std::string& out) { out += description_of(row.target_header); }

using R = const Row&;
using S = std::string&;

constexpr Field kFields[] = {
    {"qseqid", "query id", kNeedsNothing, append_query_id},
    {"qacc", "query acc.", kNeedsNothing, append_query_id},
    {"qaccver", "query acc.ver", kNeedsNothing, append_query_id},
    {"qtitle", "query title", kNeedsNothing, [](R row, S out) { out += description_of(row.query_header); }},
    {"qlen", "query length", kNeedsNothing, [](R row, S out) { out += std::to_string(row.query_residues); }},
    {"sseqid", "subject id", kNeedsHeader, append_target_id},
    {"sallseqid", "subject ids", kNeedsHeader, append_target_id},
    {"sacc", "subject acc.", kNeedsHeader, append_target_id},
    {"saccver", "subject acc.ver", kNeedsHeader, append_target_id},
    {"stitle", "subject title", kNeedsHeader, append_target_title},
    {"salltitles", "subject titles", kNeedsHeader, append_target_title},
    {"slen", "subject length", kNeedsNothing, [](R row, S out) { out += std::to_string(row.target_residues); }},
    {"qstart", "q. start", kNeedsAlignment, [](R row, S out) { out += std::to_string(row.query_start); }},
    {"qend", "q. end", kNeedsAlignment, [](R row, S out) { out += std::to_string(row.query_end); }},
    {"sstart", "s. start", kNeedsAlignment, [](R row, S out) { out += std::to_string(row.target_start); }},
    {"send", "s. end", kNeedsAlignment, [](R row, S out) { out += std::to_string(row.target_end); }},
    {"qseq", "query seq", kNeedsText, [](R row, S out) { out += row.text.query; }},
    {"sseq", "subject seq", kNeedsText, [](R row, S out) { out += row.text.target; }},
    {"evalue", "evalue", kNeedsNothing,
     [](R row, S out) { out += row.evalue ? format_evalue(*row.evalue, false) : std::string(kUnknown); }},
    {"bitscore", "bit score", kNeedsNothing,
     [](R row, S out) { out += row.bits ? format_bits(*row.bits) : std::string(kUnknown); }},
    {"score", "score", kNeedsNothing, [](R row, S out) { out += std::to_string(row.score_raw); }},
    {"length", "alignment length", kNeedsAlignment, [](R row, S out) { out += std::to_string(row.counts.columns); }},
    {"pident", "% identity", kNeedsAlignment,
     [](R row, S out) {
         append_percent(static_cast<double>(row.counts.identities), static_cast<double>(row.counts.columns), "%.3f",
                        out);
     }},
    {"nident", "identical", kNeedsAlignment, [](R row, S out) { out += std::to_string(row.counts.identities); }},
    {"mismatch", "mismatches", kNeedsAlignment, [](R row, S out) { out += std::to_string(row.counts.mismatches); }},
    {"positive", "positives", kNeedsAlignment, [](R row, S out) { out += std::to_string(row.counts.positives); }},
    {"gapopen", "gap opens", kNeedsAlignment, [](R row, S out) { out += std::to_string(row.counts.gap_openings); }},
    {"gaps", "gaps", kNeedsAlignment, [](R row, S out) { out += std::to_string(row.counts.gap_columns); }},
    {"ppos", "% positives", kNeedsAlignment,
     [](R row, S out) {
         append_percent(static_cast<double>(row.counts.positives), static_cast<double>(row.counts.columns), "%.2f",
                        out);
     }},
    {"qcovs", "% query coverage per subject", kNeedsAlignment, append_query_coverage},
    {"qcovhsp", "% query coverage per hsp", kNeedsAlignment, append_query_coverage},
    {"btop", "BTOP", kNeedsText, [](R row, S out) { out += btop(row.text); }},
    {"sstrand", "subject strand", kNeedsNothing,
     [](R row, S out) { out += !row.minus   ? kUnknown
                               : *row.minus ? "minus"
                                            : "plus"; }},
    {"cigar", "CIGAR", kNeedsCigar, [](R row, S out) { out += row.cigar; }},
};

}  // namespace

Result<std::vector<const Field*>> parse_fields(std::string_view names, std::string_view defaults) {
    std::vector<const Field*> fields;
    std::string_view rest = names.find_first_not_of(" \t") == std::string_view::npos ? defaults : names;
    while (true) {
        const std::size_t begin = rest.find_first_not_of(" \t");
        if (begin == std::string_view::npos) return fields;
        rest.remove_prefix(begin);
        const std::string_view name = rest.substr(0, rest.find_first_of(" \t"));
        rest.remove_prefix(name.size());
        if (name == "std") {
            const auto standard = parse_fields(kStandardFields);
            fields.insert(fields.end(), standard->begin(), standard->end());
            continue;
        }
        const auto* field = std::ranges::find(kFields, name, &Field::name);
        if (field == std::end(kFields)) {
            std::string known = "std";
            for (const Field& each : kFields) known += " " + std::string(each.name);
            return Status::usage("--outfmt: unknown field '" + std::string(name) + "'; the fields are: " + known);
        }
        fields.push_back(field);
    }
}

unsigned needs_of(const std::vector<const Field*>& fields) {
    unsigned needs = kNeedsNothing;
    for (const Field* field : fields) needs |= field->needs;
    return needs;
}

}  // namespace warpseq

#include "apps/search/report/fields.h"

#include <algorithm>
#include <cstdio>

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
    const auto covered = static_cast<double>(row.hit.alignment.query_end - row.hit.alignment.query_begin);
    out += std::to_string(static_cast<int>(0.5 + 100 * covered / static_cast<double>(row.query.residues.size())));
}

void append_query_id(const Row& row, std::string& out) { out += identifier_of(row.query.header); }
void append_target_id(const Row& row, std::string& out) { out += identifier_of(row.hit.target_header); }
void append_target_title(const Row& row, std::string& out) { out += description_of(row.hit.target_header); }

using R = const Row&;
using S = std::string&;

constexpr Field kFields[] = {
    {"qseqid", "query id", false, false, append_query_id},
    {"qacc", "query acc.", false, false, append_query_id},
    {"qaccver", "query acc.ver", false, false, append_query_id},
    {"qtitle", "query title", false, false, [](R row, S out) { out += description_of(row.query.header); }},
    {"qlen", "query length", false, false, [](R row, S out) { out += std::to_string(row.query.residues.size()); }},
    {"sseqid", "subject id", true, false, append_target_id},
    {"sallseqid", "subject ids", true, false, append_target_id},
    {"sacc", "subject acc.", true, false, append_target_id},
    {"saccver", "subject acc.ver", true, false, append_target_id},
    {"stitle", "subject title", true, false, append_target_title},
    {"salltitles", "subject titles", true, false, append_target_title},
    {"slen", "subject length", false, false, [](R row, S out) { out += std::to_string(row.hit.target_residues); }},
    {"qstart", "q. start", false, true, [](R row, S out) { out += std::to_string(row.hit.alignment.query_begin + 1); }},
    {"qend", "q. end", false, true, [](R row, S out) { out += std::to_string(row.hit.alignment.query_end); }},
    {"sstart", "s. start", false, true,
     [](R row, S out) { out += std::to_string(row.hit.alignment.target_begin + 1); }},
    {"send", "s. end", false, true, [](R row, S out) { out += std::to_string(row.hit.alignment.target_end); }},
    {"qseq", "query seq", false, true, [](R row, S out) { out += row.text.query; }},
    {"sseq", "subject seq", false, true, [](R row, S out) { out += row.text.target; }},
    {"evalue", "evalue", false, false,
     [](R row, S out) {
         out += row.run.statistics ? format_evalue(row.hit.hit.evalue, false) : std::string(kUnknown);
     }},
    {"bitscore", "bit score", false, false,
     [](R row, S out) {
         out +=
             row.run.statistics ? format_bits(row.run.statistics->bits(row.hit.hit.score_raw)) : std::string(kUnknown);
     }},
    {"score", "score", false, false, [](R row, S out) { out += std::to_string(row.hit.hit.score_raw); }},
    {"length", "alignment length", false, true, [](R row, S out) { out += std::to_string(row.counts.columns); }},
    {"pident", "% identity", false, true,
     [](R row, S out) {
         append_percent(static_cast<double>(row.counts.identities), static_cast<double>(row.counts.columns), "%.3f",
                        out);
     }},
    {"nident", "identical", false, true, [](R row, S out) { out += std::to_string(row.counts.identities); }},
    {"mismatch", "mismatches", false, true, [](R row, S out) { out += std::to_string(row.counts.mismatches); }},
    {"positive", "positives", false, true, [](R row, S out) { out += std::to_string(row.counts.positives); }},
    {"gapopen", "gap opens", false, true, [](R row, S out) { out += std::to_string(row.counts.gap_openings); }},
    {"gaps", "gaps", false, true, [](R row, S out) { out += std::to_string(row.counts.gap_columns); }},
    {"ppos", "% positives", false, true,
     [](R row, S out) {
         append_percent(static_cast<double>(row.counts.positives), static_cast<double>(row.counts.columns), "%.2f",
                        out);
     }},
    {"qcovs", "% query coverage per subject", false, true, append_query_coverage},
    {"qcovhsp", "% query coverage per hsp", false, true, append_query_coverage},
    {"btop", "BTOP", false, true, [](R row, S out) { out += btop(row.text); }},
    {"cigar", "CIGAR", false, true, [](R row, S out) { out += cigar(row.hit.alignment); }},
};

constexpr std::string_view kStandardFields =
    "qaccver saccver pident length mismatch gapopen qstart qend sstart send evalue bitscore";

}  // namespace

Result<std::vector<const Field*>> parse_fields(std::string_view names) {
    std::vector<const Field*> fields;
    std::string_view rest = names.find_first_not_of(" \t") == std::string_view::npos ? kStandardFields : names;
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

}  // namespace warpseq

#include "reports/fields.h"

#include <algorithm>
#include <cstdio>
#include <span>
#include <utility>

#include "formats/fasta/fasta.h"
#include "libcore/base/append_printf.h"

namespace warpseq {

namespace {

/// The text for a value that is not known, as in BLAST.
constexpr std::string_view kUnknown = "N/A";

void append_percent(double part, double whole, const char* format, std::string& out) {
    char text[32];
    std::snprintf(text, sizeof text, format, whole > 0 ? part / whole * 100 : 0.0);
    out += text;
}

/// Appends the share of the query that the alignment covers, as a whole percentage.
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

void append_unknown(const Row&, std::string& out) { out += kUnknown; }
void append_one(const Row&, std::string& out) { out += '1'; }
void append_given_id(const Row& row, std::string& out) { out += row.target_id; }
void append_given_accession(const Row& row, std::string& out) { out += row.target_bare_accession; }
void append_given_gi(const Row& row, std::string& out) { out += row.target_gi; }
void append_title(std::string_view title, std::string& out) { out += title.empty() ? kUnknown : title; }
void append_target_coverage(const Row& row, std::string& out) { out += std::to_string(row.target_coverage_percent); }
void append_hsp_coverage(const Row& row, std::string& out) { out += std::to_string(row.hsp_coverage_percent); }

// Columns about the taxa of targets in databases.
constexpr Field kTaxaFields[] = {
    {"staxid", "subject tax id", kNeedsTaxids, [](R row, S out) { out += row.taxa.taxid; }},
    {"staxids", "subject tax ids", kNeedsAllTaxids, [](R row, S out) { out += row.taxa.all_taxids; }},
    {"ssciname", "subject sci name", kNeedsTaxa, [](R row, S out) { out += row.taxa.scientific; }},
    {"sscinames", "subject sci names", kNeedsTaxa, [](R row, S out) { out += row.taxa.all_scientific; }},
    {"scomname", "subject com names", kNeedsTaxa, [](R row, S out) { out += row.taxa.common; }},
    {"scomnames", "subject com names", kNeedsTaxa, [](R row, S out) { out += row.taxa.all_common; }},
    {"sblastname", "subject blast name", kNeedsTaxa, [](R row, S out) { out += row.taxa.blast; }},
    {"sblastnames", "subject blast names", kNeedsTaxa, [](R row, S out) { out += row.taxa.all_blast; }},
    {"sskingdom", "subject super kingdom", kNeedsTaxa, [](R row, S out) { out += row.taxa.kingdom; }},
    {"sskingdoms", "subject super kingdoms", kNeedsTaxa, [](R row, S out) { out += row.taxa.all_kingdoms; }},
};

// blastp's columns that differ from those above.
constexpr Field kBlastpFields[] = {
    {"qseqid", "query id", kNeedsNothing, [](R row, S out) { out += row.query_id; }},
    {"qacc", "query acc.", kNeedsNothing, [](R row, S out) { out += row.query_bare_accession; }},
    {"qaccver", "query acc.ver", kNeedsNothing, [](R row, S out) { out += row.query_accession; }},
    {"qgi", "query gi", kNeedsNothing, [](R row, S out) { out += row.query_gi; }},
    {"sseqid", "subject id", kNeedsHeader, append_given_id},
    {"sallseqid", "subject ids", kNeedsHeader, [](R row, S out) { out += row.target_all_ids; }},
    {"sgi", "subject gi", kNeedsHeader, append_given_gi},
    {"sallgi", "subject gis", kNeedsHeader, [](R row, S out) { out += row.target_all_gis; }},
    {"sacc", "subject acc.", kNeedsHeader, append_given_accession},
    {"saccver", "subject acc.ver", kNeedsHeader, [](R row, S out) { out += row.target_accession; }},
    {"sallacc", "subject accs.", kNeedsHeader, [](R row, S out) { out += row.target_all_accessions; }},
    {"stitle", "subject title", kNeedsHeader, [](R row, S out) { append_title(row.target_title, out); }},
    {"salltitles", "subject titles", kNeedsHeader, [](R row, S out) { append_title(row.target_all_titles, out); }},
    {"bitscore", "bit score", kNeedsNothing, [](R row, S out) { out += row.bits_text; }},
    {"frames", "query/sbjct frames", kNeedsNothing, [](R, S out) { out += "1/1"; }},
    {"qframe", "query frame", kNeedsNothing, append_one},
    {"sframe", "sbjct frame", kNeedsNothing, append_one},
    {"qcovs", "% query coverage per subject", kNeedsNothing, append_target_coverage},
    {"qcovhsp", "% query coverage per hsp", kNeedsNothing, append_hsp_coverage},
    {"qcovus", "% query coverage per uniq subject", kNeedsNothing, append_unknown},
};

// Columns of domains that differ from those above or are not among them. A profile has no raw
// score. Numbers are printed as in HMMER's tables.
constexpr Field kHmmFields[] = {
    {"score", "score", kNeedsNothing, append_unknown},
    {"qcovs", "% query coverage per subject", kNeedsNothing, append_target_coverage},
    {"qcovhsp", "% query coverage per hsp", kNeedsNothing, append_hsp_coverage},
    {"hmmacc", "profile accession", kNeedsNothing,
     [](R row, S out) { out += row.domain.query_accession.empty() ? "-" : row.domain.query_accession; }},
    {"seqevalue", "full sequence evalue", kNeedsNothing,
     [](R row, S out) { append_printf(out, "%.2g", row.domain.target_evalue); }},
    {"seqscore", "full sequence score", kNeedsNothing,
     [](R row, S out) { append_printf(out, "%.1f", row.domain.target_bits); }},
    {"seqbias", "full sequence bias", kNeedsNothing,
     [](R row, S out) { append_printf(out, "%.1f", row.domain.target_bias_bits); }},
    {"domain", "domain number", kNeedsNothing, [](R row, S out) { out += std::to_string(row.domain.number); }},
    {"domains", "domains", kNeedsNothing, [](R row, S out) { out += std::to_string(row.domain.count); }},
    {"cevalue", "conditional evalue", kNeedsNothing,
     [](R row, S out) { append_printf(out, "%.2g", row.domain.conditional_evalue); }},
    {"bias", "bias", kNeedsNothing, [](R row, S out) { append_printf(out, "%.1f", row.domain.bias_bits); }},
    {"envstart", "env. start", kNeedsNothing, [](R row, S out) { out += std::to_string(row.domain.envelope_from); }},
    {"envend", "env. end", kNeedsNothing, [](R row, S out) { out += std::to_string(row.domain.envelope_to); }},
    {"accuracy", "mean accuracy", kNeedsNothing, [](R row, S out) { append_printf(out, "%.2f", row.domain.accuracy); }},
};

/// Takes the first word off `rest`. Returns an empty word after the last one.
std::string_view next_word(std::string_view& rest, std::string_view blanks = " \t") {
    rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
    const std::string_view word = rest.substr(0, rest.find_first_of(blanks));
    rest.remove_prefix(word.size());
    return word;
}

const Field* find_field(std::span<const Field> fields, std::string_view name) {
    const auto field = std::ranges::find(fields, name, &Field::name);
    return field == fields.end() ? nullptr : &*field;
}

/// Returns the field of this name. The engine's own fields take precedence over those of all
/// engines.
const Field* find_field(std::span<const Field> own, std::span<const Field> all, std::string_view name) {
    const Field* field = find_field(own, name);
    return field != nullptr ? field : find_field(all, name);
}

Status unknown_field(std::string_view name, std::span<const Field> own, bool has_taxa) {
    std::string known = "std";
    for (const Field& each : kFields) known += " " + std::string(each.name);
    for (const Field& each : kTaxaFields) {
        if (has_taxa) known += " " + std::string(each.name);
    }
    for (const Field& each : own) {
        if (find_field(kFields, each.name) == nullptr) known += " " + std::string(each.name);
    }
    return Status::usage("unknown field '" + std::string(name) + "'; the fields are: " + known);
}

Result<std::vector<const Field*>> parse_fields(std::string_view names, std::string_view defaults,
                                               std::span<const Field> own, bool has_taxa) {
    std::vector<const Field*> fields;
    std::string_view rest = names.find_first_not_of(" \t") == std::string_view::npos ? defaults : names;
    for (std::string_view name = next_word(rest); !name.empty(); name = next_word(rest)) {
        if (name == "std") {
            const auto standard = parse_fields(kStandardFields, {}, own, has_taxa);
            fields.insert(fields.end(), standard->begin(), standard->end());
            continue;
        }
        const Field* field = find_field(own, kFields, name);
        if (field == nullptr && has_taxa) field = find_field(kTaxaFields, name);
        if (field == nullptr) return unknown_field(name, own, has_taxa);
        fields.push_back(field);
    }
    return fields;
}

/// A text that blastp uses within columns, and these columns. It must not separate columns.
struct Separator {
    std::string_view text;
    std::string_view columns;
};
constexpr Separator kTakenSeparators[] = {
    {";", "sallseqid staxids sscinames scomnames sblastnames sskingdoms"}, {"/", "frames"}, {"<>", "salltitles"}};

/// Quotes the field that begins at `begin` and ends with `out`, if it needs quotes.
void quote_field(std::string_view separator, std::size_t begin, std::string& out) {
    const std::string_view field = std::string_view(out).substr(begin);
    if (field.find(separator) == std::string_view::npos && field.find_first_of("\"\r\n") == std::string_view::npos)
        return;
    std::string quoted = "\"";
    for (const char letter : field) {
        if (letter == '"') quoted += '"';
        quoted += letter;
    }
    out.replace(begin, std::string::npos, quoted + "\"");
}

}  // namespace

std::pair<std::string_view, std::string_view> split_outfmt(std::string_view outfmt) {
    const std::size_t blank = std::min(outfmt.find_first_of(" \t"), outfmt.size());
    return {outfmt.substr(0, blank), outfmt.substr(std::min(blank + 1, outfmt.size()))};
}

Status refuse_fields(std::string_view outfmt) {
    if (split_outfmt(outfmt).second.empty()) return {};
    return Status::usage("'" + std::string(outfmt) + "': only formats 6, 7 and 10 take field names");
}

Result<std::optional<TableLayout>> table_layout(std::string_view format, bool header) {
    const bool has_commas = format == "10";
    if (header && !has_commas && format != "6")
        return Status::usage("'" + std::string(format) + "': only formats 6 and 10 have a header row");
    if (!has_commas && format != "6" && format != "7") return std::optional<TableLayout>();
    return std::optional(TableLayout{has_commas ? "," : "\t", format == "7", header});
}

Result<std::vector<const Field*>> parse_fields(std::string_view names, std::string_view defaults) {
    return parse_fields(names, defaults, {}, false);
}

Result<std::vector<const Field*>> parse_hmm_fields(std::string_view names) {
    return parse_fields(names, kStandardFields, kHmmFields, true);
}

Result<std::vector<const Field*>> parse_sw_fields(std::string_view names) {
    return parse_fields(names, kStandardFields, {}, true);
}

Result<BlastpFields> parse_blastp_fields(std::string_view names) {
    BlastpFields parsed;
    auto& fields = parsed.fields;
    const auto add = [&](const Field* field) {
        if (std::ranges::find(fields, field) == fields.end()) fields.push_back(field);
    };
    const auto find = [](std::string_view name) {
        const Field* const field = find_field(kBlastpFields, kFields, name);
        return field != nullptr ? field : find_field(kTaxaFields, name);
    };
    const auto add_standard = [&] {
        std::string_view rest = kStandardFields;
        for (std::string_view name = next_word(rest); !name.empty(); name = next_word(rest)) add(find(name));
    };
    std::string_view rest = names;
    constexpr std::string_view kBlank = " ";
    if (names.starts_with("delim")) {
        constexpr std::string_view kDelimiter = "delim=";
        const std::string_view word = next_word(rest, kBlank);
        if (!word.starts_with(kDelimiter))
            return Status::usage("Delimiter format is invalid. Valid format is delim=<delimiter value>");
        if (word != kDelimiter) parsed.separator = word.substr(kDelimiter.size());
    }
    for (const Separator& taken : kTakenSeparators) {
        if (parsed.separator != taken.text) continue;
        std::string_view columns = taken.columns;
        for (std::string_view column = next_word(columns); !column.empty(); column = next_word(columns)) {
            if (rest.find(column) == std::string_view::npos) continue;
            return Status::usage("Your custom record separator (" + *parsed.separator +
                                 ") is also used by the format specifier (" + std::string(column) +
                                 ") to separate multiple entries. Please use a different record separator (delim "
                                 "keyword).");
        }
    }
    for (std::string_view name = next_word(rest, kBlank); !name.empty(); name = next_word(rest, kBlank)) {
        if (name == "std") {
            add_standard();
            continue;
        }
        const bool take_out = name.front() == '-';
        const Field* field = find(name.substr(take_out ? 1 : 0));
        if (field == nullptr) {
            parsed.unknown.emplace_back(name);
        } else if (take_out) {
            std::erase(fields, field);
        } else {
            add(field);
        }
    }
    if (fields.empty()) add_standard();
    return parsed;
}

FieldTable::FieldTable(std::vector<const Field*> fields, TableLayout layout)
    : fields_(std::move(fields)), layout_(std::move(layout)) {
    for (const Field* field : fields_) needs_ |= field->needs;
}

void FieldTable::fill_alignment(const Alignment& alignment, std::span<const ResidueCode> query,
                                std::span<const ResidueCode> aligned_target, const SubstitutionMatrix& matrix, Row& row,
                                std::string_view letters) const {
    if (needs(kNeedsAlignment)) row.counts = count_alignment(alignment, query, aligned_target, matrix);
    if (needs(kNeedsText)) row.text = draw_alignment(alignment, query, aligned_target, matrix, letters);
}

template <typename Append>
void FieldTable::append_fields(Append append, std::string& out) const {
    for (std::size_t f = 0; f < fields_.size(); ++f) {
        if (f > 0) out += layout_.separator;
        const std::size_t begin = out.size();
        append(*fields_[f]);
        if (layout_.header) quote_field(layout_.separator, begin, out);
    }
    out += '\n';
}

void FieldTable::append_header(std::string& out) const {
    if (layout_.header) append_fields([&](const Field& field) { out += field.name; }, out);
}

void FieldTable::append_row(const Row& row, std::string& out) const {
    append_fields([&](const Field& field) { field.append(row, out); }, out);
}

void FieldTable::append_titles(std::string& out) const {
    out += "# Fields: ";
    for (std::size_t f = 0; f < fields_.size(); ++f) {
        if (f > 0) out += ", ";
        out += fields_[f]->title;
    }
    out += '\n';
}

}  // namespace warpseq

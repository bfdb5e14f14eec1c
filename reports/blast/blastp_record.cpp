#include "reports/blast/blastp_record.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "reports/blast/blastp_report_text.h"

namespace warpseq {
namespace {

constexpr std::string_view kReference =
    "Stephen F. Altschul, Thomas L. Madden, Alejandro A. Sch&auml;ffer, Jinghui Zhang, Zheng Zhang, Webb Miller, and "
    "David J. Lipman "
    "(1997), \"Gapped BLAST and PSI-BLAST: a new generation of protein database search programs\", Nucleic Acids Res. "
    "25:3389-3402.";

/// Residues whose pairs with other letters are no positives. Unlike in tables and pairwise text, J
/// is not among them and U is.
constexpr std::array<ResidueCode, 3> kWithoutPositives = {kCodeU, kCodeO, kCodeStop};

/// Rounds to as many significant digits as blastp prints.
double rounded(double value, int digits) {
    char text[32];
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    return std::strtod(text, nullptr);
}
constexpr int kScoreDigits = 6, kStatisticsDigits = 15;

std::string filter_of(const BlastpSettings& settings) {
    std::string filter;
    if (const auto& seg = settings.seg) {
        const SegParameters usual;
        if (seg->window_residues == usual.window_residues && seg->low_bits == usual.low_bits &&
            seg->high_bits == usual.high_bits) {
            filter = "L;";
        } else {
            char text[64];
            std::snprintf(text, sizeof text, "S %d %1.1f %1.1f;", seg->window_residues, seg->low_bits, seg->high_bits);
            filter = text;
        }
    }
    if (settings.soft_masking) filter += "m;";
    return filter.empty() ? "F" : filter;
}

std::string warning_of_pyrrolysine(const std::vector<ResidueCode>& residues) {
    constexpr std::size_t kMostPositions = 20;
    std::string positions;
    std::size_t count = 0;
    for (std::size_t i = 0; i < residues.size(); ++i) {
        if (residues[i] != kCodeO || ++count > kMostPositions) continue;
        positions += (count == 1 ? "" : ", ") + std::to_string(i);
    }
    if (count == 0) return "";
    if (count > kMostPositions) positions += ",... (only first " + std::to_string(kMostPositions) + " shown)";
    return "One or more O characters replaced by X for alignment score calculations at positions " + positions + " ";
}

/// Returns the name that precedes warnings.
std::string name_in_warnings(const BlastpNames& names, const BlastpQuery& query, std::uint64_t number) {
    constexpr std::size_t kLongestName = 35, kShownOfLonger = 25;
    const QueryNames named = name_query(names, query.header, number);
    std::string name = names.parses_queries ? std::string() : named.id;
    if (!named.shown.empty()) name += (name.empty() ? "" : " ") + named.shown;
    return name.size() > kLongestName ? name.substr(0, kShownOfLonger) + ".. " : name;
}

std::string warnings_of(const BlastpSettings& settings, const BlastpQuery& query) {
    std::string warnings;
    if (settings.has_lost_composition) {
        warnings = "Composition-based statistics cannot be used with the " + settings.scheme.matrix.name() +
                   " matrix, resetting the composition-based statistics option to 0 ";
    }
    if (query.residues.empty()) {
        warnings += "Sequence contains no data ";
    } else if (!query.ungapped) {
        warnings +=
            "Could not calculate ungapped Karlin-Altschul parameters due to an invalid query sequence or its "
            "translation. Please verify "
            "the query sequence(s) and/or filtering options ";
    }
    return warnings + warning_of_pyrrolysine(query.residues);
}

/// Returns the messages about a query. Warnings follow the query's name. blastp prints the name
/// twice, the second time for errors that never come.
std::string message_of(const BlastpRun& run, const BlastpResult& result) {
    std::string message;
    if (const std::string warnings = warnings_of(run.settings, result.query); !warnings.empty()) {
        const std::string name = name_in_warnings(run.names, result.query, result.number);
        message = name + ":  " + name + ": " + warnings;
    }
    if (result.hits.empty()) message += std::string(message.empty() ? "" : " ") + "No hits found";
    return message;
}

HspRecord describe_hsp(const BlastpRun& run, const BlastpQuery& query, const Hsp& hsp,
                       std::span<const ResidueCode> aligned, const SubstitutionMatrix& positives) {
    const Alignment alignment{hsp.score_raw,    hsp.query_begin, hsp.query_end,
                              hsp.target_begin, hsp.target_end,  hsp.runs};
    HspRecord record;
    record.bits = rounded(statistics_of(query, run.statistics).bits(hsp.score_raw), kScoreDigits);
    record.score_raw = hsp.score_raw;
    record.evalue = hsp.evalue < kLowestEvalue ? 0 : rounded(hsp.evalue, kScoreDigits);
    record.query_from = run.query_begin + hsp.query_begin + 1;
    record.query_to = run.query_begin + hsp.query_end;
    record.target_from = run.target_begin + hsp.target_begin + 1;
    record.target_to = run.target_begin + hsp.target_end;
    record.counts = count_alignment(alignment, query.residues, aligned, positives);
    record.text = draw_alignment(alignment, query.residues, aligned, positives);
    // Unlike in pairwise text, masked stretches that begin before the alignment are not shown.
    const auto first = std::ranges::lower_bound(query.masked, hsp.query_begin, {}, &QueryStretch::begin);
    show_masked({first, query.masked.end()}, hsp.query_begin, record.text.query);
    return record;
}

/// Returns the accession without its version. For a general identifier, such as "gnl|mydb|tag7", it
/// is the tag alone.
std::string record_accession(const BlastDefline& line) {
    if (line.id.starts_with("gnl|")) return line.id.substr(line.id.rfind('|') + 1);
    return std::string(line.accession_without_version());
}

}  // namespace

std::string valid_utf8(const std::string& text) {
    using nlohmann::json;
    return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
}

std::string query_warning(const BlastpNames& names, const BlastpSettings& settings, const BlastpQuery& query,
                          std::uint64_t number) {
    const std::string warnings = warnings_of(settings, query);
    return warnings.empty() ? "" : name_in_warnings(names, query, number) + ": " + warnings;
}

std::string empty_database_warning(const BlastpNames& names, const BlastpQuery& query, std::uint64_t number) {
    return name_in_warnings(names, query, number) + ": Filtering resulted in an empty database. ";
}

std::string empty_subject_warning(const BlastpNames& names, std::uint64_t position, std::string_view header) {
    BlastpHit subject;
    subject.position = position;
    const TargetNames target = name_target(names, subject, header);
    const bool has_ids = !target.lines.front().full_id.empty();
    return target.anchor + " " + (has_ids ? target.title : std::string(query_title(header))) +
           ": Subject sequence contains no data";
}

RunRecord describe_run(const BlastpRun& run) {
    RunRecord record;
    record.version = valid_utf8(run.names.version);
    record.reference = kReference;
    record.are_subjects = run.names.are_subjects;
    record.databases = valid_utf8(run.names.databases);
    record.matrix = run.settings.scheme.matrix.name();
    record.evalue = std::min(run.settings.evalue, std::numeric_limits<double>::max());  // JSON has no infinity
    record.gap_open = run.settings.scheme.gaps.open;
    record.gap_extend = run.settings.scheme.gaps.extend;
    record.is_ungapped = run.settings.ungapped;
    record.filter = filter_of(run.settings);
    record.composition_mode = static_cast<int>(run.settings.composition);
    record.database_sequences = run.names.are_subjects ? 0 : run.databases.sequence_count();
    record.database_residues = run.names.are_subjects ? 0 : run.databases.residue_count();
    return record;
}

QueryRecord describe_query(const BlastpRun& run, const BlastpResult& result) {
    const BlastpQuery& query = result.query;
    QueryNames names = name_query(run.names, query.header, result.number);
    const KarlinAltschulParameters& used = statistics_of(query, run.statistics).gapped();
    QueryRecord record;
    record.number = result.number;
    record.id = valid_utf8(names.id);
    record.title = valid_utf8(names.title);
    record.residues = query.residues.size();
    // blastp omits a single stretch that is the whole query. It does not omit several stretches
    // that together are the whole query.
    const bool all_in_one =
        query.masked.size() == 1 && query.masked[0].begin == 0 && query.masked[0].end == record.residues;
    if (!all_in_one) record.masked = query.masked;
    record.length_adjustment = result.length_adjustment;
    record.effective_search_space = result.effective_search_space;
    record.k = query.ungapped ? rounded(used.k, kStatisticsDigits) : -1;
    record.lambda = query.ungapped ? rounded(used.lambda, kStatisticsDigits) : -1;
    record.h = query.ungapped ? rounded(used.h, kStatisticsDigits) : -1;
    record.message = valid_utf8(message_of(run, result));
    record.is_in_invalid_group = query.is_in_invalid_group;
    return record;
}

HitRecord describe_hit(const BlastpRun& run, const BlastpResult& result, std::size_t hit) {
    const BlastpHit& found = result.hits[hit];
    const SubstitutionMatrix positives = positives_matrix(run.settings.scheme.matrix, kWithoutPositives);
    HitRecord record;
    const TargetNames target = name_target(run.names, found, result.headers[hit]);
    const Taxonomy* const tree = run.names.tree(found.database);
    const auto scientific_name = [tree](std::uint64_t taxid) {
        const bool is_known = tree != nullptr && taxid != 0 && taxid <= kMostTaxid;
        return is_known ? valid_utf8(std::string(tree->scientific_name(static_cast<std::uint32_t>(taxid))))
                        : std::string();
    };
    record.title = valid_utf8(target.title);
    const bool has_ids = !target.lines.front().full_id.empty();
    if (!has_ids && run.names.are_subjects) {
        record.accession = "Subject_" + std::to_string(found.position + 1);
        record.id = first_word(record.title);
        if (record.id.empty()) record.id = record.accession;
    } else if (!has_ids) {
        record.accession = std::to_string(found.position);
        record.id = "gnl|BL_ORD_ID|" + record.accession;
    } else {
        record.accession = valid_utf8(record_accession(target.lines[target.best]));
        record.id = valid_utf8(target.lines.front().full_id);
        for (std::size_t i = 0; i < target.lines.size(); ++i) {
            const BlastDefline& line = target.lines[i];
            const std::string id = valid_utf8(line.full_id);
            const std::string title = valid_utf8(run.names.are_subjects ? std::string(line.shown_title()) : line.title);
            if (i == 0) record.title = title;
            record.descriptions.push_back({id, valid_utf8(record_accession(line)), title, line.taxid,
                                           !line.id.starts_with("lcl|"), scientific_name(line.taxid)});
            if (i > 0) record.title += " >" + (line.gi.empty() ? valid_utf8(line.id) : id) + " " + title;
        }
    }
    if (record.descriptions.empty())
        record.descriptions.push_back(
            {record.id, record.accession, record.title, target.taxid, false, scientific_name(target.taxid)});
    record.residues = run.databases.whole_residues(found.database, found.rank);
    for (std::size_t i = 0; i < found.hsps.size(); ++i)
        record.hsps.push_back(describe_hsp(run, result.query, found.hsps[i], found.aligned_targets[i], positives));
    return record;
}

}  // namespace warpseq

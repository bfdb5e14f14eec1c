#include "bindings/python/src/sequence_table.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace warpseq::python {
namespace {

/// The columns of whole numbers of an alignment, and their names.
struct Number {
    const char* name;
    std::uint64_t (*of)(const FoundHsp& hsp, const AlignmentCounts& counts);
};
constexpr Number kNumbers[] = {
    {"length", [](const FoundHsp&, const AlignmentCounts& counts) { return counts.columns; }},
    {"identities", [](const FoundHsp&, const AlignmentCounts& counts) { return counts.identities; }},
    {"positives", [](const FoundHsp&, const AlignmentCounts& counts) { return counts.positives; }},
    {"mismatches", [](const FoundHsp&, const AlignmentCounts& counts) { return counts.mismatches; }},
    {"gaps", [](const FoundHsp&, const AlignmentCounts& counts) { return counts.gap_columns; }},
    {"gap_openings", [](const FoundHsp&, const AlignmentCounts& counts) { return counts.gap_openings; }},
    {"query_from", [](const FoundHsp& hsp, const AlignmentCounts&) { return hsp.alignment.query_begin + 1; }},
    {"query_to", [](const FoundHsp& hsp, const AlignmentCounts&) { return hsp.alignment.query_end; }},
    {"target_from", [](const FoundHsp& hsp, const AlignmentCounts&) { return hsp.alignment.target_begin + 1; }},
    {"target_to", [](const FoundHsp& hsp, const AlignmentCounts&) { return hsp.alignment.target_end; }}};

}  // namespace

Table table_of(const SequenceHits& hits) {
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    const SequenceNames query = hits.query_names();
    std::vector<std::string> query_names, query_accessions, names, accessions, descriptions, cigars;
    std::vector<std::int64_t> query_lengths, lengths, raw_scores, places, counts_of_hit;
    std::vector<double> evalues, scores;
    std::vector<std::vector<std::int64_t>> numbers(std::size(kNumbers));
    for (std::size_t h = 0; h < hits.size(); ++h) {
        const FoundTarget target = hits.target(h);
        const std::size_t count = hits.hsp_count(h);
        for (std::size_t i = 0; i < count; ++i) {
            const FoundHsp hsp = hits.hsp(h, i);
            const AlignmentCounts counts = hsp.counts();
            query_names.push_back(query.name);
            query_accessions.push_back(query.accession);
            query_lengths.push_back(static_cast<std::int64_t>(hits.query_residues()));
            names.push_back(target.names.name);
            accessions.push_back(target.names.accession);
            lengths.push_back(static_cast<std::int64_t>(target.residues));
            descriptions.push_back(target.names.description);
            evalues.push_back(hsp.evalue.value_or(kUnknown));
            scores.push_back(hsp.bits.value_or(kUnknown));
            raw_scores.push_back(hsp.alignment.score_raw);
            places.push_back(static_cast<std::int64_t>(i + 1));
            counts_of_hit.push_back(static_cast<std::int64_t>(count));
            cigars.push_back(cigar(hsp.alignment));
            for (std::size_t n = 0; n < numbers.size(); ++n)
                numbers[n].push_back(static_cast<std::int64_t>(kNumbers[n].of(hsp, counts)));
        }
    }
    Table table{{"query_name", std::move(query_names)},
                {"query_accession", std::move(query_accessions)},
                {"query_length", std::move(query_lengths)},
                {"target_name", std::move(names)},
                {"target_accession", std::move(accessions)},
                {"target_length", std::move(lengths)},
                {"evalue", std::move(evalues)},
                {"score", std::move(scores)},
                {"raw_score", std::move(raw_scores)},
                {"hsp", std::move(places)},
                {"hsps", std::move(counts_of_hit)}};
    for (std::size_t n = 0; n < numbers.size(); ++n) table.push_back({kNumbers[n].name, std::move(numbers[n])});
    table.push_back({"cigar", std::move(cigars)});
    table.push_back({"description", std::move(descriptions)});
    return table;
}

}  // namespace warpseq::python

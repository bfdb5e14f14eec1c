#include "options/sw/sw_options.h"

#include <cmath>
#include <string>
#include <utility>

#include "libcore/scoring/builtin_matrices.h"
#include "libcore/statistics/composition_adjustment.h"
#include "options/arguments.h"
#include "options/search/scoring_options.h"

namespace warpseq {
namespace {

Result<ScoringScheme> read_scheme(const OptionValues& parsed) {
    auto matrix = find_protein_matrix(parsed.text("matrix"));
    if (!matrix.ok()) return matrix.status();
    const auto gaps =
        read_gap_costs(parsed, AlignmentStatistics::default_gap_costs(matrix->name()).value_or(GapCosts()));
    if (!gaps.ok()) return gaps.status();
    return ScoringScheme{*std::move(matrix), *gaps};
}

/// Checks that E-values exist for the scores, as they do for combinations that BLAST knows. Other
/// searches have to ask for every hit, without composition adjustment.
Status check_statistics(const SwSettings& settings) {
    const ScoringScheme& scheme = settings.scheme;
    const bool adjusted = settings.composition != CompositionMode::kNone;
    if (adjusted && !CompositionAdjuster::create(scheme.matrix, settings.composition)) {
        return Status::usage("matrix " + scheme.matrix.name() +
                             " has no residue frequencies for composition-based statistics; add --comp-stats 0");
    }
    if (AlignmentStatistics::find(scheme) || (std::isinf(settings.evalue) && !adjusted)) return {};
    const std::string gaps = std::to_string(scheme.gaps.open) + "/" + std::to_string(scheme.gaps.extend);
    const std::string known = AlignmentStatistics::known_gap_costs(scheme.matrix.name());
    return Status::usage("no E-value statistics for " + scheme.matrix.name() + " with gap costs " + gaps + "; " +
                         (known.empty() ? "they exist for the built-in matrices only"
                                        : "known open/extend costs for this matrix: " + known) +
                         ". With --evalue inf" + (adjusted ? " and without --comp-stats" : "") +
                         " every hit is reported, best score first, without E-values and bit scores");
}

}  // namespace

OptionSet make_sw_options() {
    OptionSet options("search sw",
                      "Exact affine-gap Smith-Waterman of every query with every sequence; scores\nfirst, then the "
                      "alignments of what is reported.\n");
    options.custom_help("-q QUERY.fasta -d DATABASE.wsdb [-d MORE.wsdb] [options]");
    add_input_options(options, "FASTA file of queries, plain, gzip or zstd; - is standard input");
    add_hit_list_options(options);
    add_target_options(options);
    options.add_options("Targets")  //
        ("dbsize", "residues that E-values count the databases as; 0: their own", text_value("0"), "N");
    options.add_options("Scoring")  //
        ("matrix", "BLOSUM45, 50, 62, 80, 90, PAM30, 70, 250, IDENTITY, or a file in NCBI's format",
         text_value("BLOSUM62"), "NAME");
    add_gap_options(options, "BLAST's for the matrix");
    options.add_options("Scoring")  //
        ("comp-stats",
         "composition-based statistics, as blastp's: 0 none, 1 scaled scores, 2 or 3 adjusted matrices, where "
         "compositions ask for it or always",
         text_value("0"), "MODE");
    add_machine_options(options);
    add_chunk_options(options);
    return options;
}

Result<SwOptions> read_sw_options(const OptionValues& values) {
    auto common = read_common_options("sw", values);
    if (!common.ok()) return common.status();
    const auto report = read_hit_list_options(values);
    if (!report.ok()) return report.status();
    auto scheme = read_scheme(values);
    if (!scheme.ok()) return scheme.status();
    const auto composition = read_composition_mode(values, "comp-stats");
    if (!composition.ok()) return composition.status();
    const auto residues = parse_whole_number(values.text("dbsize"), "--dbsize", 0);
    if (!residues.ok()) return residues.status();
    SwOptions options{
        *std::move(common),
        {*std::move(scheme), report->evalue, report->max_hits, *composition, static_cast<std::uint64_t>(*residues)},
        {},
        report->outfmt,
        report->has_header};
    if (const std::string name = values.text("matrix"); !builtin_matrix(name)) {
        options.matrix_file = name;
        options.common.decisive_files.emplace_back(name);
    }
    WARPSEQ_TRY(check_statistics(options.settings));
    return options;
}

}  // namespace warpseq

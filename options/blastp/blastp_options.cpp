#include "options/blastp/blastp_options.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "libcore/scoring/builtin_matrices.h"
#include "libcore/scoring/frequency_ratios.h"
#include "libcore/scoring/word_rule.h"
#include "libcore/statistics/karlin_altschul.h"
#include "options/arguments.h"
#include "options/blastp/blastp_rows.h"
#include "options/option_set.h"
#include "options/search/scoring_options.h"
#include "options/search/table_header.h"
#include "reports/fields.h"

namespace warpseq {
namespace {

/// The settings of a task, which other options may replace.
struct Task {
    std::string_view name;
    std::string_view matrix;
    int word_residues;
    double threshold;
};
constexpr Task kTasks[] = {
    {"blastp", "BLOSUM62", 3, 11}, {"blastp-short", "PAM30", 2, 11}, {"blastp-fast", "BLOSUM62", 6, 21}};

/// The word threshold and window that a matrix suggests. blastp uses the threshold if none is given
/// and the task has the usual one. It uses the window if none is given.
struct Suggestion {
    std::string_view matrix;
    double threshold;
    std::uint32_t window_residues;
};
constexpr double kUsualThreshold = 11;
constexpr Suggestion kSuggestions[] = {{"BLOSUM62", 11, 40}, {"BLOSUM45", 14, 60}, {"BLOSUM80", 12, 25},
                                       {"PAM30", 16, 15},    {"PAM70", 14, 20},    {"IDENTITY", 27, 40}};
constexpr Suggestion kOtherwise = {"", kUsualThreshold, 40};

Result<double> read_number(const OptionValues& parsed, const std::string& name, double otherwise, double least,
                           double most) {
    if (parsed.count(name) == 0) return otherwise;
    return parse_number(parsed.text(name), "--" + parsed.name_given(name), least, most);
}

Result<std::uint64_t> read_count(const OptionValues& parsed, const std::string& name, std::uint64_t otherwise,
                                 std::int64_t least, std::int64_t most) {
    if (parsed.count(name) == 0) return otherwise;
    const auto count = parse_whole_number(parsed.text(name), "--" + parsed.name_given(name), least, most);
    if (!count.ok()) return count.status();
    return static_cast<std::uint64_t>(*count);
}

Result<bool> read_yes(const OptionValues& parsed, const std::string& name) {
    if (parsed.count(name) == 0) return false;
    std::string text = parsed.text(name);
    std::ranges::transform(text, text.begin(),
                           [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });
    for (const std::string_view yes : {"true", "t", "yes", "y", "1"}) {
        if (text == yes) return true;
    }
    for (const std::string_view no : {"false", "f", "no", "n", "0"}) {
        if (text == no) return false;
    }
    return Status::usage("--" + name + " " + text + ": expected true or false");
}

Result<std::optional<SegParameters>> read_seg(const std::string& text) {
    if (text == "no") return std::optional<SegParameters>();
    if (text == "yes") return std::optional<SegParameters>(SegParameters());
    std::istringstream words(text);
    words.exceptions(std::ios::badbit);  // a lack of memory throws instead of ending the text
    SegParameters seg;
    std::string rest;
    if (!(words >> seg.window_residues >> seg.low_bits >> seg.high_bits) || words >> rest || seg.window_residues < 1 ||
        seg.window_residues > 10'000) {
        return Status::usage(
            "--seg '" + text +
            "': expected yes, no, or three numbers: window, low and high complexity in bits, as '12 2.2 2.5'");
    }
    return std::optional<SegParameters>(seg);
}

/// Returns the words of a format with one blank between them. A tab behind "delim=" stays, because
/// it is the separator of columns.
std::string with_single_blanks(std::string_view outfmt) {
    constexpr std::string_view kBlanks = " \t", kTabbed = "delim=\t";
    std::string words;
    while (!outfmt.empty()) {
        const std::size_t end = outfmt.starts_with(kTabbed) ? kTabbed.size() : outfmt.find_first_of(kBlanks);
        const std::string_view word = outfmt.substr(0, end);
        if (!word.empty()) words += (words.empty() ? "" : " ") + std::string(word);
        outfmt.remove_prefix(std::min(outfmt.size(), word.size()));
        outfmt.remove_prefix(std::min(outfmt.find_first_not_of(kBlanks), outfmt.size()));
    }
    return words;
}

constexpr double kNoLimit = HUGE_VAL;
constexpr std::int64_t kMostCount = 2'147'483'647;

/// Reads the options about how many targets are reported and how the report is laid out.
Status read_report_options(const OptionValues& parsed, ColumnBlanks blanks, BlastpOptions& options) {
    constexpr std::uint64_t kFewTargets = 5;
    options.has_header = parsed.count("header") != 0;
    auto outfmt = read_blastp_outfmt(parsed.text("outfmt"), blanks);
    if (!outfmt.ok()) return of_option("--outfmt", outfmt.status());
    if (std::string warning = unknown_columns_warning(*outfmt); !warning.empty())
        options.warnings.push_back("--outfmt: " + std::move(warning));
    options.outfmt = std::move(outfmt->text);
    const std::string format = options.outfmt.substr(0, options.outfmt.find_first_of(" \t"));
    const bool has_table = format.size() == 1 && format <= "4";  // a table of hits, followed by alignments
    const auto is_given = [&](const std::string& name) { return parsed.count(name) != 0; };
    const auto read = [&](const std::string& name, std::int64_t least, std::uint64_t& value) -> Status {
        const auto count = read_count(parsed, name, value, least, kMostCount);
        if (!count.ok()) return count.status();
        value = *count;
        return {};
    };
    for (const char* name : {"num_descriptions", "num_alignments"}) {
        if (!is_given(name) || !is_given("max-hits")) continue;
        return Status::usage("--" + std::string(name) + " and --" + parsed.name_given("max-hits") +
                             " exclude each other");
    }
    WARPSEQ_TRY(read("max-hits", 1, options.settings.limits.max_targets));
    WARPSEQ_TRY(read("num_descriptions", 0, options.layout.descriptions));
    WARPSEQ_TRY(read("num_alignments", 0, options.layout.alignments));
    WARPSEQ_TRY(read("line_length", 1, options.layout.line_length));
    if (is_given("max-hits")) {
        options.layout.descriptions = options.layout.alignments = options.settings.limits.max_targets;
    } else if (has_table && (is_given("num_descriptions") || is_given("num_alignments"))) {
        options.settings.limits.max_targets = std::max(options.layout.descriptions, options.layout.alignments);
    } else if (is_given("num_alignments")) {
        options.settings.limits.max_targets = options.layout.alignments;
    }
    if (options.settings.limits.max_targets == 0)
        return Status::usage("no hits to report: give --num_descriptions or --num_alignments a number above 0");
    if (options.settings.limits.max_targets < kFewTargets)
        options.warnings.push_back("examining 5 or more matches is recommended");
    if (!has_table) {
        const std::string formats = "has no effect in formats other than 0 to 4";
        if (is_given("num_descriptions"))
            options.warnings.push_back("--num_descriptions " + formats + "; --max_target_seqs limits hits");
        if (is_given("line_length")) options.warnings.push_back("--line_length " + formats);
    }
    return {};
}

Status read_best_hits(const OptionValues& parsed, BlastpLimits& limits) {
    constexpr double kLargest = 0.5;  // exclusive, and so is 0
    BestHitLimits best;
    for (const auto& [name, value] :
         {std::pair("best_hit_overhang", &best.overhang), std::pair("best_hit_score_edge", &best.score_edge)}) {
        if (parsed.count(name) == 0) continue;
        if (parsed.count("culling_limit") != 0)
            return Status::usage("--" + std::string(name) + " and --culling_limit exclude each other");
        const auto share = read_number(parsed, name, *value, 0, kLargest);
        if (!share.ok()) return share.status();
        if (*share == 0 || *share == kLargest) {
            return Status::usage("--" + std::string(name) + " " + parsed.text(name) +
                                 ": expected a number above 0 and below 0.5");
        }
        *value = *share;
        limits.best_hits = best;
    }
    return {};
}

}  // namespace

Result<BlastpOutfmt> read_blastp_outfmt(std::string text, ColumnBlanks blanks) {
    text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
    BlastpOutfmt outfmt{blanks == ColumnBlanks::kAny ? with_single_blanks(text) : std::move(text), {}};
    // blastp reads only the first word of the format as a number.
    const std::size_t blank = std::min(outfmt.text.find_first_of(" \t"), outfmt.text.size());
    if (const auto number = whole_number_of(outfmt.text.substr(0, blank)))
        outfmt.text.replace(0, blank, std::to_string(*number));
    const std::string format = outfmt.text.substr(0, outfmt.text.find_first_of(" \t"));
    if (format != "6" && format != "7" && format != "10") return outfmt;
    auto fields = parse_blastp_fields(split_outfmt(outfmt.text).second);
    if (!fields.ok()) return fields.status();
    outfmt.unknown_columns = std::move(fields->unknown);
    return outfmt;
}

std::string unknown_columns_warning(const BlastpOutfmt& outfmt) {
    if (outfmt.unknown_columns.empty()) return "";
    std::string names;
    for (const std::string& name : outfmt.unknown_columns) names += " " + name;
    return "unknown columns are left out:" + names + " (separate names by blanks)";
}

OptionSet make_blastp_options() {
    OptionSet options("search blastp",
                      "Protein BLAST: the hits, scores and E-values of NCBI blastp. Options have\nBLAST's names, but "
                      "with two dashes; those that all engines have, one name.\n");
    options.custom_help("-q QUERY.fasta -d DATABASE.wsdb [-d MORE.wsdb] [options]");
    add_input_options(options, "FASTA file of queries, plain, gzip or zstd; - is standard input");
    add_machine_options(options);
    options.add_rows(blastp_grammar().rows);
    options.add_options("Input and output")("header", std::string(kTableHeaderHelp));
    add_chunk_options(options);
    return options;
}

Result<BlastpOptions> read_blastp_options(const OptionValues& parsed, ColumnBlanks blanks) {
    auto common = read_common_options("blastp", parsed);
    if (!common.ok()) return common.status();
    if (parsed.count("num_threads") != 0) {
        if (parsed.count("threads") != 0)
            return Status::usage("--threads and --num_threads mean the same; give one of them");
        const auto threads = read_threads(parsed, "num_threads");
        if (!threads.ok()) return threads.status();
        common->threads = *threads;
    }
    const auto task_name = parsed.text("task");
    const auto* task = std::ranges::find(kTasks, task_name, &Task::name);
    if (task == std::end(kTasks))
        return Status::usage("--task " + task_name + ": expected blastp, blastp-short or blastp-fast");

    std::string matrix_name = parsed.count("matrix") != 0 ? parsed.text("matrix") : std::string(task->matrix);
    auto matrix = builtin_matrix(matrix_name);
    if (!matrix) {
        std::string names;
        for (const std::string_view name : builtin_matrix_names()) names += " " + std::string(name);
        return Status::usage("--matrix " + matrix_name + ": unknown; the matrices are:" + names);
    }
    matrix_name = matrix->name();
    GapCosts gaps = AlignmentStatistics::default_gap_costs(matrix_name).value_or(GapCosts());
    const auto open = read_count(parsed, "gap-open", static_cast<std::uint64_t>(gaps.open), 0, kHighestGapCost);
    if (!open.ok()) return open.status();
    const auto extend = read_count(parsed, "gap-extend", static_cast<std::uint64_t>(gaps.extend), 0, kHighestGapCost);
    if (!extend.ok()) return extend.status();
    gaps = {static_cast<int>(*open), static_cast<int>(*extend)};

    BlastpSettings settings{ScoringScheme{*std::move(matrix), gaps}};
    BlastpOptions options{*std::move(common), std::move(settings)};
    options.settings.ungapped = parsed.count("ungapped") != 0;
    options.settings.smith_waterman = parsed.count("use_sw_tback") != 0;
    if (!options.settings.ungapped && !AlignmentStatistics::find(options.settings.scheme)) {
        return Status::usage("gap existence and extension values of " + std::to_string(gaps.open) + " and " +
                             std::to_string(gaps.extend) + " not supported for " + matrix_name +
                             "; supported values are: " + AlignmentStatistics::known_gap_costs(matrix_name));
    }
    const auto* suggestion = std::ranges::find(kSuggestions, matrix_name, &Suggestion::matrix);
    if (suggestion == std::end(kSuggestions)) suggestion = &kOtherwise;

    const auto word = read_count(parsed, "word_size", static_cast<std::uint64_t>(task->word_residues),
                                 WordRule::kFewestResidues, WordRule::kMostResidues);
    if (!word.ok()) return word.status();
    options.settings.word_residues = static_cast<int>(*word);
    if (options.settings.word_residues >= WordRule::kFewestCompressed && !frequency_ratios(matrix_name)) {
        return Status::usage("word sizes above " + std::to_string(WordRule::kFewestCompressed - 1) +
                             " are not supported for the matrix " + matrix_name);
    }
    const auto threshold = read_number(
        parsed, "threshold", task->threshold == kUsualThreshold ? suggestion->threshold : task->threshold, 0, 1e6);
    if (!threshold.ok()) return threshold.status();
    if (*threshold == 0) return Status::usage("--threshold 0: expected a number above 0");
    options.settings.threshold = *threshold;
    const auto window = read_count(parsed, "window_size", suggestion->window_residues, 0, 1'000'000);
    if (!window.ok()) return window.status();
    options.settings.window_residues = static_cast<std::uint32_t>(*window);

    const auto bits = [&](const std::string& name, double otherwise, double& value) -> Status {
        const auto number = read_number(parsed, name, otherwise, 0, 1e6);
        if (!number.ok()) return number.status();
        value = *number;
        return {};
    };
    WARPSEQ_TRY(bits("xdrop_ungap", 7, options.settings.x_drop_ungapped_bits));
    if (options.settings.x_drop_ungapped_bits == 0) return Status::usage("--xdrop_ungap 0: expected a number above 0");
    WARPSEQ_TRY(bits("xdrop_gap", 15, options.settings.x_drop_gapped_bits));
    WARPSEQ_TRY(bits("xdrop_gap_final", 25, options.settings.x_drop_final_bits));
    const auto evalue = read_number(parsed, "evalue", 10, 0, kNoLimit);
    if (!evalue.ok()) return evalue.status();
    if (*evalue == 0) return Status::usage("--evalue 0: expected a number above 0");
    options.settings.evalue = *evalue;
    const auto seg = read_seg(parsed.text("seg"));
    if (!seg.ok()) return seg.status();
    options.settings.seg = *seg;
    const auto soft = read_yes(parsed, "soft_masking");
    if (!soft.ok()) return soft.status();
    options.settings.soft_masking = *soft;
    options.settings.lower_case_masking = parsed.count("lcase_masking") != 0;

    WARPSEQ_TRY(read_report_options(parsed, blanks, options));
    if (parsed.count("max_hsps") != 0) {
        const auto hsps = read_count(parsed, "max_hsps", 1, 1, kMostCount);
        if (!hsps.ok()) return hsps.status();
        options.settings.limits.max_hsps = *hsps;
    }
    const auto coverage = read_number(parsed, "qcov_hsp_perc", 0, 0, 100);
    if (!coverage.ok()) return coverage.status();
    options.settings.limits.least_coverage_percent = *coverage;
    options.settings.cutoffs_by_shortest_target =
        options.common.targets.sequences.has_value() || options.common.targets.taxa.has_value();
    const auto culling = read_count(parsed, "culling_limit", 0, 0, kMostCount);
    if (!culling.ok()) return culling.status();
    options.settings.limits.culling = *culling;
    WARPSEQ_TRY(read_best_hits(parsed, options.settings.limits));
    options.settings.limits.best_of_target = parsed.count("subject_besthit") != 0;
    constexpr std::int64_t kMostResidues = std::numeric_limits<std::int64_t>::max();
    const auto database = read_count(parsed, "dbsize", 0, 0, kMostResidues);
    if (!database.ok()) return database.status();
    options.settings.database_residues = *database;
    if (parsed.count("searchsp") != 0) {
        const auto space = read_count(parsed, "searchsp", 0, 0, kMostResidues);
        if (!space.ok()) return space.status();
        options.settings.search_space = *space;
    }
    const auto composition = read_composition_mode(parsed, "comp-stats");
    if (!composition.ok()) return composition.status();
    options.settings.composition = *composition;
    if (options.settings.ungapped && options.settings.smith_waterman)
        return Status::usage("--ungapped and --use_sw_tback exclude each other");
    if (options.settings.ungapped && *composition != CompositionMode::kNone) {
        return Status::usage(
            "--ungapped: composition-based statistics are for alignments with gaps; add --comp-stats 0");
    }
    if (options.settings.composition != CompositionMode::kNone &&
        !CompositionAdjuster::create(options.settings.scheme.matrix, options.settings.composition)) {
        options.settings.composition = CompositionMode::kNone;
        options.settings.has_lost_composition = true;
        options.warnings.push_back("composition-based statistics cannot be used with the matrix " + matrix_name +
                                   "; --" + parsed.name_given("comp-stats") + " is taken as 0");
    }
    return options;
}

}  // namespace warpseq

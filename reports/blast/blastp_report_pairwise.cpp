// Writes --outfmt 0 to 4, as text or HTML: a table of hits, and their alignments, each by itself or
// all below the query. The lines are those of blastp.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <functional>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/base/append_printf.h"
#include "libcore/base/number_format.h"
#include "reports/alignment_text.h"
#include "reports/blast/blastp_anchored.h"
#include "reports/blast/blastp_order.h"
#include "reports/blast/blastp_report.h"
#include "reports/blast/blastp_report_text.h"

namespace warpseq {
namespace {

std::string method_of(const Hsp& hsp) {
    if (!hsp.rule) return "";
    return hsp.rule == CompositionAdjuster::Rule::kOptimized ? ", Method: Compositional matrix adjust."
                                                             : ", Method: Composition-based stats.";
}

constexpr std::size_t kColumns = 68;  // width of a line of text, and of a title in the table

constexpr std::string_view kReferences =
    "Reference: the method and this report are those of NCBI BLAST+\n"
    "2.12.0: Altschul SF, Madden TL, Schaffer AA, Zhang J, Zhang Z,\n"
    "Miller W, Lipman DJ (1997), Nucleic Acids Res. 25:3389-3402.\n"
    "\n\n"
    "Reference for composition-based statistics: Schaffer AA, Aravind L,\n"
    "Madden TL, Shavirin S, Spouge JL, Wolf YI, Koonin EV, Altschul SF\n"
    "(2001), Nucleic Acids Res. 29:2994-3005.\n";

constexpr std::string_view kHtmlHead =
    "<HTML>\n"
    "<HEAD><TITLE>BLAST Search Results</TITLE></HEAD>\n"
    "<BODY BGCOLOR=\"#FFFFFF\" LINK=\"#0000FF\" VLINK=\"#660099\" ALINK=\"#660099\">\n"
    "<PRE>\n\n";
constexpr std::string_view kHtmlEnd = "</PRE>\n</BODY>\n</HTML>\n";

/// Returns `text`, the identifier of a definition line, as HTML. It is a link to NCBI if the
/// identifier is one. `rank` is the hit's, from 1.
std::string linked(const std::string& text, const BlastDefline& line, std::string_view from, std::size_t rank,
                   std::string_view request) {
    if (!line.is_link()) return text;
    return "<a title=\"Show report for " + line.accession + "\" href=\"https://www.ncbi.nlm.nih.gov/protein/" +
           line.accession + "?report=genbank&log$=" + std::string(from) + "&blast_rank=" + std::to_string(rank) +
           "&RID=" + std::string(request) + "\" >" + text + "</a>";
}

std::string padded(std::string text, std::size_t columns) {
    if (text.size() < columns) text.append(columns - text.size(), ' ');
    return text;
}

std::string blanks(std::size_t count) { return std::string(count, ' '); }

std::string share(std::uint64_t part, std::uint64_t whole) {
    return std::to_string(part) + "/" + std::to_string(whole) + " (" + std::to_string(whole_percent(part, whole)) +
           "%)";
}

/// Appends "HEADING\n" and a line with the numbers.
void add_parameters(std::string_view heading, const std::vector<double>& values, std::string& out) {
    out += heading;
    out += '\n';
    for (const double value : values) {
        char text[32];
        std::snprintf(text, sizeof text, "%#8.3g ", value);
        out += text;
    }
    out += '\n';
}

/// One of the two sequences of an alignment, which is appended block by block. Positions count from
/// 1.
class AlignedRow {
   public:
    AlignedRow(std::string_view label, const std::string& letters, std::uint64_t begin, std::size_t position_columns,
               bool is_html = false)
        : label_(label), letters_(letters), end_(begin), position_columns_(position_columns), is_html_(is_html) {}

    /// Appends the line with columns `at` to `at + count` - 1. A line without residues has no
    /// positions. A first line with only the first residue has none either.
    void add_line(std::size_t at, std::size_t count, std::string& out) {
        const std::string_view part = std::string_view(letters_).substr(at, count);
        const std::uint64_t before = end_;
        end_ += part.size() - static_cast<std::size_t>(std::ranges::count(part, '-'));
        const bool has_positions = end_ != before && (at > 0 || end_ != 1);
        const std::string start = has_positions ? std::to_string(before + 1) : std::string();
        // The room for positions is that of the highest one counted from 0. A longer position takes
        // a blank of the margin.
        out += label_;
        out += "  " + start + blanks(position_columns_ + 2 - std::min(position_columns_ + 2, start.size()));
        out += is_html_ ? masked_in_grey(letters_, at, count) : std::string(part);
        out += "  ";
        if (has_positions) out += std::to_string(end_);
        out += '\n';
    }

   private:
    std::string_view label_;
    const std::string& letters_;
    std::uint64_t end_;  // end of the residues in the lines so far
    std::size_t position_columns_;
    bool is_html_;
};

class BlastpTextReport final : public BlastpReport {
   public:
    explicit BlastpTextReport(BlastpView view) : view_(view) {}

    void begin(const BlastpRun& run, std::string& out) override {
        positives_.emplace(positives_matrix(run.settings.scheme.matrix, kCodesWithoutPositives));
        if (run.layout.is_html) out += kHtmlHead;
        out += bold(run, run.names.version) + "\n\n\n";
        out += kReferences;
        out += "\n\n\nDatabase: " + wrapped(run.names.title, kColumns) + blanks(11) +
               format_count(run.databases.sequence_count()) + " sequences; " +
               format_count(run.databases.residue_count()) + " total letters\n\n";
    }

    Status add(const BlastpRun& run, const BlastpResult& result, std::string& out) override {
        const QueryNames query = name_query(run.names, result.query.header, result.number);
        out += "\n\n" + bold(run, "Query=") + " " + escaped(run, wrapped(query.shown, kColumns)) +
               "\nLength=" + std::to_string(result.whole_residues) + "\n";
        if (result.hits.empty()) {
            out += "\n\n***** No hits found *****\n\n\n";
        } else {
            std::vector<Shown> hits;
            for (OrderedHit& order : order_hits(run, result)) {
                TargetNames target = name_target(run.names, result.hits[order.hit], result.headers[order.hit]);
                hits.push_back({std::move(order), std::move(target)});
            }
            add_table(run, result, hits, out);
            out += '\n';
            hits.resize(std::min<std::uint64_t>(hits.size(), run.layout.alignments));
            if (view_ == BlastpView::kPairwise) {
                for (std::size_t h = 0; h < hits.size(); ++h) add_hit(run, result, hits[h], h + 1, out);
            } else {
                add_anchored(run, result, hits, out);
            }
        }
        add_footer(run, result, out);
        return {};
    }

    void end(const BlastpRun& run, std::string& out) override {
        out += '\n';
        if (run.names.each.empty() || run.names.are_subjects) {
            add_database({.title = run.names.title}, run.databases.residue_count(), run.databases.sequence_count(),
                         out);
        } else {
            std::vector<std::size_t> order(run.databases.size());
            std::iota(order.begin(), order.end(), std::size_t{0});
            std::ranges::stable_sort(order, {}, [&](std::size_t d) { return run.names.of(d).place; });
            for (const std::size_t d : order) {
                if (run.databases.continues_set(d)) continue;
                std::uint64_t residues = 0, sequences = 0;
                for (std::size_t volume = d;
                     volume < run.databases.size() && (volume == d || run.databases.continues_set(volume)); ++volume) {
                    residues += run.databases.residue_count(volume);
                    sequences += run.databases.sequence_count(volume);
                }
                add_database(run.names.of(d), residues, sequences, out);
            }
        }
        out += "\n\n\nMatrix: " + run.settings.scheme.matrix.name() + "\n";
        const GapCosts& gaps = run.settings.scheme.gaps;
        if (!run.settings.ungapped)
            append_printf(out, "Gap Penalties: Existence: %d, Extension: %d\n", gaps.open, gaps.extend);
        append_printf(out, "Neighboring words threshold: %g\n", run.settings.threshold);
        if (run.settings.window_residues > 0)
            append_printf(out, "Window for multiple hits: %u\n", run.settings.window_residues);
        if (run.layout.is_html) out += kHtmlEnd;
    }

   private:
    struct Shown {
        OrderedHit order;
        TargetNames target;
    };

    static std::string bold(const BlastpRun& run, const std::string& text) {
        return run.layout.is_html ? "<b>" + text + "</b>" : text;
    }
    static std::string escaped(const BlastpRun& run, const std::string& text) {
        return run.layout.is_html ? html_escaped(text) : text;
    }

    static void add_database(const BlastpNames::Database& about, std::uint64_t residues, std::uint64_t sequences,
                             std::string& out) {
        out += "\n  Database: " + wrapped(about.title, kColumns) +
               "    Posted date:  " + (about.date.empty() ? "Unknown" : about.date) +
               "\n"
               "  Number of letters in database: " +
               format_count(residues) + "\n  Number of sequences in database:  " + format_count(sequences) + "\n";
    }

    /// A line of the table of hits, without padding.
    struct Line {
        std::string title, title_in_html, bits, bits_in_html, evalue, total, coverage, identity;
    };

    static Line line_of(const BlastpRun& run, const BlastpResult& result, const Shown& shown, std::size_t rank) {
        const HitSummary summary = summarize_hit(run, result, shown.order);
        const Hsp& best = result.hits[shown.order.hit].hsps[summary.best];
        Line line;
        line.title = shown.target.shown;
        if (line.title.size() > kColumns) line.title = line.title.substr(0, kColumns - 3) + "...";
        line.bits = blastp_bits(statistics_of(result.query, run.statistics).bits(best.score_raw));
        line.evalue = format_evalue(best.evalue, true);
        line.total = summary.total_bits > kHighestBitsWithDecimal ? blastp_bits(summary.total_bits)
                                                                  : format_bits(summary.total_bits);
        line.coverage = std::to_string(summary.coverage_percent) + "%";
        line.identity = std::to_string(static_cast<int>(0.5 + summary.identity_percent)) + "%";
        if (run.layout.is_html) {
            const std::size_t id = std::min(shown.target.shown_id_bytes, line.title.size());
            if (id > 0) {
                const BlastDefline& best_line = shown.target.lines[shown.target.best];
                line.title_in_html = linked(line.title.substr(0, id), best_line, "prottop", rank, "");
            }
            line.title_in_html += html_escaped(line.title.substr(id));
            line.bits_in_html = "<a href=#" + shown.target.anchor + ">" + line.bits + "</a>";
        }
        return line;
    }

    static void add_table(const BlastpRun& run, const BlastpResult& result, const std::vector<Shown>& hits,
                          std::string& out) {
        const bool has_all = run.layout.hit_order.has_value(), is_html = run.layout.is_html;
        std::vector<Line> lines;
        std::size_t bits_columns = 6, evalue_columns = 5, total_columns = 5;
        const auto count = std::min<std::uint64_t>(hits.size(), run.layout.descriptions);
        for (std::size_t h = 0; h < count; ++h) {
            lines.push_back(line_of(run, result, hits[h], h + 1));
            bits_columns = std::max(bits_columns, lines.back().bits.size());
            evalue_columns = std::max(evalue_columns, lines.back().evalue.size());
            // For the last hit, blastp widens another column.
            std::size_t& widened =
                h + 1 == count && lines.back().total.size() > total_columns ? bits_columns : total_columns;
            widened = std::max(widened, lines.back().total.size());
        }
        if (!lines.empty()) {
            out += blanks(kColumns + 2) + padded("Score", bits_columns) + "  ";
            if (has_all) out += padded("Total", total_columns) + "  Query  ";
            out += "  E";
            if (has_all) out += blanks(evalue_columns) + "Max";
            out += "\n" + padded("Sequences producing significant alignments:", kColumns) + " " +
                   padded("(Bits)", bits_columns) + "  ";
            if (has_all) out += " " + padded("Score", total_columns) + "  cover   ";
            out += "Value";
            if (has_all) out += blanks(evalue_columns - 5 + 2) + "Ident";
            out += "\n\n";
        }
        for (const Line& line : lines) {
            out += is_html ? line.title_in_html + blanks(kColumns - line.title.size()) : padded(line.title, kColumns);
            out += "  ";
            out +=
                is_html ? line.bits_in_html + blanks(bits_columns - line.bits.size()) : padded(line.bits, bits_columns);
            if (has_all) out += "   " + padded(line.total, total_columns) + "  " + padded(line.coverage, 5);
            out += "  " + padded(line.evalue, evalue_columns);
            if (has_all) out += "  " + padded(line.identity, 10);
            out += '\n';
        }
        out += '\n';
    }

    /// Returns the name of a definition line in HTML. If the targets are not a database's, the name
    /// has no version, as in blastp, although the links have one.
    static std::string anchor_of(const BlastpRun& run, const BlastDefline& line) {
        return run.names.are_subjects && line.gi.empty() ? std::string(line.accession_without_version())
                                                         : line.anchor();
    }

    void add_hit(const BlastpRun& run, const BlastpResult& result, const Shown& shown, std::size_t rank,
                 std::string& out) const {
        const BlastpHit& hit = result.hits[shown.order.hit];
        // If the targets are not a database's, a blank precedes a name that is part of the title.
        const bool stands_apart = run.names.are_subjects && shown.target.shown_id_bytes == 0;
        out += stands_apart && !run.layout.is_html ? "> " : ">";
        if (run.layout.is_html) {
            // A line is the identifier, an anchor for links, and the rest.
            const TargetNames& target = shown.target;
            const bool has_ids = target.shown_id_bytes > 0;
            for (std::size_t i = 0; i < target.lines.size(); ++i) {
                const BlastDefline& each = target.lines[i];
                if (i > 0) out += "\n ";
                if (has_ids) out += linked(each.label, each, "protalign", rank, "0");
                out += "<a name=" + (has_ids ? anchor_of(run, each) : target.anchor) + "></a> " +
                       broken_title(html_escaped(has_ids ? each.shown_title() : each.title));
            }
        } else {
            out += shown.target.heading;
        }
        out += "\nLength=" + std::to_string(run.databases.whole_residues(hit.database, hit.rank)) + "\n\n";
        for (const std::size_t i : shown.order.hsps) add_hsp(run, result, hit.hsps[i], hit.aligned_targets[i], out);
    }

    /// Returns the length of the longest run of pairs.
    static std::uint64_t longest_piece(const Hsp& hsp) {
        std::uint64_t longest = 0;
        for (const AlignmentRun& run : hsp.runs)
            if (run.operation == AlignmentOperation::kMatch) longest = std::max<std::uint64_t>(longest, run.length);
        return longest;
    }

    void add_anchored(const BlastpRun& run, const BlastpResult& result, const std::vector<Shown>& hits,
                      std::string& out) const {
        std::vector<AnchoredRow> rows;
        for (const Shown& shown : hits) {
            const BlastpHit& hit = result.hits[shown.order.hit];
            // The HSPs of one sequence are sorted by their longest run of pairs, longest first.
            std::vector<std::size_t> hsps = shown.order.hsps;
            std::ranges::stable_sort(hsps, std::greater<>(), [&](std::size_t i) { return longest_piece(hit.hsps[i]); });
            for (const std::size_t i : hsps) rows.push_back({shown.target.label, &hit.hsps[i], hit.aligned_targets[i]});
        }
        if (!rows.empty()) out += '\n';
        AnchoredStyle style;
        style.query_label = name_query(run.names, result.query.header, result.number).row_label;
        style.has_points = view_ == BlastpView::kAnchoredIdentities || view_ == BlastpView::kFlatIdentities;
        style.is_flat = view_ == BlastpView::kFlat || view_ == BlastpView::kFlatIdentities;
        style.is_html = run.layout.is_html;
        style.line_length = run.layout.line_length;
        style.query_begin = run.query_begin;
        style.target_begin = run.target_begin;
        append_anchored_alignments(result.query, rows, style, out);
    }

    void add_hsp(const BlastpRun& run, const BlastpResult& result, const Hsp& hsp, std::span<const ResidueCode> aligned,
                 std::string& out) const {
        const auto& residues = result.query.residues;
        const Alignment alignment{hsp.score_raw,    hsp.query_begin, hsp.query_end,
                                  hsp.target_begin, hsp.target_end,  hsp.runs};
        const AlignmentCounts counts = count_alignment(alignment, residues, aligned, *positives_);
        AlignmentText text = draw_alignment(alignment, residues, aligned, *positives_);
        show_masked(result.query.masked, hsp.query_begin, text.query);

        const AlignmentStatistics& statistics = statistics_of(result.query, run.statistics);
        out += " Score = " + blastp_bits(statistics.bits(hsp.score_raw)) + " bits (" + std::to_string(hsp.score_raw) +
               "),  Expect = " + format_evalue(hsp.evalue, true) + method_of(hsp) + "\n";
        out += " Identities = " + share(counts.identities, counts.columns) +
               ", Positives = " + share(counts.positives, counts.columns) +
               ", Gaps = " + share(counts.gap_columns, counts.columns) + "\n\n";

        const std::uint64_t query_end = run.query_begin + hsp.query_end;
        const std::uint64_t target_end = run.target_begin + hsp.target_end;
        const std::size_t position_columns = std::to_string(std::max(query_end, target_end) - 1).size();
        AlignedRow query("Query", text.query, run.query_begin + hsp.query_begin, position_columns, run.layout.is_html),
            target("Sbjct", text.target, run.target_begin + hsp.target_begin, position_columns);
        const std::size_t width = run.layout.line_length;
        for (std::size_t at = 0; at < text.query.size(); at += width) {
            query.add_line(at, width, out);
            out += blanks(5 + 2 + position_columns + 2) + text.middle.substr(at, width) + "\n";
            target.add_line(at, width, out);
            out += '\n';
        }
        out += '\n';
    }

    static void add_footer(const BlastpRun& run, const BlastpResult& result, std::string& out) {
        out += '\n';
        if (result.query.is_in_invalid_group) {
            constexpr std::string_view kHeading = "Lambda      K        H";
            add_parameters(kHeading, {-1, -1, -1}, out);
            out += "\nGapped\n";
            add_parameters(kHeading, {-1, -1, -1}, out);
            out += "\nEffective search space used: 0\n";
            return;
        }
        // If the effective search space was given, the parameters for the ends of alignments (a,
        // alpha and sigma) are not used.
        const bool by_lengths = run.settings.search_space == 0 && !run.settings.ungapped;
        const KarlinAltschulParameters &ungapped = run.statistics.ungapped(), &gapped = run.statistics.gapped();
        const auto add = [&](std::string_view more_heading, double lambda, double k, double h,
                             const std::vector<double>& more) {
            std::vector<double> values{lambda, k, h};
            std::string heading = "Lambda      K        H";
            if (by_lengths) {
                heading += more_heading;
                values.insert(values.end(), more.begin(), more.end());
            }
            add_parameters(heading, values, out);
        };
        if (const auto& own = result.query.ungapped) {
            add("        a         alpha", own->lambda, own->k, own->h, {ungapped.alpha, ungapped.alpha_v});
        }
        out += '\n';
        if (result.query.ungapped && !run.settings.ungapped) {
            out += "Gapped\n";
            add("        a         alpha    sigma", gapped.lambda, gapped.k, gapped.h,
                {gapped.alpha, gapped.alpha_v, gapped.sigma});
        }
        out += "\nEffective search space used: " + std::to_string(result.effective_search_space) + "\n";
    }

    BlastpView view_;
    std::optional<SubstitutionMatrix> positives_;
};

}  // namespace

std::unique_ptr<BlastpReport> make_blastp_text_report(BlastpView view) {
    return std::make_unique<BlastpTextReport>(view);
}

}  // namespace warpseq

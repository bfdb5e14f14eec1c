// --outfmt 0: pairwise text, line by line as blastp's.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <optional>
#include <vector>

#include "libcore/base/append_printf.h"
#include "libcore/base/number_format.h"
#include "reports/alignment_text.h"
#include "reports/blast/blastp_report.h"
#include "reports/blast/blastp_report_text.h"

namespace warpseq {
namespace {

std::string method_of(const Hsp& hsp) {
    if (!hsp.rule) return "";
    return hsp.rule == CompositionAdjuster::Rule::kOptimized ? ", Method: Compositional matrix adjust."
                                                             : ", Method: Composition-based stats.";
}

constexpr std::size_t kColumns = 68;  // of a line of text, and of a title in the table

constexpr std::string_view kReferences =
    "Reference: the method and this report are those of NCBI BLAST+\n"
    "2.12.0: Altschul SF, Madden TL, Schaffer AA, Zhang J, Zhang Z,\n"
    "Miller W, Lipman DJ (1997), Nucleic Acids Res. 25:3389-3402.\n"
    "\n\n"
    "Reference for composition-based statistics: Schaffer AA, Aravind L,\n"
    "Madden TL, Shavirin S, Spouge JL, Wolf YI, Koonin EV, Altschul SF\n"
    "(2001), Nucleic Acids Res. 29:2994-3005.\n";

std::string padded(std::string text, std::size_t columns) {
    if (text.size() < columns) text.append(columns - text.size(), ' ');
    return text;
}

std::string blanks(std::size_t count) { return std::string(count, ' '); }

std::string share(std::uint64_t part, std::uint64_t whole) {
    return std::to_string(part) + "/" + std::to_string(whole) + " (" + std::to_string(whole_percent(part, whole)) +
           "%)";
}

/// "HEADING\n" and the numbers below it.
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

/// One of the two sequences of an alignment, as its blocks go by. Positions count from 1.
class AlignedRow {
   public:
    AlignedRow(std::string_view label, const std::string& letters, std::uint64_t begin, std::size_t position_columns)
        : label_(label), letters_(letters), end_(begin), position_columns_(position_columns) {}

    /// The line with columns at .. at + count - 1. Where it has no residue it has no positions either; nor has a
    /// first line with the first residue alone.
    void add_line(std::size_t at, std::size_t count, std::string& out) {
        const std::string_view part = std::string_view(letters_).substr(at, count);
        const std::uint64_t before = end_;
        end_ += part.size() - static_cast<std::size_t>(std::ranges::count(part, '-'));
        const bool has_positions = end_ != before && (at > 0 || end_ != 1);
        const std::string start = has_positions ? std::to_string(before + 1) : std::string();
        // The room for positions is that of the last one counted from 0; a longer one takes a blank of the margin.
        out += label_;
        out += "  " + start + blanks(position_columns_ + 2 - std::min(position_columns_ + 2, start.size()));
        out += part;
        out += "  ";
        if (has_positions) out += std::to_string(end_);
        out += '\n';
    }

   private:
    std::string_view label_;
    const std::string& letters_;
    std::uint64_t end_;  // of the residues passed
    std::size_t position_columns_;
};

class BlastpPairwiseReport final : public BlastpReport {
   public:
    void begin(const BlastpRun& run, std::string& out) override {
        positives_.emplace(positives_matrix(run.settings.scheme.matrix, kCodesWithoutPositives));
        out += run.names.version + "\n\n\n";
        out += kReferences;
        out += "\n\n\nDatabase: " + wrapped(run.names.title, kColumns) + blanks(11) +
               format_count(run.databases.sequence_count()) + " sequences; " +
               format_count(run.databases.residue_count()) + " total letters\n\n";
    }

    Status add(const BlastpRun& run, const BlastpResult& result, std::string& out) override {
        out += "\n\nQuery= " + wrapped(query_title(result.query.header), kColumns) +
               "\nLength=" + std::to_string(result.whole_residues) + "\n";
        if (result.hits.empty()) {
            out += "\n\n***** No hits found *****\n\n\n";
        } else {
            std::vector<TargetNames> names;
            for (std::size_t h = 0; h < result.hits.size(); ++h)
                names.push_back(name_target(run.names, result.hits[h], result.headers[h]));
            add_table(run, result, names, out);
            out += '\n';
            const auto count = std::min<std::uint64_t>(result.hits.size(), run.layout.alignments);
            for (std::size_t h = 0; h < count; ++h) add_hit(run, result, result.hits[h], names[h].heading, out);
        }
        add_footer(run, result, out);
        return {};
    }

    void end(const BlastpRun& run, std::string& out) override {
        out += '\n';
        if (run.names.each.empty() || run.names.are_subjects) {
            add_database(run.names.title, {}, run.databases.residue_count(), run.databases.sequence_count(), out);
        } else {
            for (std::size_t d = 0; d < run.databases.size(); ++d) {
                const WsdbReader& database = run.databases.reader(d);
                add_database(run.names.of(d).title, run.names.of(d).date, database.residue_count(),
                             database.sequence_count(), out);
            }
        }
        out += "\n\n\nMatrix: " + run.settings.scheme.matrix.name() + "\n";
        append_printf(out, "Gap Penalties: Existence: %d, Extension: %d\nNeighboring words threshold: %g\n",
                      run.settings.scheme.gaps.open, run.settings.scheme.gaps.extend, run.settings.threshold);
        if (run.settings.window_residues > 0)
            append_printf(out, "Window for multiple hits: %u\n", run.settings.window_residues);
    }

   private:
    static void add_database(const std::string& title, const std::string& date, std::uint64_t residues,
                             std::uint64_t sequences, std::string& out) {
        out += "\n  Database: " + wrapped(title, kColumns) + "    Posted date:  " + (date.empty() ? "Unknown" : date) +
               "\n" + "  Number of letters in database: " + format_count(residues) +
               "\n  Number of sequences in database:  " + format_count(sequences) + "\n";
    }

    static void add_table(const BlastpRun& run, const BlastpResult& result, const std::vector<TargetNames>& names,
                          std::string& out) {
        struct Line {
            std::string title, bits, evalue;
        };
        std::vector<Line> lines;
        std::size_t bits_columns = 6, evalue_columns = 5;
        const auto count = std::min<std::uint64_t>(result.hits.size(), run.layout.descriptions);
        for (std::size_t h = 0; h < count; ++h) {
            const Hsp& first = result.hits[h].hsps.front();
            std::string title = names[h].shown;
            if (title.size() > kColumns) title = title.substr(0, kColumns - 3) + "...";
            lines.push_back(
                {title, blastp_bits(run.statistics.bits(first.score_raw)), format_evalue(first.evalue, true)});
            bits_columns = std::max(bits_columns, lines.back().bits.size());
            evalue_columns = std::max(evalue_columns, lines.back().evalue.size());
        }
        if (!lines.empty()) {
            out += blanks(kColumns + 2) + padded("Score", bits_columns) + "    E\n";
            out += padded("Sequences producing significant alignments:", kColumns) + " " +
                   padded("(Bits)", bits_columns) + "  Value\n\n";
        }
        for (const Line& line : lines) {
            out += padded(line.title, kColumns) + "  " + padded(line.bits, bits_columns) + "  " +
                   padded(line.evalue, evalue_columns) + "\n";
        }
        out += '\n';
    }

    void add_hit(const BlastpRun& run, const BlastpResult& result, const BlastpHit& hit, const std::string& heading,
                 std::string& out) const {
        out += (run.names.are_subjects ? "> " : ">") + heading +
               "\nLength=" + std::to_string(run.databases.reader(hit.database).lengths_residues()[hit.rank]) + "\n\n";
        for (std::size_t i = 0; i < hit.hsps.size(); ++i)
            add_hsp(run, result, hit.hsps[i], hit.aligned_targets[i], out);
    }

    void add_hsp(const BlastpRun& run, const BlastpResult& result, const Hsp& hsp, std::span<const ResidueCode> aligned,
                 std::string& out) const {
        const auto& residues = result.query.residues;
        const Alignment alignment{hsp.score_raw,    hsp.query_begin, hsp.query_end,
                                  hsp.target_begin, hsp.target_end,  hsp.runs};
        const AlignmentCounts counts = count_alignment(alignment, residues, aligned, *positives_);
        AlignmentText text = draw_alignment(alignment, residues, aligned, *positives_);
        show_masked(result.query.masked, hsp.query_begin, text.query);

        out += " Score = " + blastp_bits(run.statistics.bits(hsp.score_raw)) + " bits (" +
               std::to_string(hsp.score_raw) + "),  Expect = " + format_evalue(hsp.evalue, true) + method_of(hsp) +
               "\n";
        out += " Identities = " + share(counts.identities, counts.columns) +
               ", Positives = " + share(counts.positives, counts.columns) +
               ", Gaps = " + share(counts.gap_columns, counts.columns) + "\n\n";

        const std::uint64_t query_end = run.query_begin + hsp.query_end;
        const std::size_t position_columns = std::to_string(std::max(query_end, hsp.target_end) - 1).size();
        AlignedRow query("Query", text.query, run.query_begin + hsp.query_begin, position_columns),
            target("Sbjct", text.target, hsp.target_begin, position_columns);
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
        // An effective search space that was asked for makes no use of what alignments' ends are computed by.
        const bool by_lengths = run.settings.search_space == 0;
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
        if (result.query.ungapped) {
            out += "Gapped\n";
            add("        a         alpha    sigma", gapped.lambda, gapped.k, gapped.h,
                {gapped.alpha, gapped.alpha_v, gapped.sigma});
        }
        out += "\nEffective search space used: " + std::to_string(result.effective_search_space) + "\n";
    }

    std::optional<SubstitutionMatrix> positives_;
};

}  // namespace

std::unique_ptr<BlastpReport> make_blastp_pairwise_report() { return std::make_unique<BlastpPairwiseReport>(); }

}  // namespace warpseq

// Writes --outfmt 0: pairwise text for people, laid out as BLAST's.
#include <algorithm>
#include <cstdio>
#include <string>

#include "libcore/base/number_format.h"
#include "libcore/base/version.h"
#include "reports/alignment_text.h"
#include "reports/report.h"

namespace warpseq {

namespace {

constexpr std::size_t kLineWidth = 79;
constexpr std::size_t kResiduesPerLine = 60;
constexpr std::size_t kDescriptionWidth = 60;

/// Appends `text`, broken at blanks. Lines stay within kLineWidth if words allow it.
void append_wrapped(std::string_view text, std::string& out) {
    std::size_t column = 0;
    while (!text.empty()) {
        const std::size_t blank = text.find(' ');
        const std::string_view word = text.substr(0, blank);
        if (column > 0 && column + 1 + word.size() > kLineWidth) {
            out += '\n';
            column = 0;
        } else if (column > 0) {
            out += ' ';
            ++column;
        }
        out += word;
        column += word.size();
        text.remove_prefix(blank == std::string_view::npos ? text.size() : blank + 1);
    }
    out += '\n';
}

std::string pad_left(std::string text, std::size_t width) {
    if (text.size() < width) text.insert(0, width - text.size(), ' ');
    return text;
}
std::string pad_right(std::string text, std::size_t width) {
    if (text.size() < width) text.append(width - text.size(), ' ');
    return text;
}

class PairwiseReport final : public ReportWriter {
   public:
    ReportNeeds needs() const override { return {}; }

    void begin(const RunDescription& run, std::string& out) override {
        out += "warpseq search " + std::string(run.engine) + " " + std::string(program_version()) + "\n\n";
        append_wrapped("Database: " + run.databases.names(), out);
        out += "          " + format_count(run.databases.searched_totals().sequences) + " sequences; " +
               format_count(run.databases.searched_totals().residues) + " total letters\n";
        out += "Matrix: " + run.scheme.matrix.name() + "\nGap penalties: existence " +
               std::to_string(run.scheme.gaps.open) + ", extension " + std::to_string(run.scheme.gaps.extend) + "\n";
        if (run.composition != CompositionMode::kNone) {
            out += "Composition-based statistics: mode " + std::to_string(static_cast<int>(run.composition)) + "\n";
        }
        if (!run.statistics) out += "E-values and bit scores: not known for this matrix and these gap penalties\n";
    }

    void add(const RunDescription& run, const Query& query, std::span<const ReportedHit> hits,
             std::string& out) override {
        out += "\n\n";
        append_wrapped("Query= " + query.header, out);
        out += "\nLength=" + std::to_string(query.residues.size()) + "\n\n";
        if (hits.empty()) {
            out += "***** No hits found *****\n";
            return;
        }
        add_summary(run, hits, out);
        for (const ReportedHit& hit : hits) add_alignment(run, query, hit, out);
    }

    void end(const RunDescription&, std::string&) override {}

   private:
    static std::string score_column(const RunDescription& run, const ReportedHit& hit) {
        return run.statistics ? format_bits(run.statistics->bits(hit.hit.score_raw))
                              : std::to_string(hit.hit.score_raw);
    }

    static void add_summary(const RunDescription& run, std::span<const ReportedHit> hits, std::string& out) {
        const std::string unit = run.statistics ? "(Bits)" : "(Raw)";
        out +=
            pad_right("", kDescriptionWidth) + pad_left("Score", 9) + (run.statistics ? pad_left("E", 9) : "") + "\n";
        out += pad_right("Sequences producing significant alignments:", kDescriptionWidth) + pad_left(unit, 9) +
               (run.statistics ? pad_left("Value", 9) : "") + "\n\n";
        for (const ReportedHit& hit : hits) {
            std::string title = hit.target_header;
            if (title.size() > kDescriptionWidth) title = title.substr(0, kDescriptionWidth - 3) + "...";
            out += pad_right(title, kDescriptionWidth) + pad_left(score_column(run, hit), 9);
            if (run.statistics) out += pad_left(format_evalue(hit.hit.evalue, true), 9);
            out += '\n';
        }
    }

    static std::string share(std::uint64_t part, std::uint64_t whole) {
        const std::uint64_t percent = whole == 0 ? 0 : (200 * part + whole) / (2 * whole);
        return std::to_string(part) + "/" + std::to_string(whole) + " (" + std::to_string(percent) + "%)";
    }

    static std::string_view method_of(const ReportedHit& hit) {
        if (!hit.rule) return "";
        return *hit.rule == CompositionAdjuster::Rule::kOptimized ? ", Method: Compositional matrix adjust."
                                                                  : ", Method: Composition-based stats.";
    }

    static void add_alignment(const RunDescription& run, const Query& query, const ReportedHit& hit, std::string& out) {
        const Alignment& alignment = hit.alignment;
        const auto counts = count_alignment(alignment, query.residues, hit.aligned_target, run.scheme.matrix);
        const auto text = draw_alignment(alignment, query.residues, hit.aligned_target, run.scheme.matrix);
        out += "\n\n>";
        append_wrapped(hit.target_header, out);
        out += "Length=" + std::to_string(hit.target_residues) + "\n\n Score = ";
        if (run.statistics) {
            out += format_bits(run.statistics->bits(hit.hit.score_raw)) + " bits (" +
                   std::to_string(hit.hit.score_raw) + "),  Expect = " + format_evalue(hit.hit.evalue, true) +
                   std::string(method_of(hit)) + "\n";
        } else {
            out += std::to_string(hit.hit.score_raw) + "\n";
        }
        out += " Identities = " + share(counts.identities, counts.columns) +
               ", Positives = " + share(counts.positives, counts.columns) +
               ", Gaps = " + share(counts.gap_columns, counts.columns) + "\n";

        const std::size_t digits = std::to_string(std::max(alignment.query_end, alignment.target_end)).size();
        std::uint64_t q = alignment.query_begin, t = alignment.target_begin;
        for (std::size_t at = 0; at < text.query.size(); at += kResiduesPerLine) {
            const std::string query_line = text.query.substr(at, kResiduesPerLine);
            const std::string target_line = text.target.substr(at, kResiduesPerLine);
            const auto residues = [](const std::string& line) {
                return line.size() - static_cast<std::size_t>(std::ranges::count(line, '-'));
            };
            const auto line = [&](std::string_view label, std::uint64_t& position, const std::string& letters) {
                const std::uint64_t count = residues(letters);
                out += std::string(label) + "  " +
                       pad_right(std::to_string(count > 0 ? position + 1 : position), digits) + "  " + letters + "  " +
                       std::to_string(position + count) + "\n";
                position += count;
            };
            out += '\n';
            line("Query", q, query_line);
            out += std::string(9 + digits, ' ') + text.middle.substr(at, kResiduesPerLine) + "\n";
            line("Sbjct", t, target_line);
        }
    }
};

}  // namespace

std::unique_ptr<ReportWriter> make_pairwise_report() { return std::make_unique<PairwiseReport>(); }

}  // namespace warpseq

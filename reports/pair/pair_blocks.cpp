// Writes --outfmt 0: aligned blocks for people, laid out as by EMBOSS' needle and water (their
// format srspair).
//
// Semi-global alignments are shown with the residues that are left over at their ends, as needle
// shows them, and the header's counts include these residues. Gap penalties are given as EMBOSS
// counts them: one for a gap's first residue, which is open + extend, and one for each further
// residue. On the minus strand the query's positions run downwards.
#include <algorithm>
#include <array>

#include "formats/fasta/fasta.h"
#include "libcore/base/append_printf.h"
#include "libcore/base/version.h"
#include "reports/alignment_text.h"
#include "reports/pair/pair_report.h"

namespace warpseq {

namespace {

constexpr std::size_t kColumnsPerRow = 50;
constexpr int kNameWidth = 13;

/// Returns the character of the middle line between two residues. EMBOSS marks a pair less strongly
/// if the first residue is a letter for several.
char mark(const PairRun& run, ResidueCode query, ResidueCode target) {
    const bool positive = run.scheme.matrix.score_raw(query, target) > 0;
    if (run.input.alphabet == Alphabet::kNucleotide ? query >= kBases : query == kCodeX) return positive ? '.' : ' ';
    return !positive ? '.' : query == target ? '|' : ':';
}

/// The line of one sequence in a block.
class Line {
   public:
    /// Makes the line of a sequence that has `before` residues before the first column. If `minus`,
    /// positions are counted downwards from `residues`.
    Line(std::string_view name, std::uint64_t before, std::uint64_t residues, bool minus)
        : name_(name.substr(0, kNameWidth)), taken_(before), residues_(residues), minus_(minus) {}

    void add(char letter, bool is_residue) {
        letters_[columns_++] = letter;
        row_residues_ += is_residue;
    }

    void print(int digits, std::string& out) {
        const std::uint64_t last = taken_ + row_residues_;
        append_printf(out, "%-*.*s %*llu ", kNameWidth, static_cast<int>(name_.size()), name_.data(), digits,
                      shown(row_residues_ > 0 ? taken_ + 1 : taken_));
        out.append(letters_.data(), columns_);
        append_printf(out, " %*llu\n", digits, shown(last));
        taken_ = last;
        columns_ = row_residues_ = 0;
    }

   private:
    /// Returns the position of residue `number`, from 1. A `number` of 0 is the place before the
    /// first residue.
    unsigned long long shown(std::uint64_t number) const { return minus_ ? residues_ - number + 1 : number; }

    std::string_view name_;
    std::uint64_t taken_, residues_;
    bool minus_;
    std::array<char, kColumnsPerRow> letters_{};
    std::size_t columns_ = 0;
    std::uint64_t row_residues_ = 0;
};

/// Returns the alignment with the residues that are left over at both ends, as gaps against the
/// other sequence.
Alignment with_overhangs(Alignment alignment, std::uint64_t query_residues, std::uint64_t target_residues) {
    std::vector<AlignmentRun> runs;
    const auto add = [&](AlignmentOperation operation, std::uint64_t length) {
        if (length == 0) return;
        if (!runs.empty() && runs.back().operation == operation) {
            runs.back().length += length;
        } else {
            runs.push_back({operation, length});
        }
    };
    add(AlignmentOperation::kInsert, alignment.query_begin);
    add(AlignmentOperation::kDelete, alignment.target_begin);
    for (const AlignmentRun& run : alignment.runs) add(run.operation, run.length);
    add(AlignmentOperation::kInsert, query_residues - alignment.query_end);
    add(AlignmentOperation::kDelete, target_residues - alignment.target_end);
    return {alignment.score_raw, 0, query_residues, 0, target_residues, std::move(runs)};
}

class BlocksReport final : public PairReportWriter {
   public:
    Status begin(const PairRun& run, ReportText& out) override {
        out.text() += "########################################\n# Program: warpseq search pair " +
                      std::string(program_version()) + "\n# Mode: " + std::string(pair_mode_name(run.mode)) +
                      "\n# Align_format: srspair\n########################################\n\n";
        return {};
    }

    Status add(const PairRun& run, const PairResult& result, ReportText& out) override {
        const PairSequence& query = run.input.queries[result.query];
        const PairSequence& target = run.input.targets[result.target];
        Alignment alignment = result.alignment;
        if (run.mode == PairMode::kSemiGlobal && result.has_alignment()) {
            alignment = with_overhangs(std::move(alignment), query.residues.size(), target.residues.size());
        }
        add_header(run, result, alignment, out.text());
        if (!alignment.runs.empty()) WARPSEQ_TRY(add_blocks(run, result, alignment, out));
        return out.spill();
    }

    Status end(const PairRun&, ReportText& out) override {
        out.text() += "#---------------------------------------\n#---------------------------------------\n";
        return {};
    }

   private:
    static void add_header(const PairRun& run, const PairResult& result, const Alignment& alignment, std::string& out) {
        const PairSequence& target = run.input.targets[result.target];
        const std::string_view target_name = identifier_of(target.header);
        const std::string_view query_name = identifier_of(run.input.queries[result.query].header);
        out += "#=======================================\n#\n# Aligned_sequences: 2\n# 1: ";
        out += query_name;
        out += "\n# 2: ";
        out += target_name;
        out += "\n# Matrix: " + run.scheme.matrix.name();
        append_printf(out, "\n# Gap_penalty: %d.0\n# Extend_penalty: %d.0\n", run.scheme.gaps.first(),
                      run.scheme.gaps.extend);
        if (result.minus) out += "# Strand: minus\n";
        out += "#\n";
        if (!run.score_only) {
            const auto all_target = std::span<const ResidueCode>(target.residues).subspan(alignment.target_begin);
            const AlignmentCounts counts =
                count_alignment(alignment, result.aligned_query(run.input), all_target, run.scheme.matrix);
            append_printf(out, "# Length: %llu\n", static_cast<unsigned long long>(counts.columns));
            add_share("# Identity:   ", counts.identities, counts.columns, out);
            add_share("# Similarity: ", counts.positives, counts.columns, out);
            add_share("# Gaps:       ", counts.gap_columns, counts.columns, out);
        }
        append_printf(out, "# Score: %lld.0\n", static_cast<long long>(alignment.score_raw));
        out += "# \n#\n#=======================================\n\n";
        if (!run.score_only && alignment.runs.empty()) {
            out += run.lists                      ? "# No alignment scores enough to be listed.\n\n"
                   : run.mode == PairMode::kLocal ? "# No residues score above 0: there is no alignment.\n\n"
                                                  : "# The best alignment is empty: nothing scores above 0.\n\n";
        }
    }

    static void add_share(const char* label, std::uint64_t part, std::uint64_t whole, std::string& out) {
        append_printf(out, "%s%5llu/%llu (%4.1f%%)\n", label, static_cast<unsigned long long>(part),
                      static_cast<unsigned long long>(whole),
                      whole > 0 ? 100 * static_cast<double>(part) / static_cast<double>(whole) : 0.0);
    }

    static Status add_blocks(const PairRun& run, const PairResult& result, const Alignment& alignment,
                             ReportText& out) {
        const std::string_view letters = letters_of(run.input.alphabet);
        const std::span<const ResidueCode> query = result.aligned_query(run.input);
        const std::span<const ResidueCode> target = run.input.targets[result.target].residues;
        // Positions have six digits as in EMBOSS, or more if they need them.
        const int digits =
            std::max<int>(6, static_cast<int>(std::to_string(std::max(query.size(), target.size())).size()));
        Line query_line(identifier_of(run.input.queries[result.query].header), alignment.query_begin, query.size(),
                        result.minus);
        Line target_line(identifier_of(run.input.targets[result.target].header), alignment.target_begin, target.size(),
                         false);
        std::array<char, kColumnsPerRow> marks{};
        std::size_t columns = 0;
        const auto print = [&] {
            query_line.print(digits, out.text());
            out.text().append(static_cast<std::size_t>(kNameWidth + digits + 2), ' ');
            out.text().append(marks.data(), columns);
            out.text() += '\n';
            target_line.print(digits, out.text());
            out.text() += '\n';
            columns = 0;
        };
        std::size_t q = alignment.query_begin, t = alignment.target_begin;
        for (const AlignmentRun& operations : alignment.runs) {
            const bool has_query = operations.operation != AlignmentOperation::kDelete;
            const bool has_target = operations.operation != AlignmentOperation::kInsert;
            for (std::uint64_t i = 0; i < operations.length; ++i) {
                marks[columns++] = has_query && has_target ? mark(run, query[q], target[t]) : ' ';
                query_line.add(has_query ? letters[query[q++]] : '-', has_query);
                target_line.add(has_target ? letters[target[t++]] : '-', has_target);
                if (columns < kColumnsPerRow) continue;
                print();
                WARPSEQ_TRY(out.spill());
            }
        }
        if (columns > 0) print();
        out.text() += '\n';
        return {};
    }
};

}  // namespace

std::unique_ptr<PairReportWriter> make_pair_blocks() { return std::make_unique<BlocksReport>(); }

AlignmentText pair_alignment_text(const PairRun& run, const PairResult& result) {
    const std::span<const ResidueCode> query = result.aligned_query(run.input);
    const std::span<const ResidueCode> target = result.aligned_target(run.input);
    AlignmentText text =
        draw_alignment(result.alignment, query, target, run.scheme.matrix, letters_of(run.input.alphabet));
    std::size_t q = result.alignment.query_begin, t = 0, column = 0;
    for (const AlignmentRun& operations : result.alignment.runs) {
        const bool has_query = operations.operation != AlignmentOperation::kDelete;
        const bool has_target = operations.operation != AlignmentOperation::kInsert;
        for (std::uint64_t i = 0; i < operations.length; ++i, q += has_query, t += has_target)
            text.middle[column++] = has_query && has_target ? mark(run, query[q], target[t]) : ' ';
    }
    return text;
}

}  // namespace warpseq

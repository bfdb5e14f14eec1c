// Writes --outfmt paf, sam and json, for other programs. All three give the target forward. On the
// minus strand, PAF and JSON give the positions in the query as it was given. SAM gives its reverse
// complement as the record's sequence.
#include <map>
#include <optional>
#include <set>

#include "formats/fasta/fasta.h"
#include "formats/io/json_writer.h"
#include "libcore/base/version.h"
#include "reports/alignment_text.h"
#include "reports/pair/pair_report.h"

namespace warpseq {

namespace {

struct Measures {
    AlignmentCounts counts;
    std::string cigar;                     // = X I D, along the target
    std::uint64_t edits;                   // NM: mismatches and residues in gaps
    std::uint64_t query_begin, query_end;  // in the query as it was given, from 0, half open
};

Measures measure(const PairRun& run, const PairResult& result) {
    const auto query = result.aligned_query(run.input);
    const auto target = result.aligned_target(run.input);
    Measures measures;
    measures.counts = count_alignment(result.alignment, query, target, run.scheme.matrix);
    measures.cigar = extended_cigar(result.alignment, query, target);
    measures.edits = measures.counts.mismatches + measures.counts.gap_columns;
    measures.query_begin = result.minus ? query.size() - result.alignment.query_end : result.alignment.query_begin;
    measures.query_end = result.minus ? query.size() - result.alignment.query_begin : result.alignment.query_end;
    return measures;
}

// Returns the identifier, or "*" if there is none, because a column must not be empty.
std::string_view name_of(const PairSequence& sequence) {
    const std::string_view name = identifier_of(sequence.header);
    return name.empty() ? "*" : name;
}

class PafReport final : public PairReportWriter {
   public:
    Status begin(const PairRun&, ReportText&) override { return {}; }
    Status add(const PairRun& run, const PairResult& result, ReportText& out) override {
        if (!result.has_alignment()) return {};
        const PairSequence& query = run.input.queries[result.query];
        const PairSequence& target = run.input.targets[result.target];
        const Measures measures = measure(run, result);
        std::string& text = out.text();
        const auto column = [&](std::uint64_t number) { text += '\t' + std::to_string(number); };
        text += name_of(query);
        column(query.residues.size());
        column(measures.query_begin);
        column(measures.query_end);
        text += result.minus ? "\t-\t" : "\t+\t";
        text += name_of(target);
        column(target.residues.size());
        column(result.alignment.target_begin);
        column(result.alignment.target_end);
        column(measures.counts.identities);
        column(measures.counts.columns);
        column(255);  // mapping quality: not known
        text += "\tNM:i:" + std::to_string(measures.edits) + "\tAS:i:" + std::to_string(result.alignment.score_raw) +
                "\tcg:Z:" + measures.cigar + '\n';
        return out.spill();
    }
    Status end(const PairRun&, ReportText&) override { return {}; }
};

class SamReport final : public PairReportWriter {
   public:
    Status begin(const PairRun& run, ReportText& out) override {
        out.text() += "@HD\tVN:1.6\tSO:unsorted\n";
        std::set<std::size_t> used;
        for (const auto& pair : run.input.listed) used.insert(pair.second);
        // Records name targets by identifier alone. Readers refuse a file in which one is repeated.
        std::map<std::string_view, std::size_t> named;
        for (std::size_t t = 0; t < run.input.targets.size(); ++t) {
            if (!run.input.all_pairs && !used.contains(t)) continue;
            const PairSequence& target = run.input.targets[t];
            const std::string_view name = identifier_of(target.header);
            if (name.empty()) {
                return Status::invalid_input("target " + std::to_string(t + 1) +
                                             " has no name, and SAM needs one; name it, or choose another format");
            }
            const auto [entry, is_first] = named.try_emplace(name, t);
            if (!is_first) {
                if (run.input.targets[entry->second].residues == target.residues) continue;
                return Status::invalid_input("two different targets are called " + std::string(name) +
                                             ", which SAM cannot tell apart; rename one, or choose another format");
            }
            out.text() += "@SQ\tSN:" + std::string(name) + "\tLN:" + std::to_string(target.residues.size()) + '\n';
        }
        // There is no CL, because the output must not depend on devices and threads.
        out.text() += "@PG\tID:warpseq\tPN:search pair\tVN:" + std::string(program_version()) + '\n';
        return out.spill();
    }

    Status add(const PairRun& run, const PairResult& result, ReportText& out) override {
        if (!result.has_alignment()) return {};
        const Measures measures = measure(run, result);
        const auto query = result.aligned_query(run.input);
        const Alignment& alignment = result.alignment;
        const auto clip = [](std::uint64_t residues) {
            return residues > 0 ? std::to_string(residues) + "S" : std::string();
        };
        std::string& text = out.text();
        text += name_of(run.input.queries[result.query]);
        constexpr unsigned kReversed = 16, kSupplementary = 2048;
        text += '\t' + std::to_string((result.minus ? kReversed : 0) | (result.number > 1 ? kSupplementary : 0)) + '\t';
        text += identifier_of(run.input.targets[result.target].header);
        text += '\t' + std::to_string(alignment.target_begin + 1) + "\t255\t" + clip(alignment.query_begin) +
                measures.cigar + clip(query.size() - alignment.query_end) + "\t*\t0\t0\t";
        const std::string_view letters = letters_of(run.input.alphabet);
        const std::size_t begin = text.size();
        for (const ResidueCode code : query) text += letters[code];
        // SAM has no letter for a stop. "*" means that the sequence is not given.
        if (text.find('*', begin) != std::string::npos) text.replace(begin, std::string::npos, "*");
        text += "\t*\tNM:i:" + std::to_string(measures.edits) + "\tAS:i:" + std::to_string(alignment.score_raw) + '\n';
        return out.spill();
    }
    Status end(const PairRun&, ReportText&) override { return {}; }
};

class JsonReport final : public PairReportWriter {
   public:
    Status begin(const PairRun& run, ReportText& out) override {
        JsonWriter& json = json_.emplace(out.text(), JsonWriter::Layout::kCompact);
        json.begin_object();
        json.member("program", "warpseq search pair");
        json.member("version", program_version());
        json.line_break();
        json.key("parameters").begin_object();
        json.member("mode", pair_mode_name(run.mode));
        json.member("alphabet", run.input.alphabet == Alphabet::kNucleotide ? "nucleotide" : "protein");
        json.member("matrix", run.scheme.matrix.name());
        json.member("gap_open", run.scheme.gaps.open);
        json.member("gap_extend", run.scheme.gaps.extend);
        json.end_object();
        json.line_break();
        json.key("pairs").begin_array();
        return {};
    }

    Status add(const PairRun& run, const PairResult& result, ReportText& out) override {
        const PairSequence& query = run.input.queries[result.query];
        const PairSequence& target = run.input.targets[result.target];
        JsonWriter& json = *json_;
        if (result.number == 1) {
            json.line_break();
            json.begin_object();
            add_sequence("query", query);
            add_sequence("target", target);
            if (run.lists) json.key("alignments").begin_array();
        }
        if (!run.lists) {
            add_score(run, result);
            if (result.has_alignment()) {
                json.key("alignment").begin_object();
                add_alignment(run, result);
                json.end_object();
            } else if (!run.score_only) {
                json.key("alignment").null();
            }
        } else if (result.has_alignment()) {
            json.line_break();
            json.begin_object();
            add_score(run, result);
            add_alignment(run, result);
            json.end_object();
        }
        if (result.number == result.of) {
            if (run.lists) json.end_array();
            json.end_object();
        }
        return out.spill();
    }

    Status end(const PairRun&, ReportText&) override {
        json_->line_break();
        json_->end_array();
        json_->end_object();
        json_->line_break();
        return {};
    }

   private:
    void add_score(const PairRun& run, const PairResult& result) {
        JsonWriter& json = *json_;
        json.member("score", result.alignment.score_raw);
        if (run.input.alphabet == Alphabet::kNucleotide) json.member("strand", result.minus ? "minus" : "plus");
        if (!run.statistics) return;
        const std::uint64_t query_residues = run.input.queries[result.query].residues.size();
        const std::uint64_t target_residues = run.input.targets[result.target].residues.size();
        json.member("bits", run.statistics->bits(result.alignment.score_raw));
        json.member("evalue", run.statistics->evalue(static_cast<double>(result.alignment.score_raw), query_residues,
                                                     target_residues, target_residues));
    }

    void add_alignment(const PairRun& run, const PairResult& result) {
        JsonWriter& json = *json_;
        const Measures measures = measure(run, result);
        json.member("query_from", measures.query_begin + 1);
        json.member("query_to", measures.query_end);
        json.member("target_from", result.alignment.target_begin + 1);
        json.member("target_to", result.alignment.target_end);
        json.member("columns", measures.counts.columns);
        json.member("identities", measures.counts.identities);
        json.member("positives", measures.counts.positives);
        json.member("gaps", measures.counts.gap_columns);
        json.member("gap_openings", measures.counts.gap_openings);
        json.member("cigar", measures.cigar);
    }

    void add_sequence(std::string_view role, const PairSequence& record) {
        json_->key(role).begin_object();
        json_->member("id", identifier_of(record.header));
        json_->member("description", description_of(record.header));
        json_->member("residues", record.residues.size());
        json_->end_object();
    }

    std::optional<JsonWriter> json_;  // the writer of all calls
};

}  // namespace

std::unique_ptr<PairReportWriter> make_pair_paf() { return std::make_unique<PafReport>(); }
std::unique_ptr<PairReportWriter> make_pair_sam() { return std::make_unique<SamReport>(); }
std::unique_ptr<PairReportWriter> make_pair_json() { return std::make_unique<JsonReport>(); }

}  // namespace warpseq

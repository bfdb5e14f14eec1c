#include "reports/hmmer/hmm_text_report.h"

#include <algorithm>

#include "engines/hmm/hmm_thresholds.h"
#include "libcore/base/append_printf.h"
#include "reports/hmmer/hmm_alignment_display.h"

namespace warpseq {

namespace {

constexpr std::string_view kRule = "# - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -\n";
constexpr int kLeastDescriptionWidth = 32;

const std::string& shown_name(const HmmRun& run, const std::string& name, const std::string& accession) {
    return run.show_accessions && !accession.empty() ? accession : name;
}

const std::string& shown_name(const HmmRun& run, const HmmHit& hit) {
    return shown_name(run, hit.target_name, hit.target_accession);
}

/// Returns the description. It is cut so that a line whose other columns take `taken` stays within
/// the text width.
std::string shown_description(const HmmRun& run, const HmmHit& hit, int taken) {
    if (run.text_width == 0) return hit.target_description;
    const int width = std::max(kLeastDescriptionWidth, run.text_width - taken);
    return hit.target_description.substr(0, static_cast<std::size_t>(width));
}

char mark_of(const HmmHit& hit) {
    switch (hit.change) {
        case HmmHit::Change::kNew: return '+';
        case HmmHit::Change::kLost: return '-';
        case HmmHit::Change::kNone: break;
    }
    return ' ';
}

void append_hit_list(const HmmRun& run, HmmQueryKind kind, const HmmReport& report, std::string& out) {
    const bool of_models = kind == HmmQueryKind::kScanned;
    int name_width = 8;
    for (const HmmHit& hit : report.hits)
        name_width = std::max(name_width, static_cast<int>(shown_name(run, hit).size()));

    out += of_models ? "Scores for complete sequence (score includes all domains):\n"
                     : "Scores for complete sequences (score includes all domains):\n";
    append_printf(out, "  %22s  %22s  %8s\n", " --- full sequence ---", " --- best 1 domain ---", "-#dom-");
    append_printf(out, "  %9s %6s %5s  %9s %6s %5s  %5s %2s  %-*s %s\n", "E-value", " score", " bias", "E-value",
                  " score", " bias", "  exp", "N", name_width, of_models ? "Model" : "Sequence", "Description");
    append_printf(out, "  %9s %6s %5s  %9s %6s %5s  %5s %2s  %-*s %s\n", "-------", "------", "-----", "-------",
                  "------", "-----", " ----", "--", name_width, "--------", "-----------");
    bool below_inclusion = false;
    for (const HmmHit& hit : report.hits) {
        if (!hit.reported) continue;
        if (!hit.included && !below_inclusion) {
            out += "  ------ inclusion threshold ------\n";
            below_inclusion = true;
        }
        const HmmDomain& best = hit.domains[static_cast<std::size_t>(hit.best_domain)];
        append_printf(out, "%c %9.2g %6.1f %5.1f  %9.2g %6.1f %5.1f  %5.1f %2d  %-*s  %s\n", mark_of(hit),
                      evalue(report, hit), hit.score_bits, bias_bits(hit), independent_evalue(report, best),
                      best.score_bits, bias_bits(best), hit.expected_domains, hit.reported_domains, name_width,
                      shown_name(run, hit).c_str(), shown_description(run, hit, name_width + 61).c_str());
    }
    if (report.reported == 0) out += "\n   [No hits detected that satisfy reporting thresholds]\n";
}

/// The marks of a range, such as "[.". They tell whether the range begins at 1, and whether it ends
/// at the end of the sequence or model.
struct Edges {
    char left, right;
    Edges(std::int64_t from, std::int64_t to, std::int64_t length)
        : left(from == 1 ? '[' : '.'), right(to == length ? ']' : '.') {}
};

void append_domain_lines(const HmmModel& model, const HmmReport& report, const HmmHit& hit, std::string& out) {
    for (const bool rule : {false, true}) {
        const auto column = [&](const char* title, const char* dashes) { return rule ? dashes : title; };
        append_printf(out, " %3s   %6s %5s %9s %9s %7s %7s %2s %7s %7s %2s %7s %7s %2s %4s\n", column("#", "---"),
                      column("score", "------"), column("bias", "-----"), column("c-Evalue", "---------"),
                      column("i-Evalue", "---------"), column("hmmfrom", "-------"), column("hmm to", "-------"), "",
                      column("alifrom", "-------"), column("ali to", "-------"), "", column("envfrom", "-------"),
                      column("env to", "-------"), "", column("acc", "----"));
    }
    const auto residues = static_cast<std::int64_t>(hit.target_residues);
    int number = 0;
    for (const HmmDomain& domain : hit.domains) {
        if (!domain.reported) continue;
        const Edges nodes(domain.node_from, domain.node_to, model.length);
        const Edges alignment(domain.alignment_from, domain.alignment_to, residues);
        const Edges envelope(domain.envelope_from, domain.envelope_to, residues);
        append_printf(out, " %3d %c %6.1f %5.1f %9.2g %9.2g %7d %7d %c%c %7lld %7lld %c%c %7lld %7lld %c%c %4.2f\n",
                      ++number, domain.included ? '!' : '?', domain.score_bits, bias_bits(domain),
                      conditional_evalue(report, domain), independent_evalue(report, domain), domain.node_from,
                      domain.node_to, nodes.left, nodes.right, static_cast<long long>(domain.alignment_from),
                      static_cast<long long>(domain.alignment_to), alignment.left, alignment.right,
                      static_cast<long long>(domain.envelope_from), static_cast<long long>(domain.envelope_to),
                      envelope.left, envelope.right, mean_accuracy(domain));
    }
}

void append_domains(const HmmRun& run, HmmQueryKind kind, const HmmQuery& query, const HmmReport& report,
                    std::string& out) {
    const bool of_models = kind == HmmQueryKind::kScanned;
    out += of_models ? "Domain annotation for each model" : "Domain annotation for each sequence";
    out += run.show_alignments ? " (and alignments):\n" : ":\n";
    for (const HmmHit& hit : report.hits) {
        if (!hit.reported) continue;
        const std::string& name = shown_name(run, hit);
        out += ">> " + name + "  " + shown_description(run, hit, static_cast<int>(name.size()) + 5) + "\n";
        if (hit.reported_domains == 0) {
            out += "   [No individual domains that satisfy reporting thresholds (although complete target did)]\n\n";
            continue;
        }
        append_domain_lines(query.model_of(hit), report, hit, out);
        out += '\n';
        if (!run.show_alignments) continue;
        out += "  Alignments for each domain:\n";
        int number = 0;
        for (const HmmDomain& domain : hit.domains) {
            if (!domain.reported) continue;
            append_printf(out, "  == domain %d  score: %.1f bits;  conditional E-value: %.2g\n", ++number,
                          domain.score_bits, conditional_evalue(report, domain));
            // In HMMER the profile of a single sequence does not have the sequence's accession.
            const bool has_accession = kind != HmmQueryKind::kSequence || !query.is_of_one_sequence;
            const std::string& query_name = has_accession ? shown_name(run, query.name, query.accession) : query.name;
            append_alignment(draw_alignment(query.model_of(hit), domain), domain, of_models ? name : query_name,
                             of_models ? query_name : name, run.text_width, out);
            out += '\n';
        }
    }
    if (report.reported == 0) out += "\n   [No targets detected that satisfy reporting thresholds]\n";
}

void append_summary(const HmmRun& run, HmmQueryKind kind, const HmmReport& report, std::string& out) {
    using Count = unsigned long long;
    const HmmStageCounts& counts = report.counts;
    out += "Internal pipeline statistics summary:\n-------------------------------------\n";
    const bool of_models = kind == HmmQueryKind::kScanned;
    const auto sequences = [&](const char* label) {
        append_printf(out, "%-28s %15llu  (%llu residues searched)\n", label, Count{counts.targets},
                      Count{counts.residues});
    };
    const auto models = [&](const char* label) {
        append_printf(out, "%-28s %15llu  (%llu nodes)\n", label, Count{counts.models}, Count{counts.nodes});
    };
    if (of_models) {
        sequences("Query sequence(s):");
        models("Target model(s):");
    } else {
        models("Query model(s):");
        sequences("Target sequences:");
    }
    const auto targets = static_cast<double>(of_models ? counts.models : counts.targets);
    const auto filter = [&](const char* label, std::uint64_t passed, double pvalue) {
        append_printf(out, "%-28s %15llu  (", label, Count{passed});
        // HMMER divides by 0 here, which prints with this sign.
        if (targets > 0) append_printf(out, "%.6g", static_cast<double>(passed) / targets);
        if (targets == 0) out += "-nan";
        append_printf(out, "); expected %.1f (%.6g)\n", pvalue * targets, pvalue);
    };
    filter("Passed MSV filter:", counts.passed_msv, run.msv_pvalue);
    filter("Passed bias filter:", counts.passed_bias, run.msv_pvalue);
    filter("Passed Vit filter:", counts.passed_viterbi, run.viterbi_pvalue);
    filter("Passed Fwd filter:", counts.passed_forward, run.forward_pvalue);
    append_printf(out, "Initial search space (Z):    %15.0f  %s\n", report.targets_z,
                  report.z_given ? "[as set by --Z on cmdline]" : "[actual number of targets]");
    append_printf(
        out, "Domain search space  (domZ): %15.0f  %s\n", report.domains_z,
        report.domain_z_given ? "[as set by --domZ on cmdline]" : "[number of targets reported over threshold]");
}

}  // namespace

void append_report_header(const HmmRun& run, HmmQueryKind kind, std::string& out) {
    const bool sequences = kind != HmmQueryKind::kProfile, scans = kind == HmmQueryKind::kScanned;
    const HmmReportProgram& program = run.program;
    out += "# " + program.name + " :: ";
    out += !program.banner.empty() ? program.banner
           : scans                 ? "search sequence(s) against a profile database"
           : sequences             ? "search sequence(s) against a sequence database, as profiles"
                                   : "search profile(s) against a sequence database";
    out += '\n';
    for (const std::string& line_of_credit : program.credits) out += "# " + line_of_credit + "\n";
    out += kRule;
    const auto line = [&](const char* label, const std::string& value) {
        append_printf(out, "# %-33s%s\n", label, value.c_str());
    };
    line(sequences ? "query sequence file:" : "query HMM file:", run.query_file);
    line(scans ? "target HMM database:" : "target sequence database:", run.database_names);
    for (const HmmRun::Given& given : run.given) {
        if (!given.is_default && !given.label.empty()) line(given.label.c_str(), given.shown);
    }
    out += kRule;
    out += '\n';
}

void append_query_lines(HmmQueryKind kind, const HmmQuery& query, std::string& out) {
    append_printf(out, "Query:       %s  [%c=%llu]\n", query.name.c_str(), kind == HmmQueryKind::kProfile ? 'M' : 'L',
                  static_cast<unsigned long long>(query.length));
    if (!query.accession.empty()) out += "Accession:   " + query.accession + "\n";
    if (!query.description.empty()) out += "Description: " + query.description + "\n";
}

void append_search_results(const HmmRun& run, HmmQueryKind kind, const HmmQuery& query, const HmmReport& report,
                           std::string& out) {
    append_hit_list(run, kind, report, out);
    out += "\n\n";
    append_domains(run, kind, query, report, out);
    out += "\n\n";
    append_summary(run, kind, report, out);
}

void append_query_report(const HmmRun& run, HmmQueryKind kind, const HmmQuery& query, const HmmReport& report,
                         std::string& out) {
    append_query_lines(kind, query, out);
    append_search_results(run, kind, query, report, out);
    out += "//\n";
}

}  // namespace warpseq

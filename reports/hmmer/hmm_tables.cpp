#include "reports/hmmer/hmm_tables.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "engines/hmm/hmm_thresholds.h"
#include "libcore/base/append_printf.h"

namespace warpseq {

namespace {

const char* or_dash(const std::string& text) { return text.empty() ? "-" : text.c_str(); }

/// The widths of the name columns. A column is at least as wide as given here, and as wide as the
/// longest name of all hits, including those that are not reported.
struct NameWidths {
    int target = 20, target_accession = 10, query = 20, query_accession = 10;
};

int longer(int width, const std::string& text) { return std::max(width, static_cast<int>(text.size())); }

NameWidths name_widths(const HmmReport& report) {
    NameWidths widths;
    for (const HmmHit& hit : report.hits) {
        widths.target = longer(widths.target, hit.target_name);
        widths.target_accession = longer(widths.target_accession, hit.target_accession);
    }
    return widths;
}

NameWidths name_widths(const HmmQuery& query, const HmmReport& report) {
    NameWidths widths = name_widths(report);
    widths.query = longer(widths.query, query.name);
    widths.query_accession = longer(widths.query_accession, query.accession);
    return widths;
}

constexpr const char* kNameRule = "--------------------";  // as wide as the narrowest name column
constexpr const char* kFirstNameRule = "-------------------";
constexpr const char* kAccessionRule = "----------";
constexpr const char* kDescriptionRule = "---------------------";

void append_target_header(const NameWidths& w, std::string& out) {
    append_printf(out, "#%*s %22s %22s %33s\n", w.target + w.query + w.target_accession + w.query_accession + 2, "",
                  "--- full sequence ----", "--- best 1 domain ----", "--- domain number estimation ----");
    append_printf(out, "#%-*s %-*s %-*s %-*s %9s %6s %5s %9s %6s %5s %5s %3s %3s %3s %3s %3s %3s %3s %s\n",
                  w.target - 1, " target name", w.target_accession, "accession", w.query, "query name",
                  w.query_accession, "accession", "  E-value", " score", " bias", "  E-value", " score", " bias", "exp",
                  "reg", "clu", " ov", "env", "dom", "rep", "inc", "description of target");
    append_printf(out, "#%*s %*s %*s %*s %9s %6s %5s %9s %6s %5s %5s %3s %3s %3s %3s %3s %3s %3s %s\n", w.target - 1,
                  kFirstNameRule, w.target_accession, kAccessionRule, w.query, kNameRule, w.query_accession,
                  kAccessionRule, "---------", "------", "-----", "---------", "------", "-----", "---", "---", "---",
                  "---", "---", "---", "---", "---", kDescriptionRule);
}

void append_domain_header(const NameWidths& w, std::string& out) {
    append_printf(out, "#%*s %22s %40s %11s %11s %11s\n",
                  w.target + w.query + w.target_accession + w.query_accession + 14, "", "--- full sequence ---",
                  "-------------- this domain -------------", "hmm coord", "ali coord", "env coord");
    append_printf(out,
                  "#%-*s %-*s %5s %-*s %-*s %5s %9s %6s %5s %3s %3s %9s %9s %6s %5s %5s %5s %5s %5s %5s %5s %4s %s\n",
                  w.target - 1, " target name", w.target_accession, "accession", "tlen", w.query, "query name",
                  w.query_accession, "accession", "qlen", "E-value", "score", "bias", "#", "of", "c-Evalue", "i-Evalue",
                  "score", "bias", "from", "to", "from", "to", "from", "to", "acc", "description of target");
    append_printf(out, "#%*s %*s %5s %*s %*s %5s %9s %6s %5s %3s %3s %9s %9s %6s %5s %5s %5s %5s %5s %5s %5s %4s %s\n",
                  w.target - 1, kFirstNameRule, w.target_accession, kAccessionRule, "-----", w.query, kNameRule,
                  w.query_accession, kAccessionRule, "-----", "---------", "------", "-----", "---", "---", "---------",
                  "---------", "------", "-----", "-----", "-----", "-----", "-----", "-----", "-----", "----",
                  kDescriptionRule);
}

struct NumberedDomain {
    const HmmHit* hit;
    const HmmDomain* domain;
    int number;  // among the reported domains of its target, from 1
};

std::vector<NumberedDomain> reported_domains(const HmmReport& report) {
    std::vector<NumberedDomain> domains;
    for (const HmmHit& hit : report.hits) {
        if (!hit.reported) continue;
        int number = 0;
        for (const HmmDomain& domain : hit.domains)
            if (domain.reported) domains.push_back({&hit, &domain, ++number});
    }
    return domains;
}

}  // namespace

void append_target_table(const HmmQuery& query, const HmmReport& report, bool with_header, std::string& out) {
    const NameWidths w = name_widths(query, report);
    if (with_header) append_target_header(w, out);
    for (const HmmHit& hit : report.hits) {
        if (!hit.reported) continue;
        const HmmDomain& best = hit.domains[static_cast<std::size_t>(hit.best_domain)];
        append_printf(out,
                      "%-*s %-*s %-*s %-*s %9.2g %6.1f %5.1f %9.2g %6.1f %5.1f %5.1f %3d %3d %3d %3d %3d %3d %3d %s\n",
                      w.target, hit.target_name.c_str(), w.target_accession, or_dash(hit.target_accession), w.query,
                      query.name.c_str(), w.query_accession, or_dash(query.accession), evalue(report, hit),
                      hit.score_bits, bias_bits(hit), independent_evalue(report, best), best.score_bits,
                      bias_bits(best), hit.expected_domains, hit.regions, hit.clustered_regions,
                      hit.overlapping_envelopes, hit.envelopes, static_cast<int>(hit.domains.size()),
                      hit.reported_domains, hit.included_domains, or_dash(hit.target_description));
    }
}

void append_domain_table(const HmmQuery& query, const HmmReport& report, bool with_header, std::string& out) {
    const NameWidths w = name_widths(query, report);
    if (with_header) append_domain_header(w, out);
    for (const auto& [hit, domain, number] : reported_domains(report)) {
        append_printf(out, "%-*s %-*s %5llu %-*s %-*s %5llu %9.2g %6.1f %5.1f %3d %3d ", w.target,
                      hit->target_name.c_str(), w.target_accession, or_dash(hit->target_accession),
                      static_cast<unsigned long long>(query.target_length(*hit)), w.query, query.name.c_str(),
                      w.query_accession, or_dash(query.accession), static_cast<unsigned long long>(query.length),
                      evalue(report, *hit), hit->score_bits, bias_bits(*hit), number, hit->reported_domains);
        append_printf(out, "%9.2g %9.2g %6.1f %5.1f %5d %5d %5lld %5lld %5lld %5lld %4.2f %s\n",
                      conditional_evalue(report, *domain), independent_evalue(report, *domain), domain->score_bits,
                      bias_bits(*domain), domain->node_from, domain->node_to,
                      static_cast<long long>(domain->alignment_from), static_cast<long long>(domain->alignment_to),
                      static_cast<long long>(domain->envelope_from), static_cast<long long>(domain->envelope_to),
                      mean_accuracy(*domain), or_dash(hit->target_description));
    }
}

void append_pfam_table(const HmmReport& report, std::string& out) {
    const int name_width = name_widths(report).target;
    out += "# Sequence scores\n# ---------------\n#\n";
    append_printf(out, "# %-*s %6s %9s %3s %5s %5s    %s\n", name_width - 1, "name", " bits", "  E-value", "n", "exp",
                  " bias", "description");
    append_printf(out, "# %*s %6s %9s %3s %5s %5s    %s\n", name_width - 1, kFirstNameRule, "------", "---------",
                  "---", "-----", "-----", kDescriptionRule);
    for (const HmmHit& hit : report.hits) {
        if (!hit.reported) continue;
        append_printf(out, "%-*s  %6.1f %9.2g %3d %5.1f %5.1f    %s\n", name_width, hit.target_name.c_str(),
                      hit.score_bits, evalue(report, hit), static_cast<int>(hit.domains.size()), hit.expected_domains,
                      bias_bits(hit), or_dash(hit.target_description));
    }
    out += '\n';

    std::vector<NumberedDomain> domains = reported_domains(report);
    // Domains are sorted as targets are: by the measure that decides on inclusion, then by name,
    // then by position.
    std::ranges::stable_sort(domains, [&](const NumberedDomain& a, const NumberedDomain& b) {
        const auto key = [&](const HmmDomain& domain) {
            return report.thresholds.include_by_evalue ? -domain.log_pvalue : domain.score_bits;
        };
        if (key(*a.domain) != key(*b.domain)) return key(*a.domain) > key(*b.domain);
        if (const int order = a.hit->target_name.compare(b.hit->target_name); order != 0) return order < 0;
        const auto place = [](const HmmDomain& domain) {
            return std::tuple(domain.alignment_from >= domain.alignment_to, domain.alignment_from);
        };
        return place(*a.domain) < place(*b.domain);
    });
    out += "# Domain scores\n# -------------\n#\n";
    append_printf(out, "# %-*s %6s %9s %5s %5s %6s %6s %6s %6s %6s %6s     %s\n", name_width - 1, " name", "bits",
                  "E-value", "hit", "bias", "env-st", "env-en", "ali-st", "ali-en", "hmm-st", "hmm-en", "description");
    append_printf(out, "# %*s %6s %9s %5s %5s %6s %6s %6s %6s %6s %6s      %s\n", name_width - 1, kFirstNameRule,
                  "------", "---------", "-----", "-----", "------", "------", "------", "------", "------", "------",
                  kDescriptionRule);
    for (const auto& [hit, domain, number] : domains) {
        append_printf(out, "%-*s  %6.1f %9.2g %5d %5.1f %6lld %6lld %6lld %6lld %6d %6d     %s\n", name_width,
                      hit->target_name.c_str(), domain->score_bits, independent_evalue(report, *domain), number,
                      bias_bits(*domain), static_cast<long long>(domain->envelope_from),
                      static_cast<long long>(domain->envelope_to), static_cast<long long>(domain->alignment_from),
                      static_cast<long long>(domain->alignment_to), domain->node_from, domain->node_to,
                      or_dash(hit->target_description));
    }
}

void append_table_end(const HmmRun& run, std::string& out, HmmTableKind kind) {
    out += "#\n# Program:         " + run.program.name + "\n";
    out += "# Version:         " + run.program.version + "\n";
    // HMMER writes SEARCH in Pfam's tables of hmmscan, too.
    const bool scans = run.scans_models && kind != HmmTableKind::kPfam;
    out += scans ? "# Pipeline mode:   SCAN\n" : "# Pipeline mode:   SEARCH\n";
    out += "# Query file:      " + run.query_file + "\n";
    out += "# Target file:     " + run.database_names + "\n";
    out += "# Option settings: " + run.command_line + "\n";
    if (!run.program.folder.empty()) out += "# Current dir:     " + run.program.folder + "\n";
    if (!run.program.date.empty()) out += "# Date:            " + run.program.date + "\n";
    out += "# [ok]\n";
}

}  // namespace warpseq

// Handmade reports of profile searches, for tests of computations on them and of their output.
// Scores, E-values and alignments are those that HMMER 3.3.2's hmmsearch found with Pfam's SH3_9
// profile among 520 Swiss-Prot sequences.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "engines/hmm/hmm_hit.h"
#include "engines/hmm/posterior_letter.h"
#include "libcore/profile/plan7_profile.h"
#include "libcore/profile/profile_hmm.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq::testing {

inline constexpr double kSampleTargets = 520;

/// Returns a model with only a name and a consensus.
inline ProfileHmm named_profile(std::string_view name, std::string_view consensus) {
    ProfileHmm hmm;
    hmm.name = name;
    hmm.consensus = consensus;
    hmm.length = static_cast<int>(consensus.size());
    return hmm;
}

/// Returns odds of 1 everywhere. Every residue is as likely as by chance.
inline ForwardProfile even_odds(const ProfileHmm& hmm) {
    ForwardProfile odds;
    odds.length = hmm.length;
    odds.match.assign(static_cast<std::size_t>(hmm.length) * kResidueTableSize, 1.0F);
    return odds;
}

/// Sets the alignment of a domain from the lines of a report: the model with '.' in inserts, the
/// residues with '-' in deletes, and the posterior letters.
inline void set_alignment(HmmDomain& domain, int node_from, std::int64_t from, std::string_view model,
                          std::string_view residues, std::string_view posteriors) {
    int node = node_from - 1;
    std::int64_t residue = from - 1;
    for (std::size_t i = 0; i < model.size(); ++i) {
        const TraceState state = model[i] == '.'      ? TraceState::kInsert
                                 : residues[i] == '-' ? TraceState::kDelete
                                                      : TraceState::kMatch;
        if (state != TraceState::kInsert) ++node;
        if (state != TraceState::kDelete) {
            ++residue;
            domain.aligned_residues.push_back(encode_residues(residues.substr(i, 1)).front());
        }
        domain.trace.push_back({state, node, residue, posterior_of(posteriors[i])});
    }
    domain.node_from = node_from;
    domain.node_to = node;
    domain.alignment_from = from;
    domain.alignment_to = residue;
}

/// Makes the residues of an alignment likelier than by chance where its match line has a '+'.
inline void set_likely(ForwardProfile& odds, const HmmDomain& domain, std::string_view match_line) {
    for (std::size_t i = 0; i < match_line.size(); ++i) {
        if (match_line[i] != '+') continue;
        const TraceStep& step = domain.trace[i];
        const ResidueCode code =
            domain.aligned_residues[static_cast<std::size_t>(step.residue - domain.alignment_from)];
        odds.match[code * static_cast<std::size_t>(odds.length) + static_cast<std::size_t>(step.node - 1)] = 1.5F;
    }
}

/// Sets a domain's P-value, score, bias and mean accuracy from their printed values. The envelope
/// must be set before.
inline void set_scores(HmmDomain& domain, double independent_evalue, float score_bits, float bias, float accuracy) {
    domain.log_pvalue = std::log(independent_evalue / kSampleTargets);
    domain.score_bits = score_bits;
    domain.bias_nats = bias * 0.69314718F;
    domain.expected_accuracy = accuracy * static_cast<float>(domain.envelope_to - domain.envelope_from + 1);
}

inline HmmHit named_hit(std::string_view name, double evalue, float score_bits, float bias) {
    HmmHit hit;
    hit.target_name = name;
    hit.log_pvalue = std::log(evalue / kSampleTargets);
    hit.score_bits = score_bits;
    hit.uncorrected_bits = score_bits + bias;
    return hit;
}

inline ProfileHmm sample_profile() {
    return named_profile("PF14604", "AlyDYtAsdddelslkkGdvvlVikkneeggWwigrnederGyfPsnyvk");
}

/// Returns a report with two targets and three domains. It is not finished yet (finish_report).
inline HmmReport sample_report() {
    HmmReport report;
    report.counts = {.models = 1,
                     .nodes = 50,
                     .targets = 520,
                     .residues = 228490,
                     .passed_msv = 15,
                     .passed_bias = 13,
                     .passed_viterbi = 4,
                     .passed_forward = 3};

    HmmHit second = named_hit("A7HWS2", 0.0004, 15.2F, 0.8F);
    second.target_residues = 105;
    second.expected_domains = 2.2F;
    second.regions = second.envelopes = 2;
    second.domains.resize(2);
    second.domains[0].envelope_from = 3, second.domains[0].envelope_to = 20;
    set_scores(second.domains[0], 1.6, 3.7F, 0.2F, 0.83F);
    set_alignment(second.domains[0], 15, 5, "lkkGdvvlVikkn", "IKKGDKVVILTGK", "89*******9984");
    second.domains[1].envelope_from = 21, second.domains[1].envelope_to = 48;
    set_scores(second.domains[1], 0.018, 9.9F, 0.0F, 0.89F);
    set_alignment(second.domains[1], 16, 21, "kkGdvvlVikkneeggWwigrn", "KKGDVVAVFPK-ENKALVQGVN",
                  "79*********.6999999987");
    report.hits.push_back(std::move(second));

    HmmHit first = named_hit("O60861", 5.5e-9, 30.8F, 0.4F);
    first.target_description = "Growth arrest-specific protein 7";
    first.target_residues = 476;
    first.expected_domains = 1.7F;
    first.regions = first.envelopes = 1;
    first.domains.resize(1);
    first.domains[0].envelope_from = 18, first.domains[0].envelope_to = 58;
    set_scores(first.domains[0], 1.4e-8, 29.5F, 0.4F, 0.92F);
    set_alignment(first.domains[0], 16, 24, "kkGdvvlVikkneeggWwigrned.erGyfPsnyvk",
                  "AAGELITLLQV-PDGGWWEGEKEDgLRGWFPASYVQ", "78*********.6***********99********97");
    report.hits.push_back(std::move(first));
    return report;
}

}  // namespace warpseq::testing

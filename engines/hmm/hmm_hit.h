// The results of a profile search: targets with their domains. The pipeline fills them in,
// thresholds decide which of them are reported and included, and reports print them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/profile/forward_backward.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// The kind of a search's queries: profiles, sequences from which profiles are built, or sequences
/// that are searched for models (as in hmmscan). In the last case the models are the targets.
enum class HmmQueryKind { kProfile, kSequence, kScanned };

struct HmmModel;

/// A domain of a hit. Positions count from 1 and ranges are closed, as in HMMER's tables. Envelope
/// and alignment positions are residues of the target, node positions are nodes of the model.
struct HmmDomain {
    std::int64_t envelope_from = 0, envelope_to = 0;
    std::int64_t alignment_from = 0, alignment_to = 0;
    int node_from = 0, node_to = 0;
    float envelope_nats = 0;      // Forward score of the envelope alone
    float null2_nats = 0;         // sum of null2 scores over the envelope
    float bias_nats = 0;          // the correction that was subtracted
    float expected_accuracy = 0;  // expected number of correctly aligned residues
    float score_bits = 0;
    double log_pvalue = 0;
    bool reported = false, included = false;

    std::vector<TraceStep> trace;               // residues count within the target
    std::vector<ResidueCode> aligned_residues;  // alignment_from .. alignment_to
};

struct HmmHit {
    std::uint32_t database = 0;                                     // index into the DatabaseSet
    std::uint64_t rank = 0;                                         // of the sequence in its database
    std::uint64_t input_position = 0;                               // of the sequence in its database's input
    std::string target_name, target_accession, target_description;  // empty: none
    std::uint64_t target_residues = 0;                              // length of the sequence, be it target or query
    std::shared_ptr<const HmmModel> model = {};                     // the target model, if models are the targets

    float score_bits = 0;
    float uncorrected_bits = 0;  // without the null2 correction; printed bias = uncorrected - corrected
    double log_pvalue = 0;
    double sort_key = 0;         // descending
    float expected_domains = 0;  // posterior expectation of the number of domains
    int regions = 0, clustered_regions = 0, overlapping_envelopes = 0, envelopes = 0;
    int best_domain = 0;  // index into domains
    int reported_domains = 0, included_domains = 0;
    bool reported = false, included = false;
    /// The change since the round before (hmm_rounds.h): newly included, or no longer included.
    enum class Change { kNone, kNew, kLost } change = Change::kNone;
    std::vector<HmmDomain> domains;  // in order of the target

    /// Returns the sequence's place in the order of databases and their inputs.
    std::pair<std::uint32_t, std::uint64_t> place() const { return {database, input_position}; }
};

/// Numbers of one query's targets that passed each stage, for the summary at the end of a report.
struct HmmStageCounts {
    std::uint64_t models = 0, nodes = 0;
    std::uint64_t targets = 0, residues = 0;
    std::uint64_t passed_msv = 0, passed_bias = 0, passed_viterbi = 0, passed_forward = 0;
};

/// Thresholds for reporting and including the hits of a profile. They come from options or from the
/// profile's own cutoffs.
struct HmmThresholds {
    bool by_evalue = true, domain_by_evalue = true;                  // reporting: E-value or bits
    bool include_by_evalue = true, include_domain_by_evalue = true;  // inclusion
    double evalue = 10, domain_evalue = 10, bits = 0, domain_bits = 0;
    double include_evalue = 0.01, include_domain_evalue = 0.01, include_bits = 0, include_domain_bits = 0;

    bool operator==(const HmmThresholds&) const = default;
};

/// The hits of one query, ready to print: sorted, and with thresholds applied.
struct HmmReport {
    /// All hits that were kept. Hits that are not `reported` are not printed, but they may widen
    /// the columns of tables.
    std::vector<HmmHit> hits;
    std::uint64_t reported = 0, included = 0;
    double targets_z = 0;  // Z: E-value = P * Z
    double domains_z = 0;  // domZ: conditional E-value = P * domZ
    bool z_given = false, domain_z_given = false;
    HmmThresholds thresholds;  // of hits without a model; hits with a model use the model's limits, of the same kinds
    HmmStageCounts counts;
    bool models_are_targets = false;
};

}  // namespace warpseq

// The decision about which hits and domains of a profile count: their order, and whether they are
// reported and included. HMMER 3 decides it in the same way at the end of a search.
//
//   Z     The number of targets, sequences or models (unless given).
//         A target's E-value is P * Z.
//   domZ  The number of reported targets (unless given).
//         A domain's conditional E-value is P * domZ. Its independent one is P * Z.
//
// A target is reported by its score or E-value. Some of the reported targets are included,
// likewise. Only domains of reported targets are reported, and only domains of included targets are
// included. So thresholds of domains depend on how many targets were reported, and all this runs
// when all hits of a profile are known.
#pragma once

#include "engines/hmm/hmm_hit.h"

namespace warpseq {

/// Finishes a report. Its thresholds and counts have to be set, as well as the scores, log P-values
/// and domains of its hits, which may be in any order. Sets Z and domZ if they were not given. Sets
/// the sort key, the best domain, the flags and the counts of each hit, and sorts the hits.
void finish_report(HmmReport& report);

// The single decisions. If a decision is true for a score, a Z and a domZ, it is also true for
// every higher score and for every lower Z and domZ.

bool is_reported(const HmmThresholds& limit, double evalue, float score_bits);
bool is_included(const HmmThresholds& limit, double evalue, float score_bits);
/// Whether a domain of an included target is included.
bool domain_is_included(const HmmThresholds& limit, double conditional_evalue, float score_bits);
/// Returns the key by which hits are sorted in descending order. It never falls if the score rises.
double sort_key(const HmmThresholds& limit, double log_pvalue, float score_bits);

/// Orders hits by key, then by name, then by the begin of the first domain's alignment. An
/// alignment of one residue comes after longer ones. Hits that are still equal stay in the order of
/// the input.
bool printed_before(const HmmHit& a, const HmmHit& b);

double evalue(const HmmReport& report, const HmmHit& hit);
double independent_evalue(const HmmReport& report, const HmmDomain& domain);
double conditional_evalue(const HmmReport& report, const HmmDomain& domain);

/// Return the bits that the null2 correction has subtracted from a score.
double bias_bits(const HmmHit& hit);
double bias_bits(const HmmDomain& domain);

/// Returns the mean expected accuracy per residue of the envelope.
double mean_accuracy(const HmmDomain& domain);

}  // namespace warpseq

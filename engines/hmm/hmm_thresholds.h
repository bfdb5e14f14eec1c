// Which hits and domains of a profile count: order, reported, included, as HMMER 3 decides it at
// the end of a search.
//
//   Z     the number of targets, sequences or models (unless given); a target's E-value is P * Z
//   domZ  the number of reported targets (unless given); a domain's conditional E-value is P * domZ, its independent one P * Z
//
// A target is reported, and of those some are included, by its score or E-value. Only domains of
// reported targets are reported, only domains of included targets are included. So thresholds of
// domains depend on how many targets were reported: this runs when all hits of a profile are known.
#pragma once

#include "engines/hmm/hmm_hit.h"

namespace warpseq {

/// Makes a report of hits in any order, with thresholds, counts, scores, log P-values and domains
/// filled in: sets Z and domZ where they were not given, and of each hit the sort key, the best
/// domain, flags and counts; sorts.
void finish_report(HmmReport& report);

// The single decisions. All of them hold for every score above one for which they hold, and for
// every Z and domZ below.

bool is_reported(const HmmThresholds& limit, double evalue, float score_bits);
bool is_included(const HmmThresholds& limit, double evalue, float score_bits);
/// Of an included target.
bool domain_is_included(const HmmThresholds& limit, double conditional_evalue, float score_bits);
/// What hits are sorted by, descending. It never falls as the score rises.
double sort_key(const HmmThresholds& limit, double log_pvalue, float score_bits);

/// By key, then name, then where the first domain's alignment starts, an alignment of one residue
/// behind longer ones; what is still equal stays in the order of the input.
bool printed_before(const HmmHit& a, const HmmHit& b);

double evalue(const HmmReport& report, const HmmHit& hit);
double independent_evalue(const HmmReport& report, const HmmDomain& domain);
double conditional_evalue(const HmmReport& report, const HmmDomain& domain);

/// What the null2 correction took from a score.
double bias_bits(const HmmHit& hit);
double bias_bits(const HmmDomain& domain);

/// Expected accuracy per residue of the envelope.
double mean_accuracy(const HmmDomain& domain);

}  // namespace warpseq

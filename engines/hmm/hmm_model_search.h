// A search for models in sequences (as hmmscan's). A batch of sequences is the database, and a file
// of profiles goes through it batch by batch.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engines/hmm/hmm_engine.h"
#include "engines/hmm/hmm_hit.h"
#include "engines/hmm/hmm_query_reader.h"
#include "engines/hmm/hmm_sequence_batch.h"
#include "engines/search_control.h"
#include "engines/session.h"
#include "libcore/base/status.h"
#include "libcore/profile/profile_hmm.h"

namespace warpseq {

struct HmmModelSearchSettings {
    HmmQuerySettings models;  // the file of profiles
    HmmSettings engine;
    /// Returns the thresholds of a model. An error of it counts only if a sequence passes the
    /// model's first filters, as in HMMER.
    std::function<Result<HmmThresholds>(const ProfileHmm& model)> thresholds_of;
    HmmThresholds thresholds;         // of models for which thresholds_of() returns an error
    HmmThresholds report_thresholds;  // of reports
};

/// Counts and times of searches.
struct HmmModelSearchFigures {
    std::uint64_t models = 0, nodes = 0;  // of the file
    HmmTimes times;
    std::optional<HmmGpuCounts> gpu_counts;
    double read_seconds = 0;            // spent on reading models
    std::vector<std::string> warnings;  // about the models
};

/// Opens the file of profiles for a search of `sequence_residues` residues, or 0 if that is not
/// known. The reader returns sources. If the file has sequences, kind() of the reader says so.
Result<HmmQueryReader> open_models(const HmmModelSearchSettings& settings, const Session& machine,
                                   std::uint64_t sequence_residues = 0);

/// Searches a batch of sequences for all models of the file. Returns a finished report for each
/// sequence. Adds times to `figures`, and sets its counts and warnings.
Result<std::vector<HmmReport>> search_for_models(const HmmSequenceBatch& sequences,
                                                 const HmmModelSearchSettings& settings, const SearchControl& control,
                                                 HmmModelSearchFigures& figures);

}  // namespace warpseq

#include "engines/build/hmm_build_engine.h"

#include <span>
#include <vector>

#include "engines/build/processed_alignment.h"
#include "kernels/simd/flush_subnormals.h"
#include "libcore/profile/profile_parameters.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {
namespace {

/// Alignments that are built at the same time: enough for all threads, unless they are large.
constexpr std::size_t kAlignmentsPerThread = 4;
constexpr std::size_t kLettersAtOnce = std::size_t{64} << 20;

std::size_t letters_of(const MultipleAlignment& alignment) { return alignment.rows.size() * alignment.columns(); }

/// Returns the residues of a row without gaps and missing data.
Result<std::vector<ResidueCode>> residues_of(const MultipleAlignment& alignment) {
    const Result<AlignedRows> rows = AlignedRows::from(alignment);
    if (!rows.ok()) return rows.status();
    std::vector<ResidueCode> residues;
    for (const ResidueCode code : (*rows)[0]) {
        if (code != kGapCode && code != kMissingCode) residues.push_back(code);
    }
    if (residues.empty()) {
        return Status::invalid_input("the sequence " + alignment.rows.front().name + " has no residues");
    }
    return residues;
}

Status calibrate_into(ProfileHmm& hmm, const HmmBuildSettings& settings, const CalibrationSequences& sequences,
                      const std::stop_token& stop) {
    const Result<HmmStatistics> statistics = calibrate(hmm, settings.backend, sequences, stop);
    if (!statistics.ok()) return statistics.status();
    hmm.statistics = *statistics;
    return {};
}

Status build_from_sequence(const MultipleAlignment& alignment, const HmmBuildSettings& settings,
                           const CalibrationSequences& sequences, const std::stop_token& stop, BuiltHmm& built) {
    const Result<std::vector<ResidueCode>> residues = residues_of(alignment);
    if (!residues.ok()) return residues.status();
    built.hmm = profile_of_sequence(*residues, alignment.rows.front().name, "", settings.single_sequence->replacements,
                                    settings.single_sequence->gaps);
    built.hmm.effective_sequences = 1.0f;
    return calibrate_into(built.hmm, settings, sequences, stop);
}

Status build_from_alignment(const MultipleAlignment& alignment, const HmmBuildSettings& settings,
                            const CalibrationSequences& sequences, const std::stop_token& stop, BuiltHmm& built) {
    ProfileBuildSettings profile_settings = settings.profile;
    profile_settings.keep_row_traces = settings.keeps_alignments;
    Result<BuiltProfile> profile = build_profile(alignment, profile_settings);
    if (!profile.ok()) return profile.status();
    if (settings.keeps_alignments) built.alignment = processed_alignment(alignment, *profile);
    built.hmm = std::move(profile->hmm);
    WARPSEQ_TRY(calibrate_into(built.hmm, settings, sequences, stop));
    finish_profile(built.hmm, settings.profile);
    return {};
}

}  // namespace

Result<BuiltHmm> build_hmm(const MultipleAlignment& alignment, const HmmBuildSettings& settings,
                           const CalibrationSequences& sequences, const std::stop_token& stop) {
    const FlushSubnormals flush;  // as HMMER builds profiles
    BuiltHmm built;
    built.name = alignment.name;
    built.description = alignment.description;
    built.sequences = alignment.rows.size();
    built.columns = alignment.columns();
    const bool is_single = alignment.rows.size() == 1 && settings.single_sequence;
    const Status status =
        (is_single ? build_from_sequence : build_from_alignment)(alignment, settings, sequences, stop, built);
    if (status.code() == StatusCode::kInvalidInput)
        return Status::invalid_input(settings.error_prefix + status.message());
    WARPSEQ_TRY(status);
    built.hmm.date = settings.date;
    built.entropy_bits = mean_match_relative_entropy_bits(built.hmm);
    return built;
}

Status HmmBuildEngine::run(const NextAlignment& next, const TakeHmm& take) const {
    const CalibrationSequences sequences(settings_.calibration);
    const std::size_t most = kAlignmentsPerThread * pool_.threads();
    for (bool more = true; more;) {
        std::vector<MultipleAlignment> alignments;
        Status failure;
        for (std::size_t letters = 0; more && alignments.size() < most && letters < kLettersAtOnce;) {
            MultipleAlignment alignment;
            const Result<bool> read = next(alignment);
            if (!read.ok()) failure = read.status();
            more = read.ok() && *read;
            if (!more) break;
            letters += letters_of(alignment);
            alignments.push_back(std::move(alignment));
        }
        std::vector<Result<BuiltHmm>> built(alignments.size(), Status::interrupted());
        WARPSEQ_TRY(pool_.parallel_for(alignments.size(), [&](std::uint64_t i, unsigned) {
            built[i] = build_hmm(alignments[i], settings_, sequences, pool_.stop());
            alignments[i] = {};
        }));
        for (Result<BuiltHmm>& each : built) {
            if (!each.ok()) return each.status();
            WARPSEQ_TRY(take(*std::move(each)));
        }
        WARPSEQ_TRY(failure);
    }
    return {};
}

}  // namespace warpseq

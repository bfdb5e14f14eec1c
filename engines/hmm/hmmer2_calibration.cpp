#include "engines/hmm/hmmer2_calibration.h"

namespace warpseq {

CalibrationSettings hmmer2_calibration() {
    CalibrationSettings settings;
    settings.with_hardly_any_information = true;
    return settings;
}

Status Hmmer2Calibrator::complete(ProfileHmm& hmm) {
    if (!hmm.calibrate_on_reading || hmm.statistics) return {};
    WARPSEQ_TRY(check_entry(hmm));
    if (!sequences_) sequences_.emplace(hmmer2_calibration());
    const auto statistics = calibrate(hmm, backend_, *sequences_);
    if (!statistics.ok()) return statistics.status();
    hmm.statistics = *statistics;
    return {};
}

}  // namespace warpseq

// Calibrates the profiles of HMMER2's files (formats/profiles/hmmer2_reader.h). HMMER 3 does so
// when it reads them, always with its standard numbers of random sequences and its standard seed.
#pragma once

#include <optional>

#include "engines/hmm/calibration.h"
#include "kernels/backend.h"
#include "libcore/base/status.h"
#include "libcore/profile/profile_hmm.h"

namespace warpseq {

/// Returns the settings of these calibrations.
CalibrationSettings hmmer2_calibration();

/// Gives profiles that were read from HMMER2's files their statistics. Not thread-safe.
class Hmmer2Calibrator {
   public:
    /// All back ends give the same numbers. The default is the fastest one here.
    explicit Hmmer2Calibrator(CpuBackend backend = runnable_cpu_backends().back()) : backend_(backend) {}

    /// Sets hmm.statistics if the profile has to be calibrated on reading. Other profiles, also
    /// those without statistics, stay as they are. Returns an error if the profile has no
    /// statistics, for example because no match state can be entered.
    Status complete(ProfileHmm& hmm);

   private:
    CpuBackend backend_;
    std::optional<CalibrationSequences> sequences_;  // drawn for the first profile
};

}  // namespace warpseq

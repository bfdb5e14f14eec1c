// Profiles without a search: reading files of them, building them from alignments, and aligning
// sequences to one.
#pragma once

#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "bindings/searches/query_text.h"
#include "engines/hmm/hmmer2_calibration.h"
#include "formats/profiles/hmm_file.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "libcore/profile/profile_hmm.h"
#include "libcore/sequence/multiple_alignment.h"
#include "options/hmmalign/hmmalign_options.h"
#include "options/hmmbuild/hmmbuild_options.h"

namespace warpseq {

using SharedProfile = std::shared_ptr<const ProfileHmm>;

/// A reader of the profiles of a file or a text. Profiles of HMMER2's files are calibrated as HMMER
/// 3 does it. It reads ahead for some milliseconds, except from pipes, which may have no more.
/// Not thread-safe.
class ProfileReader {
   public:
    explicit ProfileReader(QueryText text);
    /// Whether a profile has been read already, so that next() takes no time.
    bool is_ready() const { return !ahead_.empty(); }
    /// Returns the next profile, or null after the last one.
    Result<SharedProfile> next();

   private:
    Result<SharedProfile> read();

    QueryText text_;
    bool can_wait_;  // whether reading may wait for another process
    std::deque<SharedProfile> ahead_;
    Status failure_;  // the error behind the profiles in ahead_
    HmmFileReader reader_;
    Hmmer2Calibrator calibrator_;
};

/// Builds a profile from each alignment, as hmmbuild does. `options` have been read with the file
/// of `alignments`. An alignment in memory has no file name that could become the profile's name.
/// Returns Status::interrupted() soon after a stop is requested.
Result<std::vector<SharedProfile>> build_profiles(const QueryText& alignments, HmmbuildOptions options,
                                                  const std::stop_token& stop);

/// Aligns the sequences to the profile, as hmmalign does. `options` have been read with the file of
/// `sequences`.
Result<std::shared_ptr<const MultipleAlignment>> align_to_profile(const ProfileHmm& hmm, const QueryText& sequences,
                                                                  const HmmalignOptions& options,
                                                                  const std::stop_token& stop);

}  // namespace warpseq

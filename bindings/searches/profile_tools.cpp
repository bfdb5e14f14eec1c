#include "bindings/searches/profile_tools.h"

#include <system_error>
#include <utility>

#include "engines/build/hmm_build_engine.h"
#include "engines/hmm/sequence_aligner.h"
#include "formats/alignments/alignment_reader.h"
#include "formats/io/byte_source.h"
#include "formats/profiles/pressed_profiles.h"
#include "libcore/base/clock.h"
#include "libcore/base/thread_pool.h"
#include "options/hmmalign/hmmalign_input.h"
#include "options/hmmbuild/hmmbuild_input.h"

namespace warpseq {

ProfileReader::ProfileReader(QueryText text) : text_(std::move(text)), reader_(profile_file_of(text_.file())) {
    std::error_code error;
    can_wait_ = !std::filesystem::is_regular_file(text_.file(), error);
}

Result<SharedProfile> ProfileReader::next() {
    constexpr double kSecondsAhead = 0.005;
    if (ahead_.empty()) {
        WARPSEQ_TRY(failure_);
        const auto start = Clock::now();
        do {
            auto hmm = read();
            const bool has_one = hmm.ok() && *hmm != nullptr;
            if (!has_one && ahead_.empty()) return hmm;
            if (!hmm.ok()) failure_ = hmm.status();
            if (!has_one) break;
            ahead_.push_back(*std::move(hmm));
        } while (!can_wait_ && seconds_since(start) < kSecondsAhead);
    }
    SharedProfile first = std::move(ahead_.front());
    ahead_.pop_front();
    return first;
}

Result<SharedProfile> ProfileReader::read() {
    auto hmm = std::make_shared<ProfileHmm>();
    const auto has_one = reader_.next(*hmm);
    if (!has_one.ok()) return text_.named(has_one.status());
    if (!*has_one) return SharedProfile();
    WARPSEQ_TRY(calibrator_.complete(*hmm));
    return SharedProfile(std::move(hmm));
}

Result<std::vector<SharedProfile>> build_profiles(const QueryText& alignments, HmmbuildOptions options,
                                                  const std::stop_token& stop) {
    const bool is_in_memory = alignments.file() != alignments.name();
    auto source = ByteSource::open(alignments.file());
    if (!source.ok()) return source.status();
    options.alignment_file = alignments.name();
    AlignmentReader reader(options.alignment_file, *std::move(source), options.format);
    const auto build = [&]() -> Result<std::vector<SharedProfile>> {
        WARPSEQ_TRY(check_letters(options, reader));
        const auto settings = build_settings_of(options);
        if (!settings.ok()) return settings.status();
        AlignmentNames names(options.name, is_in_memory ? std::string() : profile_name_of(alignments.file()));
        std::vector<SharedProfile> profiles;
        const ThreadPool pool = ThreadPool(options.run.threads).with_stop(stop);
        WARPSEQ_TRY(HmmBuildEngine(*settings, pool)
                        .run(
                            [&](MultipleAlignment& alignment) -> Result<bool> {
                                const Result<bool> read = reader.next(alignment);
                                if (!read.ok() || !*read) return read;
                                WARPSEQ_TRY(names.name(alignment));
                                return true;
                            },
                            [&](BuiltHmm built) -> Status {
                                profiles.push_back(std::make_shared<const ProfileHmm>(std::move(built.hmm)));
                                return {};
                            }));
        return profiles;
    };
    auto profiles = build();
    if (!profiles.ok()) return alignments.named(profiles.status());
    return profiles;
}

Result<std::shared_ptr<const MultipleAlignment>> align_to_profile(const ProfileHmm& hmm, const QueryText& sequences,
                                                                  const HmmalignOptions& options,
                                                                  const std::stop_token& stop) {
    auto rows = read_sequences_to_align(options, hmm);
    if (!rows.ok()) return sequences.named(rows.status());
    const ThreadPool pool = ThreadPool(options.run.threads).with_stop(stop);
    WARPSEQ_TRY(SequenceAligner(hmm, options.run.cpu_backend).align(rows->to_align(), pool, stop));
    return std::make_shared<const MultipleAlignment>(finish_alignment(hmm, *std::move(rows), options.trim));
}

}  // namespace warpseq

#include "engines/hmm/hmm_rounds.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <mutex>
#include <new>
#include <utility>

#include "engines/hmm/hmm_alignment.h"
#include "engines/targets/share.h"
#include "formats/fasta/hmmer_fasta.h"
#include "kernels/simd/flush_subnormals.h"
#include "libcore/base/clock.h"

namespace warpseq {
namespace {

/// Returns the letters of an alignment as files of digital alignments have them.
std::array<char, 256> plain_letters() {
    std::array<char, 256> letters{};
    for (std::size_t c = 0; c < letters.size(); ++c)
        letters[c] = c == '.' ? '-' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return letters;
}

/// A query between rounds.
struct Query {
    ProfileHmm profile;  // of the first round, for what it says of the query
    HmmRoundMemory memory;
    std::size_t index;  // in the batch
};

/// Makes the profile of the next round from the alignment of this one.
Result<ProfileHmm> profile_of_round(const MultipleAlignment& alignment, std::uint64_t next_round,
                                    const HmmRoundsSettings& settings, CpuBackend backend, const std::stop_token& stop,
                                    HmmRoundTimes& times) {
    const FlushSubnormals flush;  // as HMMER builds profiles
    auto start = Clock::now();
    ProfileBuildSettings build = settings.build;
    build.architecture = ModelArchitecture::kReference;
    auto built = build_profile(alignment, build);
    if (!built.ok()) {
        return Status::invalid_input("Failed to construct new model from iteration " + std::to_string(next_round) +
                                     " results:\n" + built.status().message());
    }
    times.build_seconds += seconds_since(start);
    start = Clock::now();
    const auto statistics = calibrate(built->hmm, backend, settings.calibration, stop);
    if (!statistics.ok()) return statistics.status();
    times.calibrate_seconds += seconds_since(start);
    built->hmm.statistics = *statistics;
    finish_profile(built->hmm, build);
    return std::move(built->hmm);
}

}  // namespace

std::uint64_t compare_rounds(HmmReport& report, std::optional<std::uint64_t> most_targets, HmmRoundMemory& memory) {
    if (most_targets && report.hits.size() > *most_targets)
        report.hits.erase(report.hits.begin() + static_cast<std::ptrdiff_t>(*most_targets), report.hits.end());
    std::uint64_t new_targets = 0;
    std::vector<std::string> included;
    for (HmmHit& hit : report.hits) {
        const bool was_included = std::ranges::binary_search(memory.included, hit.target_name);
        if (hit.included) {
            included.push_back(hit.target_name);
            if (was_included) continue;
            hit.change = HmmHit::Change::kNew;
            ++new_targets;
        } else if (was_included) {
            hit.change = HmmHit::Change::kLost;
        }
    }
    std::ranges::sort(included);
    included.erase(std::unique(included.begin(), included.end()), included.end());
    memory.included = std::move(included);
    return new_targets;
}

std::uint64_t rows_of_round(const HmmReport& report) {
    std::uint64_t rows = 1;
    for (const HmmHit& hit : report.hits)
        if (hit.included) rows += static_cast<std::uint64_t>(hit.included_domains);
    return rows;
}

MultipleAlignment align_round(const ProfileHmm& query, std::uint64_t round, const ProfileHmm& hmm,
                              const HmmReport& report, const ThreadPool& pool) {
    static const std::array<char, 256> kPlain = plain_letters();
    AlignedSequence first;
    first.name = query.name;
    first.accession = query.accession;
    first.description = query.description;
    first.residues = encode_residues(query.consensus);
    for (std::size_t i = 0; i < first.residues.size(); ++i) {
        if (query.consensus[i] == '-') first.residues[i] = kShownGap;
        if (query.consensus[i] == '~') first.residues[i] = kShownMissing;
    }
    first.trace = matches_throughout(first.residues.size());
    MultipleAlignment alignment = *align_domains(hmm, report, {&first, 1}, &pool);
    const Status status = pool.with_stop({}).parallel_for(alignment.rows.size(), [&](std::uint64_t r, unsigned) {
        for (char& letter : alignment.rows[r].residues) letter = kPlain[static_cast<unsigned char>(letter)];
    });
    if (!status.ok()) throw std::bad_alloc();  // nothing else goes wrong in it
    alignment.name = query.name + "-i" + std::to_string(round);
    alignment.accession = query.accession;
    alignment.description = query.description;
    return alignment;
}

HmmRoundTimes& HmmRoundTimes::operator+=(const HmmRoundTimes& other) {
    align_seconds += other.align_seconds;
    build_seconds += other.build_seconds;
    calibrate_seconds += other.calibrate_seconds;
    take_seconds += other.take_seconds;
    return *this;
}

Result<HmmRoundTimes> search_in_rounds(HmmEngine& engine, const Session& session, std::vector<ProfileHmm> queries,
                                       const HmmRoundsSettings& settings, const SearchControl& control,
                                       const std::function<Status(const HmmRound& round)>& take) {
    const TargetShare share = whole_share(session.databases());
    HmmRoundTimes times;
    std::mutex mutex;  // guards times
    std::vector<Query> active;
    for (std::size_t q = 0; q < queries.size(); ++q) active.push_back({queries[q], {}, q});
    std::vector<ProfileHmm> profiles = std::move(queries);
    for (std::uint64_t number = 1; !active.empty(); ++number) {
        std::vector<HmmThresholds> thresholds(profiles.size(), settings.thresholds);
        auto batch = engine.prepare(std::move(profiles), std::move(thresholds), control.stop);
        if (!batch.ok()) return batch.status();
        if (!settings.shows_domains_z || (engine.settings().domains_z && settings.most_targets > 0u))
            batch->most_targets = settings.most_targets;
        auto partial = engine.scan(*batch, share, control);
        if (!partial.ok()) return partial.status();
        auto reports = engine.finish(*batch, *std::move(partial), control);
        if (!reports.ok()) return reports.status();

        std::vector<std::optional<ProfileHmm>> next(active.size());
        const auto end_round = [&](std::size_t a, const ThreadPool& pool) -> Status {
            Query& query = active[a];
            HmmReport report = std::move((*reports)[a]);  // its memory is freed with it
            const std::uint64_t rows_before = query.memory.rows, targets_before = query.memory.included.size();
            const std::uint64_t new_targets = compare_rounds(report, settings.most_targets, query.memory);
            query.memory.rows = rows_of_round(report);
            const bool converged = new_targets == 0 && query.memory.rows <= rows_before;
            const bool is_last = converged || number >= settings.most_rounds;
            HmmRoundTimes spent;
            auto start = Clock::now();
            MultipleAlignment alignment;
            if (!is_last || settings.wants_last_alignment)
                alignment = align_round(query.profile, number, batch->profiles[a], report, pool);
            alignment.author = settings.author;
            spent.align_seconds = seconds_since(start);
            start = Clock::now();
            WARPSEQ_TRY(take({.query = query.index,
                              .facts = {.number = number,
                                        .alignment_rows = query.memory.rows,
                                        .rows_before = rows_before,
                                        .targets_before = targets_before,
                                        .new_targets = new_targets,
                                        .converged = converged,
                                        .is_last = is_last},
                              .hmm = batch->profiles[a],
                              .odds = batch->pipelines[a]->forward_profile(),
                              .report = report,
                              .alignment = alignment,
                              .pool = pool}));
            spent.take_seconds = seconds_since(start);
            if (!is_last) {
                auto profile =
                    profile_of_round(alignment, number + 1, settings, session.settings().backend, control.stop, spent);
                if (!profile.ok()) return profile.status();
                next[a] = *std::move(profile);
            }
            WARPSEQ_TRY(pool.parallel_for(report.hits.size(), [&](std::uint64_t h, unsigned) {
                std::vector<HmmDomain>().swap(report.hits[h].domains);  // gigabytes in small pieces, perhaps
            }));
            const std::scoped_lock lock(mutex);
            times += spent;
            return {};
        };
        const ThreadPool pool = session.pool().with_stop(control.stop);
        if (active.size() == 1) {
            WARPSEQ_TRY(guarded([&] { return end_round(0, pool); }));
        } else {
            WARPSEQ_TRY(pool.parallel_for(active.size(), [&](std::uint64_t a, unsigned) {
                // Each caller has its own pool: callers that share a pool would wait for each
                // other.
                const ThreadPool caller_alone(1);
                return end_round(a, caller_alone);
            }));
        }
        profiles.clear();
        std::vector<Query> left;
        for (std::size_t a = 0; a < active.size(); ++a) {
            if (!next[a]) continue;
            profiles.push_back(*std::move(next[a]));
            left.push_back(std::move(active[a]));
        }
        active = std::move(left);
    }
    return times;
}

}  // namespace warpseq

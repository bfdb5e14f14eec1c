#include "engines/hmm/hmm_batch.h"

#include <algorithm>
#include <span>
#include <utility>

#include "formats/profiles/pressed_profiles.h"

namespace warpseq {
namespace {

/// Returns a holder of the pages of a pressed file's forms. The pages are given back with its last
/// copy.
std::shared_ptr<const void> pages_of(std::span<const HmmSource> sources) {
    const auto first = std::ranges::find_if(sources, [](const HmmSource& each) { return each.rest.has_value(); });
    if (first == sources.end()) return {};
    const HmmPressedPlace& place = *first->rest;
    const auto count = static_cast<std::size_t>(sources.end() - first);
    return {static_cast<const void*>(place.file.get()),
            [file = place.file, from = place.profile, count](const void*) { file->release_forms(from, count); }};
}

}  // namespace

std::uint64_t HmmBatch::nodes() const {
    std::uint64_t nodes = 0;
    for (const ProfileHmm& profile : profiles) nodes += static_cast<std::uint64_t>(profile.length);
    return nodes;
}

Result<HmmBatch> prepare_sources(std::vector<HmmSource> sources, std::vector<HmmThresholds> thresholds,
                                 const HmmPipelineSettings& settings, const ThreadPool& pool) {
    if (sources.size() != thresholds.size())
        return Status::invalid_input("there are " + std::to_string(sources.size()) + " profiles, but thresholds for " +
                                     std::to_string(thresholds.size()));
    HmmBatch batch;
    for (HmmSource& source : sources) {
        if (!source.hmm.statistics)
            return Status::invalid_input("profile " + source.hmm.name + " has no statistics; it has to be calibrated");
        batch.profiles.push_back(std::move(source.hmm));
    }
    batch.thresholds = std::move(thresholds);
    batch.pipelines.resize(batch.size());
    batch.pages = pages_of(sources);
    WARPSEQ_TRY(pool.parallel_for(batch.size(), [&](std::uint64_t p, unsigned) {
        HmmSource& source = sources[p];
        batch.pipelines[p] = source.rest
                                 ? std::make_unique<const HmmPipeline>(batch.profiles[p], *std::move(source.msv),
                                                                       *std::move(source.rest), settings)
                                 : std::make_unique<const HmmPipeline>(batch.profiles[p], settings);
    }));
    return batch;
}

Result<HmmBatch> prepare_batch(std::vector<ProfileHmm> profiles, std::vector<HmmThresholds> thresholds,
                               const HmmPipelineSettings& settings, const ThreadPool& pool) {
    std::vector<HmmSource> sources;
    sources.reserve(profiles.size());
    for (ProfileHmm& profile : profiles) sources.push_back({.hmm = std::move(profile)});
    return prepare_sources(std::move(sources), std::move(thresholds), settings, pool);
}

}  // namespace warpseq

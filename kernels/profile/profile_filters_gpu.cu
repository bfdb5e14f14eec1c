#include "kernels/profile/profile_filters_gpu.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/gpu/cuda_status.cuh"
#include "kernels/gpu/device_targets.cuh"
#include "kernels/gpu/launch.cuh"
#include "kernels/gpu/memory.cuh"
#include "kernels/gpu/selection.cuh"
#include "kernels/gpu/streams.cuh"
#include "kernels/profile/bias_stage_gpu.cuh"
#include "kernels/profile/filter_decisions_gpu.cuh"
#include "kernels/profile/forward_stage_gpu.cuh"
#include "kernels/profile/length_tables_gpu.cuh"
#include "kernels/profile/msv_stage_gpu.cuh"
#include "kernels/profile/ssv_stage_gpu.cuh"
#include "kernels/profile/viterbi_multihit_stage_gpu.cuh"
#include "kernels/profile/viterbi_unihit_stage_gpu.cuh"
#include "kernels/profile/work_list_gpu.cuh"

namespace warpseq::cuda {

struct FilterClock {
    Event start;
};

struct ProfileFilterBatch::Tables {
    Mode mode;
    std::vector<DeviceProfile> profiles;
    SsvTables ssv;
    MsvTables msv;
    BiasTables bias;
    ViterbiUnihitTables viterbi_unihit;
    ViterbiMultihitTables viterbi_multihit;
    ForwardTables forward;
};

namespace {

constexpr unsigned kThreads = 256;
/// Bytes of a worker's buffers for each pair (prepare() reserves them), and for each pair that
/// lists have room for. The latter are 33 of the worker's own buffers, 8 of the undecided ones of
/// MSV and Viterbi, 6 of the Viterbi unihit stage, and CUB's.
constexpr std::uint64_t kBytesPerPair = 8, kBytesPerListedPair = 49;
/// The least room of lists, since launches with less are too small.
constexpr std::uint64_t kLeastListedPairs = 1024;
/// Bytes of SSV's two arrays of border rows for each byte of a chunk, and of the tables of a
/// profile of six hundred nodes.
constexpr std::uint64_t kBorderBytesPerChunkByte = 2 * sizeof(std::uint64_t) / sizeof(std::uint32_t);
constexpr std::uint64_t kBytesPerProfile = std::uint64_t{256} << 10;

/// A value above every MSV result, kMsvOverflow included.
constexpr std::uint16_t kNothingPassesMsv = UINT16_MAX;

/// Returns the number of pairs, out of `pairs`, that lists have room for
/// (ProfileFilterGpu::expect()).
std::uint64_t listed_pairs(std::uint64_t pairs, std::uint64_t list_share) {
    return std::min(pairs, std::max(pairs / list_share, kLeastListedPairs));
}

class ProfileFilterWorker final : public ProfileFilterGpu {
   public:
    ProfileFilterWorker(int ordinal, std::uint64_t scratch_bytes, std::shared_ptr<const FilterClock> clock)
        : ordinal_(ordinal),
          uploader_(ordinal, TargetTables::kLanes, make_profile_length_tables),
          clock_(std::move(clock)),
          ssv_(ordinal),
          msv_(ordinal, scratch_bytes / 8),
          bias_(ordinal),
          viterbi_unihit_(ordinal, scratch_bytes / 2),
          viterbi_multihit_(ordinal, scratch_bytes / 8),
          forward_(ordinal, scratch_bytes / 4) {}

    ~ProfileFilterWorker() override { cudaSetDevice(ordinal_); }  // the GPU of the memory that is freed next

    Status open() {
        WARPSEQ_TRY(stream_.open(ordinal_));
        for (Event& event : laps_) WARPSEQ_TRY(event.open(ordinal_, Event::Kind::kTime));
        const Result<int> multiprocessors = count_multiprocessors(ordinal_);
        if (!multiprocessors.ok()) return multiprocessors.status();
        multiprocessors_ = static_cast<unsigned>(*multiprocessors);
        return {};
    }

    void expect(std::uint64_t lanes, std::uint64_t list_share) override {
        expected_lanes_ = lanes;
        list_share_ = list_share;
    }

    Result<std::shared_ptr<DeviceTargets>> upload(std::span<const TileView> tiles, std::shared_ptr<DeviceTargets> reuse,
                                                  const UploadSource& source) override {
        return uploader_.upload(tiles, std::move(reuse), stream_.get(), source);
    }

    Result<FilterOutcome> filter(const std::shared_ptr<const ProfileFilterBatch>& batch, const DeviceTargets& targets,
                                 std::span<const float> log_targets, bool counts_lanes) override;
    Result<std::span<const std::uint32_t>> score_ssv(const std::shared_ptr<const ProfileFilterBatch>& batch,
                                                     const DeviceTargets& targets) override;
    Result<std::span<const std::int16_t>> score_msv(const std::shared_ptr<const ProfileFilterBatch>& batch,
                                                    const DeviceTargets& targets) override;
    Result<std::span<const std::int16_t>> score_viterbi(const std::shared_ptr<const ProfileFilterBatch>& batch,
                                                        const DeviceTargets& targets) override;
    Result<std::span<const float>> score_forward(const std::shared_ptr<const ProfileFilterBatch>& batch,
                                                 const DeviceTargets& targets) override;
    const FilterMilliseconds& milliseconds() const override { return milliseconds_; }

   private:
    /// The moments at which the stages' kernels begin or end.
    enum Lap { kBegun, kSsvDone, kMsvDone, kBiasDone, kViterbiDone, kForwardDone, kLaps };

    /// Makes everything ready for filtering a batch against a chunk: tables on the device, and
    /// memory for all pairs. Lists have room for one in `list_share` of them.
    Status prepare(const std::shared_ptr<const ProfileFilterBatch>& batch, const TargetsOnDevice& targets,
                   std::uint64_t list_share);
    Status lap(Lap moment) { return laps_[moment].record(stream_.get()); }
    /// Reads the clocks and adds them up. The stream must have come to its end.
    Status read_laps();
    Result<std::uint32_t> count_first_list();
    Status set_first_list(std::uint32_t count);
    /// Runs MSV and the filters after it, on the first list or a part of it. `lane_counts` is
    /// optional.
    Status filter_part(const TargetsOnDevice& targets, const DeviceWorkList& first, FilterCounts* lane_counts);
    /// Selects numbers of 0 .. count - 1 (select_numbers()).
    template <typename Wanted>
    Status select(std::uint32_t count, const Wanted& wanted, std::uint32_t* out, std::uint32_t* out_count) {
        return select_numbers(ordinal_, count, pair_room_, wanted, out, out_count, selection_scratch_, stream_.get());
    }
    Status select_pairs_with_residues(DeviceWorkList& list);
    DeviceWorkList list_of(const std::uint32_t* slots, const std::uint32_t* count) const {
        const auto profiles = static_cast<std::uint32_t>(batch_->profile_count());
        return {slots, count, most_listed_, list_room_, context_.lane_count, profiles};
    }
    /// Returns the blocks for a kernel with a thread for each pair of the longest list possible.
    /// Kernels loop over longer lists.
    unsigned grid() const { return blocks_for(most_listed_, kThreads, std::uint64_t{multiprocessors_} * 8); }
    Status launched(const char* what) { return cuda_status(cudaGetLastError(), ordinal_, what); }
    /// Computes the MSV results of a list from those of SSV.
    Status finish_msv(const TargetsOnDevice& targets, const DeviceWorkList& list);
    Status finish_viterbi(const TargetsOnDevice& targets, const DeviceWorkList& list);
    /// Copies results of every pair, by slot, to the host. Pairs of the list have `results`, others
    /// 0. Waits for all work of the call.
    template <typename T>
    Result<std::span<const T>> fetch(EnqueuedWork& work, const DeviceWorkList& list, const T* results);
    /// Copies the candidates of the first list or a part of it, and all counts so far, to the host.
    Result<std::span<const FilterCandidate>> fetch_candidates(const DeviceWorkList& first);
    Status clear_lane_counts();

    int ordinal_;
    unsigned multiprocessors_ = 0;
    TargetUploader uploader_;
    Stream stream_;
    std::shared_ptr<const FilterClock> clock_;
    std::array<Event, kLaps> laps_;
    FilterMilliseconds milliseconds_;

    std::shared_ptr<const ProfileFilterBatch> batch_;  // the batch whose tables are on the device
    SsvStage ssv_;
    MsvStage msv_;
    BiasStage bias_;
    ViterbiUnihitStage viterbi_unihit_;
    ViterbiMultihitStage viterbi_multihit_;
    ForwardStage forward_;
    DeviceArray<DeviceProfile> profiles_;
    PinnedArray<std::uint16_t> lowest_msv_host_;
    DeviceArray<std::uint16_t> lowest_msv_;
    PinnedArray<float> log_targets_host_;
    DeviceArray<float> log_targets_;
    FilterContext context_{};
    std::uint64_t expected_lanes_ = 0, list_share_ = 1;
    std::uint32_t pairs_ = 0;        // pairs of a call
    std::uint32_t pair_room_ = 0;    // pairs of the calls to come
    std::uint32_t list_room_ = 0;    // pairs that a list has room for
    std::uint32_t most_listed_ = 0;  // the lesser of both

    // Buffers for each pair: SSV's result, and the first list. The others are indexed by position
    // in a part of that list, and in the lists selected from it.
    DeviceArray<std::uint32_t> ssv_results_, slots_, positions_, selected_slots_;
    DeviceArray<std::int16_t> msv_results_, viterbi_results_;
    DeviceArray<float> bias_results_, forward_results_;
    DeviceArray<Fate> fates_;
    DeviceArray<FilterCandidate> candidates_;
    /// Lengths of lists: the first one, the selected ones, the candidates.
    enum List { kFirst, kForViterbi, kForForward, kCandidates, kLists };
    DeviceArray<std::uint32_t> list_counts_;
    DeviceArray<FilterCounts> counts_, lane_counts_;
    std::size_t counted_lanes_ = 0;  // 0: not counted
    DeviceArray<std::uint8_t> selection_scratch_;
    DeviceArray<std::uint32_t> by_slot_;  // single stages: results in the order of slots
    PinnedArray<std::uint32_t> host_results_;
    PinnedArray<std::uint32_t> host_list_counts_;
    PinnedArray<FilterCounts> host_counts_, host_lane_counts_;
    PinnedArray<FilterCandidate> host_candidates_;
    std::vector<FilterCandidate> candidates_of_parts_;
};

Status ProfileFilterWorker::prepare(const std::shared_ptr<const ProfileFilterBatch>& batch,
                                    const TargetsOnDevice& targets, std::uint64_t list_share) {
    WARPSEQ_CUDA_TRY(cudaSetDevice(ordinal_), ordinal_, "cannot be used");
    const ProfileFilterBatch::Tables& tables = batch->tables();
    const std::size_t profile_count = batch->profile_count();
    const std::uint64_t pairs = profile_count * targets.lane_count;
    if (pairs > kMostFilterPairs)
        return Status::unavailable("too many profiles for a chunk of so many targets: use smaller chunks")
            .with(Advice::kSmallerChunks);
    pairs_ = static_cast<std::uint32_t>(pairs);
    if (batch_ != batch) {
        batch_ = nullptr;
        WARPSEQ_CUDA_TRY(profiles_.reserve(profile_count), ordinal_, "no memory for profiles");
        WARPSEQ_CUDA_TRY(cudaMemcpyAsync(profiles_.data(), tables.profiles.data(),
                                         profile_count * sizeof(DeviceProfile), cudaMemcpyHostToDevice, stream_.get()),
                         ordinal_, "cannot copy profiles");
        WARPSEQ_TRY(ssv_.prepare(tables.ssv, stream_.get()));
        WARPSEQ_TRY(msv_.prepare(tables.msv, stream_.get()));
        WARPSEQ_TRY(bias_.prepare(tables.bias, stream_.get()));
        WARPSEQ_TRY(viterbi_unihit_.prepare(tables.viterbi_unihit, stream_.get()));
        WARPSEQ_TRY(viterbi_multihit_.prepare(tables.viterbi_multihit, stream_.get()));
        WARPSEQ_TRY(forward_.prepare(tables.forward, stream_.get()));
        batch_ = batch;
    }
    const std::size_t lengths = targets.distinct_lengths.size();
    const ProfileLengthsOnDevice of_lengths = profile_lengths_of(targets);
    WARPSEQ_CUDA_TRY(lowest_msv_host_.reserve(profile_count * lengths), ordinal_, "no pinned memory");
    WARPSEQ_CUDA_TRY(lowest_msv_.reserve(profile_count * lengths), ordinal_, "no memory for thresholds");
    for (std::size_t p = 0; p < profile_count; ++p) {
        const float threshold = tables.profiles[p].thresholds.msv_bits;
        for (std::size_t i = 0; i < lengths; ++i) {
            if (std::isnan(threshold)) {
                lowest_msv_host_.data()[p * lengths + i] = kNothingPassesMsv;
                continue;
            }
            const auto bits = of_lengths.msv_bits.subspan(i * kMsvResults, kMsvResults);
            lowest_msv_host_.data()[p * lengths + i] =
                static_cast<std::uint16_t>(std::ranges::lower_bound(bits, threshold) - bits.begin());
        }
    }
    WARPSEQ_CUDA_TRY(
        cudaMemcpyAsync(lowest_msv_.data(), lowest_msv_host_.data(), profile_count * lengths * sizeof(std::uint16_t),
                        cudaMemcpyHostToDevice, stream_.get()),
        ordinal_, "cannot copy thresholds");

    const std::uint64_t expected = std::min(profile_count * expected_lanes_, kMostFilterPairs);
    const std::size_t room = std::max({pairs, expected, std::uint64_t{1}});
    pair_room_ = static_cast<std::uint32_t>(room);
    list_room_ = static_cast<std::uint32_t>(listed_pairs(room, list_share));
    most_listed_ = std::min(pairs_, list_room_);
    for (auto* array : {&ssv_results_, &slots_})
        WARPSEQ_CUDA_TRY(array->reserve(room), ordinal_, "no memory for pairs of profiles and targets");
    for (auto* array : {&positions_, &selected_slots_})
        WARPSEQ_CUDA_TRY(array->reserve(list_room_), ordinal_, "no memory for pairs of profiles and targets");
    for (auto* array : {&msv_results_, &viterbi_results_})
        WARPSEQ_CUDA_TRY(array->reserve(list_room_), ordinal_, "no memory for pairs of profiles and targets");
    for (auto* array : {&bias_results_, &forward_results_})
        WARPSEQ_CUDA_TRY(array->reserve(list_room_), ordinal_, "no memory for pairs of profiles and targets");
    WARPSEQ_CUDA_TRY(fates_.reserve(list_room_), ordinal_, "no memory for pairs of profiles and targets");
    WARPSEQ_CUDA_TRY(candidates_.reserve(list_room_), ordinal_, "no memory for pairs of profiles and targets");
    WARPSEQ_CUDA_TRY(list_counts_.reserve(kLists), ordinal_, "no memory for lists");
    WARPSEQ_CUDA_TRY(counts_.reserve(profile_count), ordinal_, "no memory for counts");
    WARPSEQ_CUDA_TRY(host_list_counts_.reserve(kLists), ordinal_, "no pinned memory");
    WARPSEQ_CUDA_TRY(host_counts_.reserve(profile_count), ordinal_, "no pinned memory");
    context_ = {profiles_.data(),
                targets.lanes_table.data(),
                of_lengths.null_nats,
                of_lengths.msv_moves,
                of_lengths.viterbi_moves,
                lowest_msv_.data(),
                ssv_results_.data(),
                static_cast<std::uint32_t>(lengths),
                static_cast<std::uint32_t>(targets.lane_count)};
    WARPSEQ_CUDA_TRY(cudaMemsetAsync(counts_.data(), 0, profile_count * sizeof(FilterCounts), stream_.get()), ordinal_,
                     "cannot clear counts");
    WARPSEQ_CUDA_TRY(cudaMemsetAsync(list_counts_.data(), 0, kLists * sizeof(std::uint32_t), stream_.get()), ordinal_,
                     "cannot clear counts");
    milliseconds_ = {.begun = std::numeric_limits<double>::infinity()};
    return {};
}

Status ProfileFilterWorker::read_laps() {
    const auto add = [](float& sum, const Event& begun, const Event& ended) -> Status {
        const Result<float> more = milliseconds_between(begun, ended);
        if (!more.ok()) return more.status();
        sum += *more;
        return {};
    };
    WARPSEQ_TRY(add(milliseconds_.ssv, laps_[kBegun], laps_[kSsvDone]));
    WARPSEQ_TRY(add(milliseconds_.msv, laps_[kSsvDone], laps_[kMsvDone]));
    WARPSEQ_TRY(add(milliseconds_.bias, laps_[kMsvDone], laps_[kBiasDone]));
    WARPSEQ_TRY(add(milliseconds_.viterbi, laps_[kBiasDone], laps_[kViterbiDone]));
    WARPSEQ_TRY(add(milliseconds_.forward, laps_[kViterbiDone], laps_[kForwardDone]));
    float begun = 0, ended = 0;
    WARPSEQ_TRY(add(begun, clock_->start, laps_[kBegun]));
    WARPSEQ_TRY(add(ended, clock_->start, laps_[kForwardDone]));
    milliseconds_.begun = std::min<double>(milliseconds_.begun, begun);
    milliseconds_.ended = ended;
    return {};
}

Status ProfileFilterWorker::finish_msv(const TargetsOnDevice& targets, const DeviceWorkList& list) {
    start_msv<<<grid(), kThreads, 0, stream_.get()>>>(list, context_, msv_results_.data());
    WARPSEQ_TRY(launched("cannot start MSV"));
    return msv_.score(targets, list, profile_lengths_of(targets).msv_moves, msv_results_.data(), stream_.get());
}

Status ProfileFilterWorker::finish_viterbi(const TargetsOnDevice& targets, const DeviceWorkList& list) {
    WARPSEQ_TRY(viterbi_unihit_.score(targets, list, viterbi_results_.data(), stream_.get()));
    return viterbi_multihit_.score(targets, list, profile_lengths_of(targets).viterbi_moves, viterbi_results_.data(),
                                   stream_.get());
}

Result<FilterOutcome> ProfileFilterWorker::filter(const std::shared_ptr<const ProfileFilterBatch>& batch,
                                                  const DeviceTargets& targets_base, std::span<const float> log_targets,
                                                  bool counts_lanes) {
    const auto there = targets_on(ordinal_, targets_base, TargetTables::kLanes);
    if (!there.ok()) return there.status();
    const TargetsOnDevice& targets = **there;
    EnqueuedWork work(ordinal_);
    WARPSEQ_TRY(prepare(batch, targets, list_share_));
    counted_lanes_ = counts_lanes ? targets.lane_count : 0;
    if (counts_lanes) WARPSEQ_TRY(clear_lane_counts());
    FilterCounts* const lane_counts = counts_lanes ? lane_counts_.data() : nullptr;
    std::uint32_t* const first_count = list_counts_.data() + kFirst;

    WARPSEQ_TRY(lap(kBegun));
    if (batch->tables().mode == ProfileFilterBatch::Mode::kMax) {
        WARPSEQ_CUDA_TRY(log_targets_host_.reserve(log_targets.size()), ordinal_, "no pinned memory");
        WARPSEQ_CUDA_TRY(log_targets_.reserve(log_targets.size()), ordinal_, "no memory for a chunk");
        std::ranges::copy(log_targets, log_targets_host_.data());
        WARPSEQ_CUDA_TRY(cudaMemcpyAsync(log_targets_.data(), log_targets_host_.data(), log_targets.size_bytes(),
                                         cudaMemcpyHostToDevice, stream_.get()),
                         ordinal_, "cannot copy thresholds");
        WARPSEQ_TRY(lap(kSsvDone));
        WARPSEQ_TRY(select(pairs_, HasResidues{context_}, slots_.data(), first_count));
    } else {
        WARPSEQ_TRY(ssv_.score(targets, batch->profile_count(), ssv_results_.data(), stream_.get()));
        WARPSEQ_TRY(lap(kSsvDone));
        WARPSEQ_TRY(select(pairs_, MayPassMsv{context_}, slots_.data(), first_count));
    }
    // If lists have room for all pairs, the host does not wait for their number.
    const bool in_parts = pairs_ > list_room_;
    std::uint32_t listed = pairs_;
    if (in_parts) {
        const auto counted = count_first_list();
        if (!counted.ok()) return counted.status();
        listed = *counted;
    }
    candidates_of_parts_.clear();
    std::span<const FilterCandidate> candidates;
    for (std::uint64_t begin = 0; begin == 0 || begin < listed; begin += list_room_) {
        if (begin > 0) {
            WARPSEQ_TRY(lap(kBegun));
            WARPSEQ_TRY(lap(kSsvDone));
        }
        if (in_parts) WARPSEQ_TRY(set_first_list(std::min(static_cast<std::uint32_t>(listed - begin), list_room_)));
        const DeviceWorkList part = list_of(slots_.data() + begin, first_count);
        WARPSEQ_TRY(filter_part(targets, part, lane_counts));
        const auto of_part = fetch_candidates(part);
        if (!of_part.ok()) return of_part.status();
        candidates = *of_part;
        if (in_parts) candidates_of_parts_.insert(candidates_of_parts_.end(), candidates.begin(), candidates.end());
    }
    if (in_parts) candidates = candidates_of_parts_;
    work.done();
    return FilterOutcome{candidates, std::span(host_counts_.data(), batch_->profile_count()),
                         std::span(host_lane_counts_.data(), counted_lanes_)};
}

Result<std::uint32_t> ProfileFilterWorker::count_first_list() {
    std::uint32_t* const count = host_list_counts_.data() + kFirst;
    WARPSEQ_CUDA_TRY(
        cudaMemcpyAsync(count, list_counts_.data() + kFirst, sizeof(*count), cudaMemcpyDeviceToHost, stream_.get()),
        ordinal_, "cannot count pairs");
    WARPSEQ_TRY(stream_.wait("a filter's kernel failed"));
    return *count;
}

Status ProfileFilterWorker::set_first_list(std::uint32_t count) {
    host_list_counts_.data()[kFirst] = count;
    return cuda_status(cudaMemcpyAsync(list_counts_.data() + kFirst, host_list_counts_.data() + kFirst, sizeof(count),
                                       cudaMemcpyHostToDevice, stream_.get()),
                       ordinal_, "cannot count pairs");
}

Status ProfileFilterWorker::filter_part(const TargetsOnDevice& targets, const DeviceWorkList& first,
                                        FilterCounts* lane_counts) {
    const ProfileFilterBatch::Mode mode = batch_->tables().mode;
    const bool max = mode == ProfileFilterBatch::Mode::kMax;
    std::uint32_t* const counts = list_counts_.data();
    const float* const bias = mode == ProfileFilterBatch::Mode::kFilters ? bias_results_.data() : nullptr;
    WARPSEQ_CUDA_TRY(
        cudaMemsetAsync(fates_.data(), 0, std::max<std::size_t>(most_listed_, 1) * sizeof(Fate), stream_.get()),
        ordinal_, "cannot clear fates");
    if (max) {
        for (const Lap moment : {kMsvDone, kBiasDone}) WARPSEQ_TRY(lap(moment));
        decide_nothing<<<grid(), kThreads, 0, stream_.get()>>>(first, msv_results_.data(), fates_.data());
        WARPSEQ_TRY(launched("cannot start the filters"));
    } else {
        WARPSEQ_TRY(finish_msv(targets, first));
        WARPSEQ_TRY(lap(kMsvDone));
        if (bias != nullptr) WARPSEQ_TRY(bias_.score(targets, first, bias_results_.data(), stream_.get()));
        decide_msv<<<grid(), kThreads, 0, stream_.get()>>>(first, context_, msv_results_.data(), bias, fates_.data(),
                                                           counts_.data(), lane_counts);
        WARPSEQ_TRY(launched("cannot start the bias filter"));
        WARPSEQ_TRY(lap(kBiasDone));

        const DeviceWorkList list = list_of(selected_slots_.data(), counts + kForViterbi);
        WARPSEQ_TRY(
            select(most_listed_, HasFate{fates_.data(), Fate::kViterbi}, positions_.data(), counts + kForViterbi));
        gather_slots<<<grid(), kThreads, 0, stream_.get()>>>(list, positions_.data(), first.slots,
                                                             selected_slots_.data(), viterbi_results_.data());
        WARPSEQ_TRY(launched("cannot start the Viterbi filter"));
        WARPSEQ_TRY(finish_viterbi(targets, list));
        decide_viterbi<<<grid(), kThreads, 0, stream_.get()>>>(list, positions_.data(), context_,
                                                               viterbi_results_.data(), bias, fates_.data(),
                                                               counts_.data(), lane_counts);
        WARPSEQ_TRY(launched("cannot start the Viterbi filter"));
    }
    WARPSEQ_TRY(lap(kViterbiDone));

    const DeviceWorkList list = list_of(selected_slots_.data(), counts + kForForward);
    WARPSEQ_TRY(select(most_listed_, HasFate{fates_.data(), Fate::kForward}, positions_.data(), counts + kForForward));
    gather_slots<<<grid(), kThreads, 0, stream_.get()>>>(list, positions_.data(), first.slots, selected_slots_.data(),
                                                         nullptr);
    WARPSEQ_TRY(launched("cannot start Forward"));
    WARPSEQ_TRY(forward_.score(targets, list, forward_results_.data(), stream_.get()));
    decide_forward<<<grid(), kThreads, 0, stream_.get()>>>(list, positions_.data(), context_, forward_results_.data(),
                                                           bias, max ? log_targets_.data() : nullptr, fates_.data());
    WARPSEQ_TRY(launched("cannot start Forward"));
    return lap(kForwardDone);
}

Status ProfileFilterWorker::clear_lane_counts() {
    WARPSEQ_CUDA_TRY(lane_counts_.reserve(counted_lanes_), ordinal_, "no memory for counts");
    WARPSEQ_CUDA_TRY(host_lane_counts_.reserve(counted_lanes_), ordinal_, "no pinned memory");
    return cuda_status(cudaMemsetAsync(lane_counts_.data(), 0, counted_lanes_ * sizeof(FilterCounts), stream_.get()),
                       ordinal_, "cannot clear counts");
}

Result<std::span<const FilterCandidate>> ProfileFilterWorker::fetch_candidates(const DeviceWorkList& first) {
    const DeviceWorkList list = list_of(nullptr, list_counts_.data() + kCandidates);
    WARPSEQ_TRY(select(most_listed_, IsForHost{fates_.data()}, positions_.data(), list_counts_.data() + kCandidates));
    make_candidates<<<grid(), kThreads, 0, stream_.get()>>>(list, positions_.data(), first.slots, msv_results_.data(),
                                                            fates_.data(), candidates_.data());
    WARPSEQ_TRY(launched("cannot collect what has passed"));
    const auto copy = [&](auto* to, const auto* from, std::size_t count) {
        return cuda_status(cudaMemcpyAsync(to, from, count * sizeof(*from), cudaMemcpyDeviceToHost, stream_.get()),
                           ordinal_, "cannot copy what has passed");
    };
    WARPSEQ_TRY(copy(host_counts_.data(), counts_.data(), batch_->profile_count()));
    WARPSEQ_TRY(copy(host_list_counts_.data(), list_counts_.data(), kLists));
    if (counted_lanes_ > 0) WARPSEQ_TRY(copy(host_lane_counts_.data(), lane_counts_.data(), counted_lanes_));
    WARPSEQ_TRY(stream_.wait("a filter's kernel failed"));
    // The number of candidates that make_candidates() has written.
    const std::size_t count = host_list_counts_.data()[kCandidates];
    WARPSEQ_CUDA_TRY(host_candidates_.reserve_ahead(std::max<std::size_t>(count, 1)), ordinal_, "no pinned memory");
    if (count > 0) {
        WARPSEQ_TRY(copy(host_candidates_.data(), candidates_.data(), count));
        WARPSEQ_TRY(stream_.wait("a filter's kernel failed"));
    }
    WARPSEQ_TRY(read_laps());
    return std::span<const FilterCandidate>(host_candidates_.data(), count);
}

template <typename T>
Result<std::span<const T>> ProfileFilterWorker::fetch(EnqueuedWork& work, const DeviceWorkList& list,
                                                      const T* results) {
    WARPSEQ_CUDA_TRY(by_slot_.reserve(std::max<std::size_t>(pairs_, 1)), ordinal_, "no memory for results");
    WARPSEQ_CUDA_TRY(host_results_.reserve(std::max<std::size_t>(pairs_, 1)), ordinal_, "no pinned memory for results");
    T* const out = reinterpret_cast<T*>(by_slot_.data());
    WARPSEQ_CUDA_TRY(cudaMemsetAsync(out, 0, pairs_ * sizeof(T), stream_.get()), ordinal_, "cannot clear results");
    scatter<<<grid(), kThreads, 0, stream_.get()>>>(list, results, out);
    WARPSEQ_TRY(launched("cannot collect results"));
    T* const host = reinterpret_cast<T*>(host_results_.data());
    WARPSEQ_CUDA_TRY(cudaMemcpyAsync(host, out, pairs_ * sizeof(T), cudaMemcpyDeviceToHost, stream_.get()), ordinal_,
                     "cannot copy results");
    WARPSEQ_TRY(work.wait(stream_.get(), "a filter's kernel failed"));
    WARPSEQ_TRY(read_laps());
    return std::span<const T>(host, pairs_);
}

Status ProfileFilterWorker::select_pairs_with_residues(DeviceWorkList& list) {
    list = list_of(slots_.data(), list_counts_.data() + kFirst);
    return select(pairs_, HasResidues{context_}, slots_.data(), list_counts_.data() + kFirst);
}

Result<std::span<const std::uint32_t>> ProfileFilterWorker::score_ssv(
    const std::shared_ptr<const ProfileFilterBatch>& batch, const DeviceTargets& targets_base) {
    const auto there = targets_on(ordinal_, targets_base, TargetTables::kLanes);
    if (!there.ok()) return there.status();
    const TargetsOnDevice& targets = **there;
    EnqueuedWork work(ordinal_);
    WARPSEQ_TRY(prepare(batch, targets, 1));
    WARPSEQ_TRY(lap(kBegun));
    WARPSEQ_TRY(ssv_.score(targets, batch->profile_count(), ssv_results_.data(), stream_.get()));
    for (const Lap moment : {kSsvDone, kMsvDone, kBiasDone, kViterbiDone, kForwardDone}) WARPSEQ_TRY(lap(moment));
    WARPSEQ_CUDA_TRY(host_results_.reserve(std::max<std::size_t>(pairs_, 1)), ordinal_, "no pinned memory for results");
    WARPSEQ_CUDA_TRY(cudaMemcpyAsync(host_results_.data(), ssv_results_.data(), pairs_ * sizeof(std::uint32_t),
                                     cudaMemcpyDeviceToHost, stream_.get()),
                     ordinal_, "cannot copy results");
    WARPSEQ_TRY(work.wait(stream_.get(), "the SSV kernel failed"));
    WARPSEQ_TRY(read_laps());
    return std::span<const std::uint32_t>(host_results_.data(), pairs_);
}

Result<std::span<const std::int16_t>> ProfileFilterWorker::score_msv(
    const std::shared_ptr<const ProfileFilterBatch>& batch, const DeviceTargets& targets_base) {
    const auto there = targets_on(ordinal_, targets_base, TargetTables::kLanes);
    if (!there.ok()) return there.status();
    const TargetsOnDevice& targets = **there;
    EnqueuedWork work(ordinal_);
    WARPSEQ_TRY(prepare(batch, targets, 1));
    DeviceWorkList all{};
    WARPSEQ_TRY(select_pairs_with_residues(all));
    WARPSEQ_TRY(lap(kBegun));
    WARPSEQ_TRY(ssv_.score(targets, batch->profile_count(), ssv_results_.data(), stream_.get()));
    WARPSEQ_TRY(lap(kSsvDone));
    WARPSEQ_TRY(finish_msv(targets, all));
    for (const Lap moment : {kMsvDone, kBiasDone, kViterbiDone, kForwardDone}) WARPSEQ_TRY(lap(moment));
    return fetch(work, all, msv_results_.data());
}

Result<std::span<const std::int16_t>> ProfileFilterWorker::score_viterbi(
    const std::shared_ptr<const ProfileFilterBatch>& batch, const DeviceTargets& targets_base) {
    const auto there = targets_on(ordinal_, targets_base, TargetTables::kLanes);
    if (!there.ok()) return there.status();
    const TargetsOnDevice& targets = **there;
    EnqueuedWork work(ordinal_);
    WARPSEQ_TRY(prepare(batch, targets, 1));
    DeviceWorkList all{};
    WARPSEQ_TRY(select_pairs_with_residues(all));
    fill<<<grid(), kThreads, 0, stream_.get()>>>(all, kUndecided, viterbi_results_.data());
    WARPSEQ_TRY(launched("cannot start the Viterbi filter"));
    for (const Lap moment : {kBegun, kSsvDone, kMsvDone, kBiasDone}) WARPSEQ_TRY(lap(moment));
    WARPSEQ_TRY(finish_viterbi(targets, all));
    for (const Lap moment : {kViterbiDone, kForwardDone}) WARPSEQ_TRY(lap(moment));
    return fetch(work, all, viterbi_results_.data());
}

Result<std::span<const float>> ProfileFilterWorker::score_forward(
    const std::shared_ptr<const ProfileFilterBatch>& batch, const DeviceTargets& targets_base) {
    const auto there = targets_on(ordinal_, targets_base, TargetTables::kLanes);
    if (!there.ok()) return there.status();
    const TargetsOnDevice& targets = **there;
    EnqueuedWork work(ordinal_);
    WARPSEQ_TRY(prepare(batch, targets, 1));
    DeviceWorkList all{};
    WARPSEQ_TRY(select_pairs_with_residues(all));
    for (const Lap moment : {kBegun, kSsvDone, kMsvDone, kBiasDone, kViterbiDone}) WARPSEQ_TRY(lap(moment));
    WARPSEQ_TRY(forward_.score(targets, all, forward_results_.data(), stream_.get()));
    WARPSEQ_TRY(lap(kForwardDone));
    return fetch(work, all, forward_results_.data());
}

std::unique_ptr<const ProfileFilterBatch::Tables> make_tables(std::span<const FilterProfile> profiles,
                                                              ProfileFilterBatch::Mode mode, const SsvShape* shape) {
    std::vector<const MsvProfile*> msv;
    std::vector<const ViterbiProfile*> viterbi;
    std::vector<const ForwardProfile*> forward;
    std::vector<const BiasFilter*> bias;
    std::vector<DeviceProfile> records;
    for (const FilterProfile& profile : profiles) {
        msv.push_back(profile.msv);
        viterbi.push_back(profile.viterbi);
        forward.push_back(profile.forward);
        bias.push_back(profile.bias);
        records.push_back(
            {profile.thresholds, profile.msv->length, {profile.msv->bias, profile.msv->enter, profile.msv->end}});
    }
    return std::unique_ptr<const ProfileFilterBatch::Tables>(new ProfileFilterBatch::Tables{
        mode, std::move(records), SsvTables(msv, shape), MsvTables(msv), BiasTables(bias), ViterbiUnihitTables(viterbi),
        ViterbiMultihitTables(viterbi), ForwardTables(forward)});
}

}  // namespace

ProfileFilterBatch::ProfileFilterBatch(std::span<const FilterProfile> profiles, Mode mode, const SsvShape* shape)
    : tables_(make_tables(profiles, mode, shape)) {}
ProfileFilterBatch::~ProfileFilterBatch() = default;
std::size_t ProfileFilterBatch::profile_count() const { return tables_->profiles.size(); }

Result<std::shared_ptr<const FilterClock>> ProfileFilterGpu::start_clock(int ordinal) {
    auto clock = std::make_shared<FilterClock>();
    Stream stream;
    WARPSEQ_TRY(stream.open(ordinal));
    WARPSEQ_TRY(clock->start.open(ordinal, Event::Kind::kTime));
    WARPSEQ_TRY(clock->start.record(stream.get()));
    WARPSEQ_TRY(stream.wait("cannot tell the time"));
    return std::shared_ptr<const FilterClock>(std::move(clock));
}

Result<std::unique_ptr<ProfileFilterGpu>> ProfileFilterGpu::create(int ordinal, std::uint64_t scratch_bytes,
                                                                   std::shared_ptr<const FilterClock> clock) {
    if (clock == nullptr) {
        auto own = start_clock(ordinal);
        if (!own.ok()) return own.status();
        clock = *std::move(own);
    }
    auto worker = std::make_unique<ProfileFilterWorker>(ordinal, scratch_bytes, std::move(clock));
    WARPSEQ_TRY(worker->open());
    return std::unique_ptr<ProfileFilterGpu>(std::move(worker));
}

std::uint64_t ProfileFilterGpu::workspace_bytes(std::uint64_t chunk_bytes, std::uint64_t lanes, std::uint64_t profiles,
                                                std::uint64_t list_share) {
    const std::uint64_t pairs = lanes * profiles;
    return chunk_bytes * kBorderBytesPerChunkByte + pairs * kBytesPerPair +
           listed_pairs(pairs, list_share) * kBytesPerListedPair + profiles * kBytesPerProfile;
}

std::uint64_t ProfileFilterGpu::bytes_per_lane() {
    // Tables of lengths have at most one entry per target.
    return sizeof(DeviceLane) + 2 * sizeof(std::uint32_t) + sizeof(float) + sizeof(std::uint8_t) + sizeof(std::int16_t);
}

}  // namespace warpseq::cuda

#include "bindings/searches/pair_aligner.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engines/devices/device_costs.h"
#include "kernels/pair/pair_sweep.h"
#include "libcore/scoring/builtin_matrices.h"
#include "libcore/statistics/karlin_altschul.h"
#include "reports/pair/pair_dotplot.h"

namespace warpseq {
namespace {

/// Cells up to which one thread aligns a pair at once. That takes about a millisecond, and ten
/// times as long for a list.
constexpr std::uint64_t kQuickCells = std::uint64_t{1} << 20;

/// The options of `search pair` that belong to its files.
constexpr std::array<std::string_view, 5> kOfFiles = {"input", "all-pairs", "pairs", "dotplot", "header"};

std::uint64_t cells_of(const PairInput& input) {
    return cell_count(input.queries[0].residues.size(), input.targets[0].residues.size());
}

Status check_one_pair(const std::vector<PairAlignment>& alignments) {
    if (alignments.empty()) return Status::usage("there is no alignment to show");
    for (const PairAlignment& each : alignments) {
        if (each.pair != alignments.front().pair)
            return Status::usage("the alignments are not those of one pair that one call returned");
    }
    return {};
}

}  // namespace

PairRun AlignedPair::run() const {
    return {input,
            mode,
            settings.score_only,
            *scheme,
            mode == PairMode::kLocal ? AlignmentStatistics::find(*scheme) : std::nullopt,
            settings.list.has_value()};
}

Result<std::unique_ptr<PairAligner>> PairAligner::of(const std::vector<NamedValue>& options,
                                                     const std::vector<NamedValue>& machine) {
    auto values = values_of(make_pair_options(), options);
    if (!values.ok()) return values.status();
    for (const std::string& name : values->names_given()) {
        if (std::ranges::find(kOfFiles, name) != kOfFiles.end())
            return Status::usage("option '" + name + "' cannot be given here: one pair in memory is aligned");
    }
    WARPSEQ_TRY(values->set("input", "query"));
    WARPSEQ_TRY(values->set("input", "target"));
    auto read = read_pair_options(*values);
    if (!read.ok()) return read.status();
    auto settings = machine_settings(machine);
    if (!settings.ok()) return settings.status();
    return std::unique_ptr<PairAligner>(new PairAligner(*std::move(read), *std::move(settings)));
}

bool PairAligner::is_quick(const PairInput& input) const {
    return cells_of(input) <= kQuickCells && !options_.checkpoint_file &&
           machine_.device.kind != DeviceRequest::Kind::kCuda;
}

bool PairAligner::reads_matrix() const { return options_.matrix && !builtin_matrix(*options_.matrix); }

Result<std::shared_ptr<const ScoringScheme>> PairAligner::scheme_of(Alphabet alphabet) const {
    const auto make = [&]() -> Result<std::shared_ptr<const ScoringScheme>> {
        auto scheme = pair_scoring_scheme(options_, alphabet);
        if (!scheme.ok()) return scheme.status();
        return std::make_shared<const ScoringScheme>(*std::move(scheme));
    };
    if (reads_matrix()) return make();
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const ScoringScheme>& kept = alphabet == Alphabet::kProtein ? proteins_ : nucleotides_;
    if (kept == nullptr) {
        auto made = make();
        if (!made.ok()) return made;
        kept = *std::move(made);
    }
    return kept;
}

SessionSettings PairAligner::machine_for(const PairInput& input) const {
    SessionSettings machine = machine_;
    // A traceback waits for hundreds of short sweeps, so its threads stay awake.
    machine.gpu_wait = cuda::GpuWait::kAwake;
    if (machine.device.kind == DeviceRequest::Kind::kAuto) {
        const SearchSize size{input.queries[0].residues.size(), input.targets[0].residues.size()};
        const double cpu = cpu_seconds(kSwSpeed, size, machine.threads, machine.backend);
        if (cpu <= gpu_seconds(kSwSpeed, size, 1)) machine.device.kind = DeviceRequest::Kind::kCpu;
    }
    if (is_quick(input) && machine.device.kind == DeviceRequest::Kind::kCpu) machine.threads = 1;
    return machine;
}

Result<std::vector<PairAlignment>> PairAligner::align(PairInput input, const SearchControl& control) const {
    auto scheme = scheme_of(input.alphabet);
    if (!scheme.ok()) return scheme.status();
    const auto session = Session::open(machine_for(input), control.observer);
    if (!session.ok()) return session.status();
    const auto pair = std::make_shared<const AlignedPair>(
        AlignedPair{std::move(input), *std::move(scheme), options_.mode, pair_search_settings(options_)});
    std::vector<PairAlignment> alignments;
    PairSearch search(**session, pair->input, *pair->scheme, pair->settings, control);
    WARPSEQ_TRY(search.run([&](const PairResult& result) {
        alignments.push_back({pair, result});
        return Status();
    }));
    return alignments;
}

Result<std::string> pair_report(const std::vector<PairAlignment>& alignments, std::string_view outfmt, bool header) {
    WARPSEQ_TRY(check_one_pair(alignments));
    const PairRun run = alignments.front().pair->run();
    const auto writer = make_pair_report(outfmt, run.score_only, header);
    if (!writer.ok()) return writer.status();
    ReportText text = ReportText::in_memory();
    WARPSEQ_TRY((*writer)->begin(run, text));
    for (std::size_t i = 0; i < alignments.size(); ++i) {
        PairResult result = alignments[i].result;
        result.number = i + 1;
        result.of = alignments.size();
        WARPSEQ_TRY((*writer)->add(run, result, text));
    }
    WARPSEQ_TRY((*writer)->end(run, text));
    return std::move(text.text());
}

Result<std::string> pair_block(const PairAlignment& alignment) {
    ReportText text = ReportText::in_memory();
    WARPSEQ_TRY(make_pair_blocks()->add(alignment.pair->run(), alignment.result, text));
    return std::move(text.text());
}

Result<std::string> pair_dot_plot(const std::vector<PairAlignment>& alignments) {
    WARPSEQ_TRY(check_one_pair(alignments));
    PairDotPlot plot(alignments.front().pair->input);
    for (const PairAlignment& each : alignments) plot.add(each.result);
    return plot.svg();
}

}  // namespace warpseq

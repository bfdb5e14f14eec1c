#include "kernels/seeds/gapped_extension_reference.h"

#include <algorithm>

namespace warpseq::reference {

void extend_row(ExtensionRowTask<std::int32_t>& task) {
    using Task = ExtensionRowTask<std::int32_t>;
    std::int32_t h = Task::kDropped, query_gap = Task::kDropped;
    const std::int64_t first_step = task.first / Task::kGroup * Task::kGroup;
    task.first_kept = task.size;
    task.last_kept = task.first;
    for (std::int64_t j = task.first; j < task.size; ++j) {
        if (j > task.first) h = task.h_above[j - 1] + task.scores[task.letters[j]];
        const bool target_gaps = task.every_target_gap || j % Task::kGapSpacing == 0;
        const std::int32_t target_gap = target_gaps ? task.gap[j] : Task::kDropped;
        unsigned step = kStepPair;
        if (target_gap > h) {
            h = target_gap;
            step = kStepTargetGap;
        }
        if (task.query_gaps && query_gap > h) {
            h = query_gap;
            step = kStepQueryGap;
        }
        if (task.best_raw - h > task.x_drop) {
            task.h[j] = Task::kDropped;
            if (task.steps) task.steps[j - first_step] = static_cast<std::uint8_t>(step);
            continue;
        }
        if (task.first_kept == task.size) task.first_kept = j;
        task.last_kept = j;
        if (h > task.best_raw) {
            task.best_raw = h;
            task.best_column = j;
        }
        const std::int32_t opened = h - task.gap_first;
        if (target_gap - task.gap_extend >= opened) step |= kTargetGapGoesOn;
        if (query_gap - task.gap_extend >= opened) step |= kQueryGapGoesOn;
        task.h[j] = h;
        if (target_gaps) task.gap[j] = std::max(target_gap - task.gap_extend, opened);
        if (task.query_gaps) query_gap = std::max(query_gap - task.gap_extend, opened);
        if (task.steps) task.steps[j - first_step] = static_cast<std::uint8_t>(step);
    }
    task.query_gap = query_gap;
}

}  // namespace warpseq::reference

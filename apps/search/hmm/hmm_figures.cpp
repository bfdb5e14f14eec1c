#include "apps/search/hmm/hmm_figures.h"

#include <string>

#include "libcore/base/number_format.h"

namespace warpseq {

std::string range_warning(const HmmTimes& times) {
    if (times.out_of_range == 0) return {};
    return std::to_string(times.out_of_range) +
           (times.out_of_range == 1 ? " Forward score was" : " Forward scores were") +
           " out of the range of single precision; sequences with such scores are not hits (HMMER ends with "
           "'forward score underflow' in this case)";
}

void print_hmm_figures(const StatisticsPrinter& out, const HmmFigures& f) {
    const HmmTimes& times = f.times;
    const auto& gpus = f.gpu_counts;
    out.line("device", (gpus ? std::to_string(f.gpus) + " GPU, host " : "cpu ") +
                           std::string(cpu_backend_name(f.options.common.cpu_backend)) + ", " +
                           std::to_string(f.options.common.threads) + " threads");
    if (gpus) {
        const HmmGpuCounts& counts = *gpus;
        const double available = counts.elapsed_seconds * static_cast<double>(f.gpus);
        out.line("chunks filtered", format_count(counts.chunks));
        out.line("copied to the GPU", format_size_bytes(counts.copies.bytes));
        out.line("pairs to the host",
                 format_count(counts.survivors) + ", " + format_count(counts.open) + " of them with filters to decide");
        out.line("seconds to filter", seconds_and_rate(counts.elapsed_seconds, counts.cells));
        print_host_part(out, f.options.common, counts.host, counts.cells);
        out.line("  device busy", three_decimals(counts.busy_seconds) + " (" +
                                      three_decimals(available > 0 ? 100 * counts.busy_seconds / available : 0) +
                                      " % of all GPUs' time)");
        out.line("    SSV", three_decimals(counts.ssv_seconds) + " summed over workers, which overlap");
        out.line("    MSV", three_decimals(counts.msv_seconds));
        out.line("    bias", three_decimals(counts.bias_seconds));
        out.line("    Viterbi", three_decimals(counts.viterbi_seconds));
        out.line("    Forward", three_decimals(counts.forward_seconds));
        out.line("  copying", three_decimals(counts.copies.seconds) + " summed over workers");
    }
    out.line("seconds to open", three_decimals(f.seconds_to_open));
    out.line("  for queries", three_decimals(f.query_seconds) + " (reading, calibrating)");
    out.line("  to configure", three_decimals(times.prepare_seconds));
    if (gpus) {
        out.line("  to submit", three_decimals(times.submit_seconds));
        out.line("  waiting for GPUs", three_decimals(times.wait_seconds));
    }
    out.line("  to read targets", three_decimals(times.read_seconds));
    out.line(gpus ? "  in null models" : "  in MSV and bias",
             gpus ? three_decimals(times.msv_seconds) : seconds_and_rate(times.msv_seconds, times.msv_cells));
    if (!gpus) out.line("    MSV again with J", format_count(times.msv_undecided_cells / 1'000'000) + " million cells");
    out.line("  in Viterbi", seconds_and_rate(times.viterbi_seconds, times.viterbi_cells));
    out.line("  in Forward and on", seconds_and_rate(times.forward_seconds, times.forward_cells));
    out.line("  to name hits", three_decimals(times.name_seconds));
    out.line("  to report", three_decimals(f.report_seconds));
    out.line("seconds in all", three_decimals(f.seconds_in_all));
}

}  // namespace warpseq

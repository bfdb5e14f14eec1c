#include "reports/hmmer/hmm_build_report.h"

#include "libcore/base/append_printf.h"

namespace warpseq {

void append_build_header(const HmmBuildRun& run, std::string& out) {
    constexpr std::string_view kRule = "# - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -\n";
    out.append("# ").append(run.program.name).append(" :: ").append(run.program.banner).append("\n");
    for (const std::string& credit : run.program.credits) out.append("# ").append(credit).append("\n");
    out += kRule;
    const auto line = [&](const char* label, const std::string& value) {
        append_printf(out, "# %-33s %s\n", label, value.c_str());
    };
    line("input alignment file:", run.alignment_file);
    line("output HMM file:", run.profile_file);
    for (const HmmRun::Given& given : run.given) {
        if (!given.is_default && !given.label.empty()) line(given.label.c_str(), given.shown);
    }
    out.append(kRule).append("\n");
    append_printf(out, "#%4s %-20s %5s %5s %5s %8s %6s %s\n", " idx", "name", "nseq", "alen", "mlen", "eff_nseq",
                  "re/pos", "description");
    append_printf(out, "#%4s %-20s %5s %5s %5s %8s %6s %s\n", "----", "--------------------", "-----", "-----", "-----",
                  "--------", "------", "-----------");
}

void append_build_row(std::uint64_t number, const BuiltHmm& built, std::string& out) {
    append_printf(out, "%-5llu %-20s %5zu %5zu %5d %8.2f %6.3f %s\n", static_cast<unsigned long long>(number),
                  built.name.c_str(), built.sequences, built.columns, built.hmm.length,
                  static_cast<double>(built.hmm.effective_sequences.value_or(0)), built.entropy_bits,
                  built.description.c_str());
}

}  // namespace warpseq

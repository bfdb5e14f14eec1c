#include "reports/hmmer/hmm_summary_table.h"

#include "libcore/base/append_printf.h"
#include "libcore/profile/profile_summary.h"

namespace warpseq {

void append_summary_heading(std::string& out) {
    const auto line = [&](const char* number, const char* name, const char* accession, const char* sequences,
                          const char* effective, const char* nodes, const char* relative, const char* information,
                          const char* position, const char* composition) {
        append_printf(out, "# %-4s %-20s %-12s %8s %8s %6s %6s %6s %6s %6s\n", number, name, accession, sequences,
                      effective, nodes, relative, information, position, composition);
    };
    constexpr const char *kFour = "----", *kSix = "------", *kEight = "--------";
    out += "#\n";
    line("idx", "name", "accession", "nseq", "eff_nseq", "M", "relent", "info", "p relE", "compKL");
    line(kFour, "--------------------", "------------", kEight, kEight, kSix, kSix, kSix, kSix, kSix);
}

void append_summary_row(std::uint64_t number, const ProfileHmm& hmm, std::string& out) {
    const ProfileSummary summary = summary_of(hmm);
    append_printf(
        out, "%-6llu %-20s %-12s %8d %8.2f %6d %6.2f %6.2f %6.2f %6.2f\n", static_cast<unsigned long long>(number),
        hmm.name.c_str(), hmm.accession.empty() ? "-" : hmm.accession.c_str(), hmm.sequences.value_or(-1),
        static_cast<double>(hmm.effective_sequences.value_or(-1)), hmm.length, summary.relative_entropy_bits,
        summary.information_bits, summary.position_entropy_bits, static_cast<double>(summary.composition_entropy_bits));
}

}  // namespace warpseq

#include "formats/profiles/hmm_writer.h"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "libcore/base/append_printf.h"
#include "libcore/base/version.h"

namespace warpseq {
namespace {

constexpr std::string_view kHmmerVersion = "3.3.2";
constexpr std::string_view kBeforeNumbers = "        ";

/// Appends a blank and a field of eight columns: -ln p with five decimals, or '*' if p is 0.
void append_probability(float p, std::string& out) {
    if (p == 0) {
        out += "        *";
        return;
    }
    constexpr int kDecimals = 5;
    constexpr std::size_t kField = 9;
    char digits[64];
    const double cost = p == 1 ? 0.0 : static_cast<double>(-std::log(p));
    const auto end = std::to_chars(digits, digits + sizeof digits, cost, std::chars_format::fixed, kDecimals).ptr;
    const auto length = static_cast<std::size_t>(end - digits);
    out.append(length < kField ? kField - length : 1, ' ').append(digits, length);
}

void append_probabilities(std::span<const float> probabilities, std::string& out) {
    for (const float p : probabilities) append_probability(p, out);
}

void append_cutoffs(const char* tag, const std::optional<ScoreCutoffs>& cutoffs, std::string& out) {
    if (!cutoffs) return;
    append_printf(out, "%s    %.2f %.2f\n", tag, static_cast<double>(cutoffs->sequence_bits),
                  static_cast<double>(cutoffs->domain_bits));
}

void append_statistics(const HmmStatistics& statistics, HmmFormat format, std::string& out) {
    if (format == HmmFormat::k3a) {
        append_printf(out, "STATS LOCAL     VLAMBDA %f\n", static_cast<double>(statistics.msv_lambda));
        append_printf(out, "STATS LOCAL         VMU %f\n", static_cast<double>(statistics.msv_mu));
        append_printf(out, "STATS LOCAL        FTAU %f\n", static_cast<double>(statistics.forward_tau));
        return;
    }
    const auto line = [&](const char* what, float location, float lambda) {
        append_printf(out, "STATS LOCAL %-8s %8.4f %8.5f\n", what, static_cast<double>(location),
                      static_cast<double>(lambda));
    };
    line("MSV", statistics.msv_mu, statistics.msv_lambda);
    line("VITERBI", statistics.viterbi_mu, statistics.viterbi_lambda);
    line("FORWARD", statistics.forward_tau, statistics.forward_lambda);
}

void append_header(const ProfileHmm& hmm, HmmFormat format, std::string_view program, std::string& out) {
    const auto text = [&](std::string_view tag, std::string_view value) {
        if (!value.empty()) out.append(tag).append(value).append("\n");
    };
    const auto yes_or_no = [&](std::string_view tag, bool yes) { text(tag, yes ? "yes" : "no"); };
    out.append("HMMER3/").append(1, static_cast<char>(format)).append(" [").append(kHmmerVersion).append(" | ");
    if (program.empty()) {
        out.append("warpseq ").append(program_version());
    } else {
        out.append(program);
    }
    out.append(format == HmmFormat::k3f ? "]\n" : "; reverse compatibility mode]\n");
    out.append("NAME  ").append(hmm.name).append("\n");
    text("ACC   ", hmm.accession);
    text("DESC  ", hmm.description);
    append_printf(out, "LENG  %d\n", hmm.length);
    if (format >= HmmFormat::k3c && hmm.longest_instance.value_or(0) > 0) {
        append_printf(out, "MAXL  %d\n", *hmm.longest_instance);
    }
    out += "ALPH  amino\n";
    yes_or_no("RF    ", !hmm.reference.empty());
    if (format >= HmmFormat::k3f) yes_or_no("MM    ", !hmm.mask.empty());
    if (format >= HmmFormat::k3e) yes_or_no("CONS  ", !hmm.consensus.empty());
    yes_or_no("CS    ", !hmm.structure.empty());
    yes_or_no("MAP   ", !hmm.map.empty());
    text("DATE  ", hmm.date);
    for (std::size_t i = 0; i < hmm.commands.size(); ++i) {
        append_printf(out, "COM   [%zu] %s\n", i + 1, hmm.commands[i].c_str());
    }
    if (hmm.sequences.value_or(0) > 0) append_printf(out, "NSEQ  %d\n", *hmm.sequences);
    if (hmm.effective_sequences.value_or(-1) >= 0) {
        append_printf(out, "EFFN  %f\n", static_cast<double>(*hmm.effective_sequences));
    }
    if (hmm.checksum) append_printf(out, "CKSUM %u\n", *hmm.checksum);
    append_cutoffs("GA", hmm.gathering, out);
    append_cutoffs("TC", hmm.trusted, out);
    append_cutoffs("NC", hmm.noise, out);
    if (hmm.statistics) append_statistics(*hmm.statistics, format, out);
}

/// Appends the annotation behind the match probabilities of a node: MAP CONS RF MM CS, as far as
/// the format has them.
void append_annotation(const ProfileHmm& hmm, std::size_t node, HmmFormat format, std::string& out) {
    const auto letter = [&](const std::string& letters) {
        out.append(1, ' ').append(1, letters.empty() ? '-' : letters[node - 1]);
    };
    if (hmm.map.empty()) {
        out += "      -";
    } else {
        append_printf(out, " %6d", hmm.map[node - 1]);
    }
    const bool is_masked = format >= HmmFormat::k3f && !hmm.mask.empty() && hmm.mask[node - 1] == 'm';
    if (format >= HmmFormat::k3e) {
        if (is_masked && !hmm.consensus.empty()) {
            out += " x";
        } else {
            letter(hmm.consensus);
        }
    }
    letter(hmm.reference);
    if (format >= HmmFormat::k3f) letter(hmm.mask);
    letter(hmm.structure);
    out += '\n';
}

}  // namespace

void append_hmm(const ProfileHmm& hmm, std::string& out, HmmFormat format, std::string_view program) {
    append_header(hmm, format, program, out);
    out += "HMM     ";
    for (const char letter : kResidueLetters.substr(0, kAminoAcids))
        out.append("     ").append(1, letter).append("   ");
    out += "\n            m->m     m->i     m->d     i->m     i->i     d->m     d->d\n";
    const bool has_composition = hmm.composition != ProfileHmm::Residues{kUnknownComposition};
    if (has_composition) {
        out += "  COMPO ";
        append_probabilities(hmm.composition, out);
        out += '\n';
    }
    for (std::size_t node = 0; node <= static_cast<std::size_t>(hmm.length); ++node) {
        if (node > 0) {
            append_printf(out, " %6zu ", node);
            append_probabilities(hmm.match[node], out);
            append_annotation(hmm, node, format, out);
        }
        out += kBeforeNumbers;
        append_probabilities(hmm.insert[node], out);
        out.append("\n").append(kBeforeNumbers);
        append_probabilities(hmm.transitions[node], out);
        out += '\n';
    }
    out += "//\n";
}

}  // namespace warpseq

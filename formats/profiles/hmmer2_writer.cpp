#include "formats/profiles/hmmer2_writer.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "libcore/base/append_printf.h"
#include "libcore/statistics/null_model.h"

namespace warpseq {
namespace {

// HMMER 2's default null model and algorithm mode.
constexpr float kLoop = 350.0F / 351.0F, kMove = 1.0F / 351.0F;
constexpr float kEndMove = 0.5F;  // from E, to C and to J

/// Appends a blank and a field of six columns: the score of p against `null`, or '*' if p is 0.
void append_score(float p, float null, std::string& out) {
    constexpr double kScale = 1442.695;  // thousandths of a bit
    if (p == 0) {
        out += "      *";
        return;
    }
    // The quotient is a float, as in HMMER.
    const double score = p == 1 && null == 1 ? 0 : std::floor(0.5 + kScale * std::log(static_cast<double>(p / null)));
    append_printf(out, " %6d", static_cast<int>(score));
}

void append_scores(std::span<const float> probabilities, std::string& out) {
    for (const float p : probabilities) append_score(p, 1, out);
}

void append_residues(const ProfileHmm::Residues& residues, std::string& out) {
    for (std::size_t a = 0; a < residues.size(); ++a) append_score(residues[a], kBackgroundFrequencies[a], out);
}

void append_cutoffs(const char* tag, const std::optional<ScoreCutoffs>& cutoffs, std::string& out) {
    if (!cutoffs) return;
    append_printf(out, "%s    %.1f %.1f\n", tag, static_cast<double>(cutoffs->sequence_bits),
                  static_cast<double>(cutoffs->domain_bits));
}

void append_header(const ProfileHmm& hmm, std::string& out) {
    const auto text = [&](std::string_view tag, std::string_view value) {
        if (!value.empty()) out.append(tag).append(value).append("\n");
    };
    const auto yes_or_no = [&](std::string_view tag, bool yes) { text(tag, yes ? "yes" : "no"); };
    out += "HMMER2.0  [converted from 3.3.2]\n";
    out.append("NAME  ").append(hmm.name).append("\n");
    text("ACC   ", hmm.accession);
    text("DESC  ", hmm.description);
    append_printf(out, "LENG  %d\nALPH  Amino\n", hmm.length);
    yes_or_no("RF    ", !hmm.reference.empty());
    yes_or_no("CS    ", !hmm.structure.empty());
    yes_or_no("MAP   ", !hmm.map.empty());
    for (const std::string& command : hmm.commands) out.append("COM    ").append(command).append("\n");
    if (hmm.sequences) append_printf(out, "NSEQ  %d\n", *hmm.sequences);
    text("DATE  ", hmm.date);
    append_cutoffs("GA", hmm.gathering, out);
    append_cutoffs("TC", hmm.trusted, out);
    append_cutoffs("NC", hmm.noise, out);
}

/// Appends the special states' transitions and the null model.
void append_search_model(std::string& out) {
    out += "XT     ";
    append_scores(std::array{kMove, kLoop, kEndMove, kEndMove, kMove, kLoop, kMove, kLoop}, out);
    out += "\nNULT   ";
    append_scores(std::array{kLoop, kMove}, out);
    out += "\nNULE   ";
    for (const float f : kBackgroundFrequencies) append_score(f, 1.0F / kAminoAcids, out);
    out += '\n';
}

}  // namespace

void append_hmmer2_profile(const ProfileHmm& hmm, std::string& out) {
    append_header(hmm, out);
    append_search_model(out);
    out += "HMM      ";
    for (const char letter : kResidueLetters.substr(0, kAminoAcids)) out.append("  ").append(1, letter).append("    ");
    out += "\n         m->m   m->i   m->d   i->m   i->i   d->m   d->d   b->m   m->e\n      ";
    const ProfileHmm::Transitions& begin = hmm.transitions[0];
    append_score(static_cast<float>(1.0 - static_cast<double>(begin[kMatchDelete])), 1, out);
    append_score(0, 1, out);
    append_score(begin[kMatchDelete], 1, out);
    out += '\n';
    const auto letter = [&](const std::string& letters, std::size_t node) {
        out.append("     ").append(1, letters.empty() ? '-' : letters[node - 1]).append(" ");
    };
    const auto last = static_cast<std::size_t>(hmm.length);
    for (std::size_t node = 1; node <= last; ++node) {
        append_printf(out, " %5zu ", node);
        append_residues(hmm.match[node], out);
        if (!hmm.map.empty()) append_printf(out, " %5d", hmm.map[node - 1]);
        out += '\n';
        letter(hmm.reference, node);
        append_residues(node < last ? hmm.insert[node] : ProfileHmm::Residues{}, out);
        out += '\n';
        letter(hmm.structure, node);
        append_scores(node < last ? hmm.transitions[node] : ProfileHmm::Transitions{}, out);
        append_score(node == 1 ? begin[kMatchMatch] : 0, 1, out);
        append_score(node < last ? 0.0F : 1.0F, 1, out);
        out += '\n';
    }
    out += "//\n";
}

}  // namespace warpseq

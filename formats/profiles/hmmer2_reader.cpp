#include "formats/profiles/hmmer2_reader.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "formats/io/shown_text.h"
#include "libcore/base/compensated_sum.h"
#include "libcore/statistics/null_model.h"

namespace warpseq {
namespace {

using Part = ProfileText::Part;

/// ln 2 / 1000 with the digits that HMMER has.
constexpr double kNatsPerScore = 0.00069314718;
/// The largest value of a score. Sums of rows with larger ones could be infinite.
constexpr double kHighest = 1e30;

/// Returns the probability for a score against `null`, or nothing if the word is not a score.
std::optional<float> probability_of(std::string_view word, float null) {
    if (word == "*") return 0.0F;
    const auto score = number_of<std::int32_t>(word);
    if (!score) return std::nullopt;
    const double probability = static_cast<double>(null) * std::exp(*score * kNatsPerScore);
    if (!(probability <= kHighest)) return std::nullopt;  // not a number: 0 times infinity
    return static_cast<float>(probability);
}

/// Reads the words from number `first` on into `row`. nulls[i] is what score i refers to.
Status read_scores(const ProfileText& text, std::size_t first, std::span<const float> nulls, std::span<float> row,
                   const Part& part) {
    if (text.words[0] == "//") return text.ends_early(part);
    if (text.words.size() < first + row.size()) {
        return text.at("the line has " + std::to_string(text.words.size() - std::min(first, text.words.size())) +
                       " of " + std::to_string(row.size()) + " scores for " + text.shown(part));
    }
    for (std::size_t i = 0; i < row.size(); ++i) {
        const std::string_view word = text.words[first + i];
        const std::optional<float> probability = probability_of(word, nulls[i]);
        if (!probability) {
            return text.at("found " + shown_text(word) + " as score " + std::to_string(i + 1) + " for " +
                           text.shown(part) +
                           "; expected a whole number of thousandths of a bit, or * for a probability of 0");
        }
        row[i] = *probability;
    }
    return {};
}

constexpr ProfileHmm::Transitions kCertain = {1, 1, 1, 1, 1, 1, 1};

/// Reads the first letter of the line as an annotation.
Status read_letter(const ProfileText& text, const char* what, std::string& letters, const Part& part) {
    if (text.words[0] == "//") return text.ends_early(part);
    const char letter = text.words[0].front();
    if (letter < '!' || letter > '~') {
        return text.at("found " + shown_text(text.words[0]) + " for " + what + " before " + text.shown(part) +
                       "; a letter was expected");
    }
    letters += letter;
    return {};
}

Status read_map(const ProfileText& text, ProfileHmm& hmm, const Part& part) {
    constexpr std::size_t kColumn = 1 + kAminoAcids;
    const std::string_view word = text.words.size() > kColumn ? text.words[kColumn] : std::string_view();
    const std::optional<int> column = word == "-" ? 0 : number_of<int>(word);
    if (!column || *column < 0) {
        return text.at("found " + shown_text(word) + " in the column MAP after " + text.shown(part) +
                       "; the header says MAP yes, so the number of an alignment column was expected");
    }
    hmm.map.push_back(*column);
    return {};
}

Status read_node(ProfileText& text, const Hmmer2Header& header, int node, ProfileHmm& hmm) {
    const Part matches{"the matches", node}, inserts{"the inserts", node}, transitions{"the transitions", node};
    WARPSEQ_TRY(text.need_line(matches));
    if (text.words[0] == "//") return text.ends_early(matches);
    if (number_of<int>(text.words[0]) != node) {
        return text.at("found " + shown_text(text.words[0]) + " at the start of the line; expected " +
                       std::to_string(node) + " and " + text.shown(matches));
    }
    WARPSEQ_TRY(read_scores(text, 1, header.background, hmm.match.emplace_back(), matches));
    if (header.has_map) WARPSEQ_TRY(read_map(text, hmm, matches));

    std::string unused;
    WARPSEQ_TRY(text.need_line(inserts));
    WARPSEQ_TRY(read_letter(text, "RF", header.has_reference ? hmm.reference : unused, inserts));
    hmm.insert.push_back(kBackgroundFrequencies);

    WARPSEQ_TRY(text.need_line(transitions));
    WARPSEQ_TRY(read_letter(text, "CS", header.has_structure ? hmm.structure : unused, transitions));
    ProfileHmm::Transitions& row = hmm.transitions.emplace_back();
    if (node < hmm.length) return read_scores(text, 1, kCertain, row, transitions);
    row[kMatchMatch] = row[kInsertMatch] = row[kDeleteMatch] = 1;
    return {};
}

void normalise_rows(ProfileHmm& hmm) {
    for (std::size_t node = 0; node < hmm.transitions.size(); ++node) {
        if (node > 0) normalise(hmm.match[node]);
        normalise(hmm.insert[node]);
        const std::span<float> row(hmm.transitions[node]);
        normalise(row.subspan(kMatchMatch, 3));
        normalise(row.subspan(kInsertMatch, 2));
        normalise(row.subspan(kDeleteMatch, 2));
    }
}

}  // namespace

Status read_hmmer2_background(const ProfileText& text, ProfileHmm::Residues& background) {
    ProfileHmm::Residues nulls;
    nulls.fill(1.0F / kAminoAcids);
    return read_scores(text, 1, nulls, background, {"NULE"});
}

Status read_hmmer2_nodes(ProfileText& text, const Hmmer2Header& header, ProfileHmm& hmm) {
    const Part begin{"the line of transitions from the begin state"};
    WARPSEQ_TRY(text.need_line(begin));
    std::array<float, 3> from_begin{};
    // The second score is read like the others but not used. HMMER2 writes it as *.
    WARPSEQ_TRY(read_scores(text, 0, kCertain, from_begin, begin));
    hmm.match.emplace_back();
    hmm.insert.push_back(kBackgroundFrequencies);
    ProfileHmm::Transitions& row = hmm.transitions.emplace_back();
    row[kMatchMatch] = from_begin[0];
    row[kMatchDelete] = from_begin[2];
    row[kInsertMatch] = row[kDeleteMatch] = 1;
    for (int node = 1; node <= hmm.length; ++node) WARPSEQ_TRY(read_node(text, header, node, hmm));
    const Part end{"// after the transitions", hmm.length};
    WARPSEQ_TRY(text.need_line(end));
    if (text.words[0] != "//") return text.at("found " + shown_text(text.line) + "; expected " + text.shown(end));
    normalise_rows(hmm);
    return {};
}

}  // namespace warpseq

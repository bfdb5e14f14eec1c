#include "reports/hmmer/hmm_checkpoints.h"

#include "formats/alignments/stockholm_writer.h"
#include "formats/profiles/hmm_writer.h"

namespace warpseq {
namespace {

/// The number of bytes that a file holds back. Checkpoints are small, and each of many rounds may
/// have a file.
constexpr std::size_t kHeldBytes = std::size_t{1} << 20;

Status append_to(std::vector<ReportText>& outputs, const std::optional<std::string>& prefix, const char* ending,
                 ExistingFile existing, const std::vector<std::string>& texts) {
    for (std::size_t r = 0; r < texts.size(); ++r) {
        if (r == outputs.size()) {
            auto opened = ReportText::open(checkpoint_file(*prefix, r + 1, ending), kHeldBytes, existing);
            if (!opened.ok()) return opened.status();
            outputs.push_back(*std::move(opened));
        }
        outputs[r].text() += texts[r];
        WARPSEQ_TRY(outputs[r].spill());
    }
    return {};
}

}  // namespace

std::filesystem::path checkpoint_file(const std::string& prefix, std::uint64_t round, const char* ending) {
    return prefix + "-" + std::to_string(round) + ending;
}

void HmmCheckpoints::format_profile(ProfileHmm hmm, Text& text) const {
    if (!files_.profiles) return;
    // HMMER's profiles of single sequences have no accession and no description.
    const bool is_first_round = text.profiles.empty();
    if (is_first_round) hmm.accession = hmm.description = "";
    append_hmm(hmm, text.profiles.emplace_back());
}

void HmmCheckpoints::format_round(const HmmRound& round, Text& text) const {
    format_profile(round.hmm, text);
    if (files_.alignments) append_stockholm(round.alignment, 0, text.alignments.emplace_back());
}

Status HmmCheckpoints::append(const Text& text) {
    WARPSEQ_TRY(append_to(profiles_, files_.profiles, kProfileCheckpoint, files_.existing, text.profiles));
    return append_to(alignments_, files_.alignments, kAlignmentCheckpoint, files_.existing, text.alignments);
}

Status HmmCheckpoints::finish() {
    for (std::vector<ReportText>* outputs : {&profiles_, &alignments_})
        for (ReportText& output : *outputs) WARPSEQ_TRY(output.finish());
    return {};
}

}  // namespace warpseq

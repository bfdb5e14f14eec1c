#include "formats/profiles/hmm_binary.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>

#include "formats/io/shown_text.h"
#include "formats/profiles/hmm_file.h"

namespace warpseq {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::array<std::uint8_t, 6> kFormatBytes = {0xb6, 0xb7, 0xb8, 0xb9, 0xb0, 0xba};  // 3/a to 3/f
constexpr std::array<std::uint8_t, 3> kMagicBytes = {0xed, 0xed, 0xe8};
constexpr std::int32_t kAmino = 3;
constexpr float kUnset = -99999.0F;

enum Flag : std::uint32_t {
    kHasDescription = 1U << 1,
    kHasReference = 1U << 2,
    kHasStructure = 1U << 3,
    kHasStatistics = 1U << 7,
    kHasMap = 1U << 8,
    kHasAccession = 1U << 9,
    kHasGathering = 1U << 10,
    kHasTrusted = 1U << 11,
    kHasNoise = 1U << 12,
    kHasAccessibility = 1U << 13,
    kHasComposition = 1U << 14,
    kHasChecksum = 1U << 15,
    kHasConsensus = 1U << 16,
    kHasMask = 1U << 17,
};

template <typename Value>
void append_value(const Value& value, std::string& out) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_text(const std::string& text, std::string& out) {
    append_value(static_cast<std::int32_t>(text.size() + 1), out);
    out.append(text.c_str(), text.size() + 1);
}

void append_optional_text(const std::string& text, std::string& out) {
    if (text.empty()) {
        append_value(std::int32_t{0}, out);
    } else {
        append_text(text, out);
    }
}

void append_letters(const std::string& letters, std::string& out) {
    if (letters.empty()) return;
    out += ' ';
    out.append(letters.c_str(), letters.size() + 1);
}

bool is_known(const ProfileHmm::Residues& composition) {
    return std::ranges::any_of(composition, [](float p) { return p != kUnknownComposition; });
}

void append_statistics(const HmmStatistics& statistics, HmmFormat format, std::string& out) {
    const HmmStatistics& s = statistics;
    if (format == HmmFormat::k3a) {
        append_value(std::array{s.msv_lambda, s.msv_mu, s.forward_tau}, out);
        return;
    }
    append_value(std::array{s.msv_mu, s.msv_lambda, s.viterbi_mu, s.viterbi_lambda, s.forward_tau, s.forward_lambda},
                 out);
}

std::uint32_t flags_of(const ProfileHmm& hmm) {
    std::uint32_t flags = 0;
    const auto set = [&](bool is, Flag flag) { flags |= is ? flag : 0U; };
    set(!hmm.description.empty(), kHasDescription);
    set(!hmm.reference.empty(), kHasReference);
    set(!hmm.structure.empty(), kHasStructure);
    set(hmm.statistics.has_value(), kHasStatistics);
    set(!hmm.map.empty(), kHasMap);
    set(!hmm.accession.empty(), kHasAccession);
    set(hmm.gathering.has_value(), kHasGathering);
    set(hmm.trusted.has_value(), kHasTrusted);
    set(hmm.noise.has_value(), kHasNoise);
    set(is_known(hmm.composition), kHasComposition);
    set(hmm.checksum.has_value(), kHasChecksum);
    set(!hmm.consensus.empty(), kHasConsensus);
    set(!hmm.mask.empty(), kHasMask);
    return flags;
}

}  // namespace

bool begins_binary_profiles(std::span<const std::uint8_t> first_bytes) {
    return !first_bytes.empty() && std::ranges::find(kFormatBytes, first_bytes.front()) != kFormatBytes.end();
}

void append_binary_profile(const ProfileHmm& hmm, std::string& out, HmmFormat format) {
    out += static_cast<char>(kFormatBytes[static_cast<std::size_t>(format) - static_cast<std::size_t>(HmmFormat::k3a)]);
    out.append(reinterpret_cast<const char*>(kMagicBytes.data()), kMagicBytes.size());
    append_value(flags_of(hmm), out);
    append_value(static_cast<std::int32_t>(hmm.length), out);
    append_value(kAmino, out);
    const auto rows = [&](const auto& all, std::size_t first) {
        for (std::size_t k = first; k < all.size(); ++k) append_value(all[k], out);
    };
    rows(hmm.match, 1);
    rows(hmm.insert, 0);
    rows(hmm.transitions, 0);
    append_text(hmm.name, out);
    if (!hmm.accession.empty()) append_text(hmm.accession, out);
    if (!hmm.description.empty()) append_text(hmm.description, out);
    for (const std::string* letters : {&hmm.reference, &hmm.mask, &hmm.consensus, &hmm.structure})
        append_letters(*letters, out);
    std::string commands;
    for (const std::string& command : hmm.commands) commands += (commands.empty() ? "" : "\n") + command;
    append_optional_text(commands, out);
    append_value(static_cast<std::int32_t>(hmm.sequences.value_or(-1)), out);
    append_value(hmm.effective_sequences.value_or(-1), out);
    if (format >= HmmFormat::k3c) append_value(static_cast<std::int32_t>(hmm.longest_instance.value_or(-1)), out);
    append_optional_text(hmm.date, out);
    if (!hmm.map.empty()) {
        append_value(std::int32_t{0}, out);
        for (const int column : hmm.map) append_value(static_cast<std::int32_t>(column), out);
    }
    append_value(hmm.checksum.value_or(0), out);
    append_statistics(hmm.statistics.value_or(HmmStatistics{kUnset, kUnset, kUnset, kUnset, kUnset, kUnset}), format,
                      out);
    for (const auto* cutoffs : {&hmm.gathering, &hmm.trusted, &hmm.noise}) {
        append_value(*cutoffs ? (*cutoffs)->sequence_bits : kUnset, out);
        append_value(*cutoffs ? (*cutoffs)->domain_bits : kUnset, out);
    }
    if (is_known(hmm.composition)) append_value(hmm.composition, out);
}

Status BinaryHmmReader::wrong(const std::string& message) const {
    std::string what = shown_ + ": profile " + std::to_string(profiles_ + 1);
    if (!name_.empty()) what += " (" + shown_text(name_) + ")";
    return Status::invalid_input(what + ": " + message);
}

/// Makes sure that `block_` holds bytes, unless the input has ended.
Status BinaryHmmReader::need_block() {
    if (!block_.empty() || source_ == nullptr) return {};
    const auto next = source_->next_block();
    if (!next.ok()) return next.status();
    block_ = *next;
    return {};
}

Status BinaryHmmReader::take(void* bytes, std::size_t count, const char* what) {
    auto* to = static_cast<std::uint8_t*>(bytes);
    bytes_read_ += count;
    while (count > 0) {
        WARPSEQ_TRY(need_block());
        if (block_.empty())
            return wrong(std::string("the file ends within it; expected ") + what + ". Is the file cut off?");
        const std::size_t part = std::min(count, block_.size());
        std::memcpy(to, block_.data(), part);
        to += part;
        count -= part;
        block_ = block_.subspan(part);
    }
    return {};
}

/// Reads `count` rows of probabilities. Each row is added when it has been read, so that a wrong
/// number of nodes in the file allocates no memory.
template <typename Rows>
Status BinaryHmmReader::take_probabilities(Rows& rows, int count, const char* what) {
    constexpr float kHighest = 1.001F;  // rounding may give a little more than 1
    for (int k = 0; k < count; ++k) {
        auto& row = rows.emplace_back();
        WARPSEQ_TRY(take_value(row, what));
        if (std::ranges::all_of(row, [](float p) { return p >= 0 && p <= kHighest; })) continue;
        return wrong(std::string("found a number that is not a probability among ") + what);
    }
    return {};
}

Status BinaryHmmReader::take_text(std::string& text, const char* what) {
    std::int32_t bytes = 0;
    WARPSEQ_TRY(take_value(bytes, what));
    text.clear();
    if (bytes == 0) return {};
    if (bytes < 0 || static_cast<std::size_t>(bytes) > kLongestHmmLineBytes)
        return wrong(std::string("found a length of ") + std::to_string(bytes) + " bytes for " + what);
    constexpr std::size_t kAtOnce = 4096;
    for (auto left = static_cast<std::size_t>(bytes); left > 0;) {
        const std::size_t part = std::min(left, kAtOnce), before = text.size();
        text.resize(before + part);
        WARPSEQ_TRY(take(text.data() + before, part, what));
        left -= part;
    }
    if (text.find('\0') != text.size() - 1) return wrong(std::string("a text does not end where it should: ") + what);
    text.pop_back();
    return {};
}

Status BinaryHmmReader::take_letters(std::string& letters, int nodes, const char* what) {
    for (int k = 0; k < nodes + 2; ++k) {
        char letter = 0;
        WARPSEQ_TRY(take_value(letter, what));
        if (k == 0 || k == nodes + 1) continue;
        if (letter < '!' || letter > '~') return wrong(std::string("found a byte that is not a letter in ") + what);
        letters += letter;
    }
    return {};
}

Status BinaryHmmReader::take_rest(ProfileHmm& hmm, char format, std::uint32_t flags) {
    WARPSEQ_TRY(take_text(hmm.name, "the name"));
    name_ = hmm.name;
    if (hmm.name.empty() || hmm.name.find_first_of(" \t\v\f\r\n") != std::string::npos)
        return wrong("its name is empty or has blanks");
    if ((flags & kHasAccession) != 0) WARPSEQ_TRY(take_text(hmm.accession, "the accession"));
    if ((flags & kHasDescription) != 0) WARPSEQ_TRY(take_text(hmm.description, "the description"));
    for (const std::string* text : {&hmm.accession, &hmm.description}) {
        if (text->find_first_of("\r\n") != std::string::npos)
            return wrong("its accession or description has a line end");
    }
    if ((flags & kHasReference) != 0) WARPSEQ_TRY(take_letters(hmm.reference, hmm.length, "RF"));
    if ((flags & kHasMask) != 0) WARPSEQ_TRY(take_letters(hmm.mask, hmm.length, "MM"));
    if ((flags & kHasConsensus) != 0) WARPSEQ_TRY(take_letters(hmm.consensus, hmm.length, "CONS"));
    if ((flags & kHasStructure) != 0) WARPSEQ_TRY(take_letters(hmm.structure, hmm.length, "CS"));
    std::string unused;
    if ((flags & kHasAccessibility) != 0) WARPSEQ_TRY(take_letters(unused, hmm.length, "CA"));
    std::string commands;
    WARPSEQ_TRY(take_text(commands, "the commands"));
    for (std::size_t from = 0; from < commands.size();) {
        const std::size_t end = std::min(commands.find('\n', from), commands.size());
        hmm.commands.push_back(commands.substr(from, end - from));
        from = end + 1;
    }
    std::int32_t sequences = -1, longest = -1;
    float effective = -1;
    WARPSEQ_TRY(take_value(sequences, "the number of sequences"));
    WARPSEQ_TRY(take_value(effective, "the effective number of sequences"));
    if (format >= 'c') WARPSEQ_TRY(take_value(longest, "the longest instance"));
    if (sequences >= 0) hmm.sequences = sequences;
    if (effective >= 0 && std::isfinite(effective)) hmm.effective_sequences = effective;
    if (longest >= 1) hmm.longest_instance = longest;
    WARPSEQ_TRY(take_text(hmm.date, "the date"));
    if ((flags & kHasMap) != 0) {
        for (int k = 0; k <= hmm.length; ++k) {
            std::int32_t column = 0;
            WARPSEQ_TRY(take_value(column, "alignment columns"));
            if (column < 0) return wrong("found an alignment column below 0");
            if (k > 0) hmm.map.push_back(column);
        }
    }
    std::uint32_t checksum = 0;
    WARPSEQ_TRY(take_value(checksum, "the checksum"));
    if ((flags & kHasChecksum) != 0) hmm.checksum = checksum;

    std::array<float, 6> numbers{};
    if (format == 'a') {
        std::array<float, 3> old{};
        WARPSEQ_TRY(take_value(old, "the statistics"));
        numbers = {old[1], old[0], old[1], old[0], old[2], old[0]};
    } else {
        WARPSEQ_TRY(take_value(numbers, "the statistics"));
    }
    if ((flags & kHasStatistics) != 0) {
        hmm.statistics = HmmStatistics{numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]};
        if (!are_usable(*hmm.statistics))
            return wrong("its score statistics are invalid: expected finite locations, and lambdas above 0");
    }
    WARPSEQ_TRY(take_value(numbers, "the cutoffs"));
    const auto cutoffs = [&](Flag flag, std::size_t at, std::optional<ScoreCutoffs>& to) {
        if ((flags & flag) == 0) return true;
        to = ScoreCutoffs{numbers[at], numbers[at + 1]};
        return std::isfinite(to->sequence_bits) && std::isfinite(to->domain_bits);
    };
    if (!cutoffs(kHasGathering, 0, hmm.gathering) || !cutoffs(kHasTrusted, 2, hmm.trusted) ||
        !cutoffs(kHasNoise, 4, hmm.noise))
        return wrong("its cutoffs are not finite scores");
    hmm.composition.fill(kUnknownComposition);
    if ((flags & kHasComposition) == 0) return {};
    std::vector<ProfileHmm::Residues> composition;
    WARPSEQ_TRY(take_probabilities(composition, 1, "the composition"));
    hmm.composition = composition.front();
    return {};
}

Result<bool> BinaryHmmReader::next(ProfileHmm& hmm) {
    WARPSEQ_TRY(need_block());
    if (block_.empty()) return false;
    hmm = ProfileHmm{};
    name_.clear();
    std::array<std::uint8_t, 4> magic{};
    WARPSEQ_TRY(take_value(magic, "a profile"));
    const auto version = std::ranges::find(kFormatBytes, magic[0]);
    if (version == kFormatBytes.end() || !std::ranges::equal(std::span(magic).subspan(1), kMagicBytes))
        return wrong("expected the beginning of a binary profile, HMMER3/a to HMMER3/f, found other bytes");
    const auto format = static_cast<char>('a' + (version - kFormatBytes.begin()));
    std::uint32_t flags = 0;
    std::int32_t nodes = 0, alphabet = 0;
    WARPSEQ_TRY(take_value(flags, "flags"));
    WARPSEQ_TRY(take_value(nodes, "the number of nodes"));
    WARPSEQ_TRY(take_value(alphabet, "the alphabet"));
    if (nodes < 1 || nodes > kLongestProfileNodes)
        return wrong("found " + std::to_string(nodes) + " nodes; expected 1 to " +
                     std::to_string(kLongestProfileNodes));
    if (alphabet != kAmino) return wrong("it is not a protein profile; " + std::string(kOnlyProteinProfiles));
    hmm.length = nodes;
    hmm.match.emplace_back();
    WARPSEQ_TRY(take_probabilities(hmm.match, nodes, "the matches"));
    WARPSEQ_TRY(take_probabilities(hmm.insert, nodes + 1, "the inserts"));
    WARPSEQ_TRY(take_probabilities(hmm.transitions, nodes + 1, "the transitions"));
    WARPSEQ_TRY(take_rest(hmm, format, flags));
    // HMMER does not use the consensus of an old version.
    if (format < 'e' || hmm.consensus.empty()) hmm.consensus = consensus_of(hmm);
    ++profiles_;
    return true;
}

}  // namespace warpseq

// Implements HmmFileReader: the headers of all text formats, and the nodes of HMMER3/a to HMMER3/f.
#include "formats/profiles/hmm_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "formats/io/shown_text.h"
#include "formats/profiles/hmm_binary.h"
#include "formats/profiles/hmmer2_reader.h"
#include "formats/profiles/profile_alphabet.h"
#include "formats/profiles/profile_text.h"

namespace warpseq {

namespace {

constexpr std::string_view kMagic = "HMMER3/";
constexpr std::string_view kHmmer2Magic = "HMMER2.0";
/// The format of a profile in HMMER2's format. It is before the letters of HMMER 3's formats.
constexpr char kHmmer2 = '2';

/// The header tags that a profile may have at most once.
enum Tag {
    kName,
    kAcc,
    kDesc,
    kLeng,
    kMaxl,
    kAlph,
    kRf,
    kMm,
    kCons,
    kCs,
    kMap,
    kNseq,
    kEffn,
    kCksum,
    kGa,
    kTc,
    kNc,
    kNule,
    kTags
};
constexpr std::array<std::string_view, kTags> kTagNames = {"NAME", "ACC",   "DESC", "LENG", "MAXL", "ALPH",
                                                           "RF",   "MM",    "CONS", "CS",   "MAP",  "NSEQ",
                                                           "EFFN", "CKSUM", "GA",   "TC",   "NC",   "NULE"};

/// The words that may follow STATS LOCAL. A location and lambda follow each of them.
constexpr std::array<std::string_view, 3> kStatistics = {"MSV", "VITERBI", "FORWARD"};
/// The same words in format 3/a. One number follows each of them.
constexpr std::array<std::string_view, 3> kStatistics3a = {"VMU", "VLAMBDA", "FTAU"};

bool same_ignoring_case(std::string_view a, std::string_view b) {
    const auto upper = [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return upper(x) == upper(y); });
}

}  // namespace

bool begins_like_profiles(std::span<const std::uint8_t> first_bytes) {
    std::string_view text(reinterpret_cast<const char*>(first_bytes.data()), first_bytes.size());
    if (begins_binary_profiles(first_bytes)) return true;
    remove_byte_order_mark(text);
    text.remove_prefix(std::min(text.find_first_not_of(" \t\v\f\r\n"), text.size()));
    return text.starts_with("HMMER") || text.starts_with('#');
}

struct HmmFileReader::State : ProfileText {
    // ---- a profile ----

    Result<bool> next(ProfileHmm& hmm) {
        if (!source) {
            Result<ByteSource> opened = ByteSource::open(file, block_bytes);
            if (!opened.ok()) return opened.status();
            source.emplace(std::move(*opened));
        }
        if (!has_begun) {
            has_begun = true;
            const auto start = source->peek_block();
            if (!start.ok()) return start.status();
            if (begins_binary_profiles(*start)) binary.emplace(*source);
        }
        if (binary) {
            profile_offset = binary->bytes_read();
            const auto more = binary->next(hmm);
            if (more.ok() && *more) ++profiles;
            return more;
        }
        const Result<bool> more = next_line();
        if (!more.ok()) return more;
        if (!*more) {
            if (profiles > 0) return false;
            const std::string why =
                source->stored_bytes() == 0 ? "is empty: there is no profile in it" : "there is no profile in it";
            return Status::invalid_input(source->name() + ": " + why +
                                         "; a profile in HMMER 3's text format was expected");
        }
        hmm = ProfileHmm{};
        WARPSEQ_TRY(read_format());
        WARPSEQ_TRY(read_header(hmm));
        if (format == kHmmer2) {
            hmm.calibrate_on_reading = true;
            const Hmmer2Header header{.background = background,
                                      .has_map = has_annotation[kMap],
                                      .has_reference = has_annotation[kRf],
                                      .has_structure = has_annotation[kCs]};
            WARPSEQ_TRY(read_hmmer2_nodes(*this, header, hmm));
        } else {
            WARPSEQ_TRY(read_nodes(hmm));
        }
        if (hmm.consensus.empty()) hmm.consensus = consensus_of(hmm);
        if (!has_composition) hmm.composition.fill(kUnknownComposition);
        ++profiles;
        return true;
    }

    Status read_format() {
        first_line = line_number;
        // HMMER counts blank lines and comments before a profile as its own.
        profile_offset = profiles == 0 ? 0 : skipped_offset;
        name.clear();
        length = 0;
        has_composition = false;
        has_annotation = {};
        lines_of_tags = {};
        lines_of_statistics = {};
        const std::string_view word = words[0];
        const bool is_profile = is_profile_format(word), is_hmmer2 = word == kHmmer2Magic;
        if (!has_begun_profiles && !is_profile) return not_profiles();
        // As for HMMER, a file has profiles either of HMMER2 or of HMMER 3.
        if (has_begun_profiles && (!is_profile || is_hmmer2 != (format == kHmmer2))) {
            return at("found " + shown_text(word) +
                      " after the // of a profile; expected the end of the file or a line " +
                      (format == kHmmer2 ? std::string(kHmmer2Magic) : "HMMER3/a to HMMER3/f"));
        }
        has_begun_profiles = true;
        format = is_hmmer2 ? kHmmer2 : word.back();
        return {};
    }

    Status read_header(ProfileHmm& hmm) {
        HmmStatistics statistics;
        for (;;) {
            WARPSEQ_TRY(need_line({"header lines and then the line HMM"}));
            if (words[0] == "HMM") break;
            if (words[0] == "//")
                return at(shown_profile() + " ends within its header; expected the line HMM and the nodes");
            if (words[0].starts_with(kMagic) || words[0] == kHmmer2Magic)
                return at("another profile begins within the header of " + shown_profile() +
                          "; expected the line HMM and the nodes");
            if (words[0] == "STATS" && format != kHmmer2) {
                WARPSEQ_TRY(read_statistics(statistics));
                continue;
            }
            if (words[0] == "DATE") WARPSEQ_TRY(read_rest(1, "a date", hmm.date));
            if (words[0] == "COM") {
                // The number of the command is not written in HMMER2's format.
                WARPSEQ_TRY(read_rest(format == kHmmer2 ? 1 : 2, "a command", hmm.commands.emplace_back()));
            }
            const auto found = std::find(kTagNames.begin(), kTagNames.end(), words[0]);
            const auto tag = static_cast<std::size_t>(found - kTagNames.begin());
            if (tag == kTags || !is_known(static_cast<Tag>(tag))) continue;
            WARPSEQ_TRY(note_line(lines_of_tags[tag], words[0]));
            WARPSEQ_TRY(read_tag(static_cast<Tag>(tag), hmm));
        }
        for (const Tag tag : {kName, kLeng, kAlph, kNule}) {
            if (lines_of_tags[tag] == 0 && (tag != kNule || format == kHmmer2)) {
                return at("found the line HMM; " + shown_profile() + " has no " + std::string(kTagNames[tag]) +
                          " line before it");
            }
        }
        const auto missing = std::find(lines_of_statistics.begin(), lines_of_statistics.end(), 0u);
        if (missing == lines_of_statistics.end()) {
            hmm.statistics = statistics;
        } else if (lines_of_statistics != decltype(lines_of_statistics){}) {
            const auto which = static_cast<std::size_t>(missing - lines_of_statistics.begin());
            return at("found the line HMM; " + shown_profile() +
                      " has some of the three STATS lines but no STATS LOCAL " +
                      std::string(statistics_names()[which]) + " before it");
        }
        return check_columns();
    }

    /// Whether the format of the profile has this tag. A tag of a later format is skipped.
    bool is_known(Tag tag) const {
        switch (tag) {
            case kEffn:
            case kCksum: return format != kHmmer2;  // HMMER2's checksum is another one
            case kNule: return format == kHmmer2;
            case kMaxl: return format >= 'c';
            case kCons: return format >= 'e';
            case kMm: return format >= 'f';
            default: return true;
        }
    }

    Status note_line(std::uint64_t& line_of_tag, std::string_view what) {
        if (line_of_tag != 0) {
            return at(std::string(what) + " is there twice in " + shown_profile() + ", first in line " +
                      std::to_string(line_of_tag));
        }
        line_of_tag = line_number;
        return {};
    }

    /// Checks the residue line and the transition line. The letters of the residue line tell the
    /// order of the numbers in the lines of the nodes.
    Status check_columns() {
        const auto letter_at = [this](std::size_t i) { return words[i + 1] == kResidueLetters.substr(i, 1); };
        bool right = words.size() == kAminoAcids + 1;
        for (std::size_t i = 0; right && i < kAminoAcids; ++i) right = letter_at(i);
        if (!right) {
            return at("found " + shown_text(line) +
                      "; expected HMM and the letters of the amino acids in alphabetical order, " +
                      std::string(kResidueLetters.substr(0, kAminoAcids)));
        }
        WARPSEQ_TRY(need_line({"the line of transitions, m->m to d->d"}));
        if (words[0] != "m->m")
            return at("found " + shown_text(line) + "; expected the line of transitions, m->m to d->d");
        return {};
    }

    /// Reads the rest of the line, with the blanks at its end as HMMER does.
    Status read_rest(std::size_t first_word, const char* expected, std::string& text) const {
        text = whole_rest_of_line(first_word);
        if (!text.empty()) return {};
        return at("found " + shown_text(line) + "; expected " + std::string(words[0]) + " and " + expected);
    }

    Status read_tag(Tag tag, ProfileHmm& hmm) {
        const std::string_view tag_name = words[0];
        if (tag == kDesc) {
            hmm.description = rest_of_line(1);
            return {};
        }
        if (tag == kNule) return read_hmmer2_background(*this, background);
        if (words.size() < 2) return at(std::string(tag_name) + " has no value; expected " + expected_value(tag));
        const std::string_view value = words[1];
        bool valid = true;
        const auto read_into = [&](auto& field, auto lowest) {
            const auto number = number_of<decltype(lowest)>(value);
            valid = number && *number >= lowest;
            if (valid) field = static_cast<typename std::decay_t<decltype(field)>::value_type>(*number);
        };
        switch (tag) {
            case kName: hmm.name = name = value; break;
            case kAcc: hmm.accession = value; break;
            case kLeng: {
                const std::optional<int> nodes = number_of<int>(value);
                valid = nodes && *nodes >= 1 && *nodes <= kLongestProfileNodes;
                if (valid) hmm.length = length = *nodes;
                break;
            }
            case kMaxl: read_into(hmm.longest_instance, 1); break;
            case kAlph: valid = same_ignoring_case(value, "amino"); break;
            case kRf:
            case kMm:
            case kCons:
            case kCs:
            case kMap:
                has_annotation[tag] = same_ignoring_case(value, "yes");
                valid = has_annotation[tag] || same_ignoring_case(value, "no");
                break;
            case kNseq: read_into(hmm.sequences, 0); break;
            case kEffn: read_into(hmm.effective_sequences, 0.0); break;
            case kCksum: read_into(hmm.checksum, std::uint32_t{0}); break;
            case kGa: return read_cutoffs(hmm.gathering);
            case kTc: return read_cutoffs(hmm.trusted);
            case kNc: return read_cutoffs(hmm.noise);
            case kDesc:
            case kNule:
            case kTags: break;
        }
        if (valid) return {};
        return at("found " + shown_text(value) + " after " + std::string(tag_name) + "; expected " +
                  expected_value(tag));
    }

    static std::string expected_value(Tag tag) {
        switch (tag) {
            case kName: return "the profile's name";
            case kAcc: return "the profile's accession";
            case kLeng: return "the number of nodes, from 1 to " + std::to_string(kLongestProfileNodes);
            case kMaxl: return "a number of residues, 1 or more";
            case kAlph: return "amino: " + std::string(kOnlyProteinProfiles);
            case kNseq:
            case kCksum: return "a whole number, 0 or more";
            case kEffn: return "a number, 0 or more";
            case kGa:
            case kTc:
            case kNc: return "two scores in bits, of the sequence and of the domain";
            default: return "yes or no";
        }
    }

    Status read_cutoffs(std::optional<ScoreCutoffs>& cutoffs) {
        std::array<float, 2> bits{};
        for (std::size_t i = 0; i < bits.size(); ++i) {
            std::string_view word = i + 1 < words.size() ? words[i + 1] : std::string_view();
            if (word.ends_with(';')) word.remove_suffix(1);
            const std::optional<double> number = number_of<double>(word);
            if (!number)
                return at("found " + shown_text(line) + "; expected " + std::string(words[0]) + " and " +
                          expected_value(kGa));
            bits[i] = static_cast<float>(*number);
        }
        cutoffs = ScoreCutoffs{bits[0], bits[1]};
        return {};
    }

    std::span<const std::string_view, 3> statistics_names() const {
        return format == 'a' ? kStatistics3a : kStatistics;
    }

    Status read_statistics(HmmStatistics& statistics) {
        const std::size_t numbers = format == 'a' ? 1 : 2;
        const auto names = statistics_names();
        std::size_t which = names.size();
        if (words.size() >= 3 + numbers && same_ignoring_case(words[1], "LOCAL")) {
            for (which = 0; which < names.size() && !same_ignoring_case(words[2], names[which]);) ++which;
        }
        std::array<float, 2> values{};
        bool valid = which < names.size();
        for (std::size_t i = 0; valid && i < numbers; ++i) {
            const bool is_filters_location = i == 0 && (format == 'a' ? which == 0 : which < 2);
            const std::optional<double> number = is_filters_location && same_ignoring_case(words[3 + i], "-inf")
                                                     ? -std::numeric_limits<double>::infinity()
                                                     : number_of<double>(words[3 + i]);
            valid = number.has_value();
            if (valid) values[i] = static_cast<float>(*number);
        }
        // Lambda is the last number of the line. In 3/a only the line VLAMBDA has it.
        const float* const lambda = numbers == 2 ? &values[1] : which == 1 ? &values[0] : nullptr;
        if (valid && lambda != nullptr) valid = *lambda > 0;
        if (!valid) {
            return at("found " + shown_text(line) + "; expected STATS LOCAL, one of " + std::string(names[0]) + ", " +
                      std::string(names[1]) + " and " + std::string(names[2]) +
                      (numbers == 2 ? ", and two numbers: location and lambda, which is above 0"
                                    : ", and a number, which for VLAMBDA is above 0"));
        }
        WARPSEQ_TRY(note_line(lines_of_statistics[which], "STATS LOCAL " + std::string(names[which])));
        if (format == 'a') {
            if (which == 0) statistics.msv_mu = statistics.viterbi_mu = values[0];
            if (which == 1) statistics.msv_lambda = statistics.viterbi_lambda = statistics.forward_lambda = values[0];
            if (which == 2) statistics.forward_tau = values[0];
        } else {
            float* const locations[] = {&statistics.msv_mu, &statistics.viterbi_mu, &statistics.forward_tau};
            float* const lambdas[] = {&statistics.msv_lambda, &statistics.viterbi_lambda, &statistics.forward_lambda};
            *locations[which] = values[0];
            *lambdas[which] = values[1];
        }
        return {};
    }

    // ---- nodes ----

    Status read_nodes(ProfileHmm& hmm) {
        WARPSEQ_TRY(need_line({"COMPO, or the inserts", 0}));
        has_composition = words[0] == "COMPO";
        if (has_composition) {
            WARPSEQ_TRY(read_probabilities(1, words.size(), hmm.composition, {"COMPO"}));
            WARPSEQ_TRY(need_line({"the inserts", 0}));
        }
        hmm.match.emplace_back();
        WARPSEQ_TRY(read_inserts_and_transitions(hmm, 0));
        for (int node = 1; node <= length; ++node) {
            WARPSEQ_TRY(need_line({"the matches", node}));
            WARPSEQ_TRY(read_match_line(hmm, node));
            WARPSEQ_TRY(need_line({"the inserts", node}));
            WARPSEQ_TRY(read_inserts_and_transitions(hmm, node));
        }
        WARPSEQ_TRY(need_line({"// after the transitions", length}));
        if (words[0] != "//") {
            return at("found " + shown_text(line) + "; expected " + shown({"// after the transitions", length}));
        }
        return {};
    }

    Status read_inserts_and_transitions(ProfileHmm& hmm, int node) {
        WARPSEQ_TRY(read_probabilities(0, words.size(), hmm.insert.emplace_back(), {"the inserts", node}));
        WARPSEQ_TRY(need_line({"the transitions", node}));
        return read_probabilities(0, words.size(), hmm.transitions.emplace_back(), {"the transitions", node});
    }

    /// Reads a match line: the node, 20 numbers, and those of the columns MAP CONS RF MM CS that
    /// the format has.
    Status read_match_line(ProfileHmm& hmm, int node) {
        const Part part{"the matches", node};
        if (words[0] == "//") return ends_early(part);
        if (number_of<int>(words[0]) != node) {
            return at("found " + shown_text(words[0]) + " at the start of the line; expected " + std::to_string(node) +
                      " and " + shown(part));
        }
        const std::size_t wanted_words = 1 + kAminoAcids + (format >= 'f' ? 5 : format == 'e' ? 4 : 3);
        if (words.size() != wanted_words) {
            return at("found " + std::to_string(words.size()) + " words for " + shown(part) + "; HMMER3/" + format +
                      " has " + std::to_string(wanted_words) + ": the node, 20 numbers and the columns " +
                      (format >= 'f'   ? "MAP CONS RF MM CS"
                       : format == 'e' ? "MAP CONS RF CS"
                                       : "MAP RF CS"));
        }
        WARPSEQ_TRY(read_probabilities(1, 1 + kAminoAcids, hmm.match.emplace_back(), part));
        std::size_t column = 1 + kAminoAcids;
        if (has_annotation[kMap]) {
            const std::optional<int> mapped = number_of<int>(words[column]);
            if (!mapped || *mapped < 0) {
                return at("found " + shown_text(words[column]) + " in the column MAP after " + shown(part) +
                          "; the header says MAP yes, so the number of an alignment column was expected");
            }
            hmm.map.push_back(*mapped);
        }
        ++column;
        if (format >= 'e') WARPSEQ_TRY(read_letter(column++, kCons, hmm.consensus, part));
        WARPSEQ_TRY(read_letter(column++, kRf, hmm.reference, part));
        if (format >= 'f') WARPSEQ_TRY(read_letter(column++, kMm, hmm.mask, part));
        return read_letter(column, kCs, hmm.structure, part);
    }

    Status read_letter(std::size_t column, Tag tag, std::string& letters, const Part& part) const {
        if (!has_annotation[tag]) return {};
        const std::string_view word = words[column];
        if (word.size() != 1 || word[0] < '!' || word[0] > '~') {
            return at("found " + shown_text(word) + " in the column " + std::string(kTagNames[tag]) + " after " +
                      shown(part) + "; one letter was expected");
        }
        letters += word[0];
        return {};
    }

    /// Reads words[begin..end) into `probabilities`.
    template <std::size_t kCount>
    Status read_probabilities(std::size_t begin, std::size_t end, std::array<float, kCount>& probabilities,
                              const Part& part) const {
        if (words[0] == "//") return ends_early(part);
        if (end - begin != kCount) {
            return at("the line has " + std::to_string(end - begin) + " of " + std::to_string(kCount) +
                      " numbers for " + shown(part));
        }
        // A probability that rounding made a little larger than 1 is printed as -0.00000.
        constexpr double kLowest = -0.001;
        for (std::size_t i = 0; i < kCount; ++i) {
            const std::string_view word = words[begin + i];
            if (word == "*") {
                probabilities[i] = 0;
                continue;
            }
            const std::optional<double> number = number_of<double>(word);
            if (!number || *number < kLowest) {
                return at("found " + shown_text(word) + " as number " + std::to_string(i + 1) + " for " + shown(part) +
                          "; expected -ln of a probability, 0 or more, or * for a probability of 0");
            }
            probabilities[i] = std::exp(static_cast<float>(-*number));
        }
        return {};
    }

    std::filesystem::path file;
    std::size_t block_bytes = kDefaultBlockBytes;
    bool has_begun = false;
    std::optional<BinaryHmmReader> binary;  // set if the file is in that format
    Status failure;                         // the first error, returned by every further call
    std::uint64_t profiles = 0;
    std::uint64_t profile_offset = 0;  // where the profile begins

    // The profile that is being read.
    char format = 'f';
    ProfileHmm::Residues background{};  // of HMMER2
    std::array<bool, kTags> has_annotation{};
    bool has_composition = false;
    std::array<std::uint64_t, kTags> lines_of_tags{};  // 0 if not seen
    std::array<std::uint64_t, 3> lines_of_statistics{};
};

HmmFileReader::HmmFileReader(std::filesystem::path file, std::size_t block_bytes) : state_(std::make_unique<State>()) {
    state_->file = std::move(file);
    state_->block_bytes = block_bytes;
}

HmmFileReader::HmmFileReader(ByteSource source) : state_(std::make_unique<State>()) {
    state_->source.emplace(std::move(source));
}

HmmFileReader::~HmmFileReader() = default;
HmmFileReader::HmmFileReader(HmmFileReader&&) noexcept = default;
HmmFileReader& HmmFileReader::operator=(HmmFileReader&&) noexcept = default;

Result<bool> HmmFileReader::next(ProfileHmm& hmm) {
    if (!state_->failure.ok()) return state_->failure;
    Result<bool> result = state_->next(hmm);
    if (!result.ok()) state_->failure = result.status();
    return result;
}

std::uint64_t HmmFileReader::profiles_read() const { return state_->profiles; }
std::uint64_t HmmFileReader::profile_offset() const { return state_->profile_offset; }
std::uint64_t HmmFileReader::bytes_read() const { return state_->source ? state_->source->stored_bytes() : 0; }

}  // namespace warpseq

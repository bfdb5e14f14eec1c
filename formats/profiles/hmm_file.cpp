// Implements HmmFileReader. It takes lines from the blocks of a ByteSource and splits them into
// words.
#include "formats/profiles/hmm_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "formats/io/shown_text.h"
#include "formats/profiles/hmm_binary.h"

namespace warpseq {

namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::string_view kMagic = "HMMER3/";

constexpr bool is_blank(char byte) { return byte == ' ' || byte == '\t' || byte == '\v' || byte == '\f'; }

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
    kTags
};
constexpr std::array<std::string_view, kTags> kTagNames = {"NAME", "ACC",   "DESC", "LENG", "MAXL", "ALPH",
                                                           "RF",   "MM",    "CONS", "CS",   "MAP",  "NSEQ",
                                                           "EFFN", "CKSUM", "GA",   "TC",   "NC"};

/// The words that may follow STATS LOCAL. A location and lambda follow each of them.
constexpr std::array<std::string_view, 3> kStatistics = {"MSV", "VITERBI", "FORWARD"};
/// The same words in format 3/a. One number follows each of them.
constexpr std::array<std::string_view, 3> kStatistics3a = {"VMU", "VLAMBDA", "FTAU"};

bool same_ignoring_case(std::string_view a, std::string_view b) {
    const auto upper = [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return upper(x) == upper(y); });
}

/// Returns the number that the whole of `word` is. Returns nothing if it is not a number, out of
/// range or not finite.
template <typename Number>
std::optional<Number> number_of(std::string_view word) {
    if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
    Number number{};
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || stop != word.data() + word.size()) return std::nullopt;
    if constexpr (std::is_floating_point_v<Number>) {
        if (!std::isfinite(static_cast<float>(number))) return std::nullopt;
    }
    return number;
}

/// Returns the reason why `line` cannot be the first line of a file of profiles.
std::string why_not_profiles(std::string_view line) {
    constexpr std::string_view kExpected = "; a profile file begins with a line HMMER3/a to HMMER3/f";
    const std::string_view word = line.substr(0, line.find_first_of(" \t\v\f"));
    if (word.starts_with("HMMER2") || word.starts_with("HMMER1")) {
        return "is in the format of " + std::string(word.substr(0, 6)) + "; convert it with hmmconvert";
    }
    if (word.starts_with("HMMER")) return "has the unknown format " + shown_text(word) + std::string(kExpected);
    const auto is_control = [](char byte) { return static_cast<unsigned char>(byte) < 0x20 && !is_blank(byte); };
    if (std::any_of(line.begin(), line.end(), is_control))
        return "is not text but binary data" + std::string(kExpected);
    if (line.starts_with("# STOCKHOLM")) return "is an alignment (Stockholm); build a profile from it with hmmbuild";
    if (line.starts_with('>')) return "looks like FASTA" + std::string(kExpected);
    return "begins with " + shown_text(line) + std::string(kExpected);
}

}  // namespace

bool begins_like_profiles(std::span<const std::uint8_t> first_bytes) {
    std::string_view text(reinterpret_cast<const char*>(first_bytes.data()), first_bytes.size());
    if (begins_binary_profiles(first_bytes)) return true;
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    text.remove_prefix(std::min(text.find_first_not_of(" \t\v\f\r\n"), text.size()));
    return text.starts_with("HMMER") || text.starts_with('#');
}

struct HmmFileReader::State {
    // ---- lines ----

    Result<bool> read_line() {
        line.clear();
        ++line_number;
        line_offset = taken - block.size();
        for (bool any = false;; any = true) {
            if (block.empty()) {
                const Result<std::span<const std::uint8_t>> next_block = source->next_block();
                if (!next_block.ok()) return next_block.status();
                block = {reinterpret_cast<const char*>(next_block->data()), next_block->size()};
                taken += block.size();
                if (block.empty()) return any;
            }
            if (std::exchange(behind_carriage_return, false) && block.front() == '\n') {
                block.remove_prefix(1);
                ++line_offset;
                if (block.empty()) continue;
            }
            const auto is_end = [](char byte) { return byte == '\n' || byte == '\r'; };
            const auto bytes =
                static_cast<std::size_t>(std::find_if(block.begin(), block.end(), is_end) - block.begin());
            if (line.size() + bytes > kLongestHmmLineBytes) {
                return at("the line is longer than " + std::to_string(kLongestHmmLineBytes >> 20) +
                          " MiB; is this a profile file?");
            }
            line.append(block.substr(0, bytes));
            block.remove_prefix(bytes);
            if (block.empty()) continue;
            behind_carriage_return = block.front() == '\r';
            block.remove_prefix(1);
            return true;
        }
    }

    /// Reads up to the next line that is neither blank nor a comment and splits it into `words`.
    /// Returns false at the end of the file.
    Result<bool> next_line() {
        for (;;) {
            const Result<bool> more = read_line();
            if (!more.ok() || !*more) return more;
            if (line_number == 1 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
            if (profiles == 0 && !in_profile && (line.find('\0') != line.npos || line.starts_with("# STOCKHOLM"))) {
                return at("this file " + why_not_profiles(line));
            }
            if (line.find('\0') != line.npos) {
                return at("found a NUL byte (0x00); is this text? Binary data cannot be read");
            }
            split();
            if (!words.empty() && words[0][0] != '#') return true;
        }
    }

    void split() {
        words.clear();
        const char* p = line.data();
        const char* const end = p + line.size();
        for (;;) {
            while (p != end && is_blank(*p)) ++p;
            if (p == end) return;
            const char* const begin = p;
            while (p != end && !is_blank(*p)) ++p;
            words.emplace_back(begin, static_cast<std::size_t>(p - begin));
        }
    }

    /// A part of a profile, for messages. shown() makes its text when a message needs it.
    struct Part {
        std::string_view name;
        int node = -1;  // no node
    };

    std::string shown(const Part& part) const {
        if (part.node < 0) return std::string(part.name);
        return std::string(part.name) + " of node " + std::to_string(part.node) + " of " + std::to_string(length) +
               " (LENG)";
    }

    /// Reads the next line inside a profile. The end of the file is an error that says that
    /// `expected` should be there.
    Status need_line(const Part& expected) {
        const Result<bool> more = next_line();
        if (!more.ok()) return more.status();
        if (*more) return {};
        return at("the file ends within " + shown_profile() + "; expected " + shown(expected) +
                  ". Is the file cut off?");
    }

    Status at(const std::string& message) const {
        return Status::invalid_input(source->name() + ": line " + std::to_string(line_number) + ": " + message);
    }

    std::string shown_profile() const {
        if (name.empty()) return "the profile that begins in line " + std::to_string(first_line);
        return "the profile " + shown_text(name);
    }

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
        in_profile = true;
        hmm = ProfileHmm{};
        WARPSEQ_TRY(read_format());
        WARPSEQ_TRY(read_header(hmm));
        WARPSEQ_TRY(read_nodes(hmm));
        if (hmm.consensus.empty()) hmm.consensus = consensus_of(hmm);
        if (!has_composition) hmm.composition.fill(kUnknownComposition);
        in_profile = false;
        ++profiles;
        return true;
    }

    Status read_format() {
        first_line = line_number;
        profile_offset = line_offset;
        name.clear();
        length = 0;
        has_annotation = {};
        lines_of_tags = {};
        lines_of_statistics = {};
        const std::string_view word = words[0];
        if (word.size() == kMagic.size() + 1 && word.starts_with(kMagic) && word.back() >= 'a' && word.back() <= 'f') {
            format = word.back();
            return {};
        }
        if (profiles == 0) return at("this file " + why_not_profiles(line));
        return at("found " + shown_text(word) +
                  " after the // of a profile; expected the end of the file or a line HMMER3/a to HMMER3/f");
    }

    Status read_header(ProfileHmm& hmm) {
        HmmStatistics statistics;
        for (;;) {
            WARPSEQ_TRY(need_line({"header lines and then the line HMM"}));
            if (words[0] == "HMM") break;
            if (words[0] == "//")
                return at(shown_profile() + " ends within its header; expected the line HMM and the nodes");
            if (words[0].starts_with(kMagic))
                return at("another profile begins within the header of " + shown_profile() +
                          "; expected the line HMM and the nodes");
            if (words[0] == "STATS") {
                WARPSEQ_TRY(read_statistics(statistics));
                continue;
            }
            if (words[0] == "DATE") hmm.date = rest_of_line(1);
            if (words[0] == "COM") hmm.commands.push_back(rest_of_line(2));
            const auto found = std::find(kTagNames.begin(), kTagNames.end(), words[0]);
            const auto tag = static_cast<std::size_t>(found - kTagNames.begin());
            if (tag == kTags || !is_known(static_cast<Tag>(tag))) continue;
            WARPSEQ_TRY(note_line(lines_of_tags[tag], words[0]));
            WARPSEQ_TRY(read_tag(static_cast<Tag>(tag), hmm));
        }
        for (const Tag tag : {kName, kLeng, kAlph}) {
            if (lines_of_tags[tag] == 0) {
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
        return tag == kMaxl ? format >= 'c' : tag == kCons ? format >= 'e' : tag == kMm ? format >= 'f' : true;
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

    /// Returns the line from word number `first_word` on, with the blanks between words.
    std::string rest_of_line(std::size_t first_word) const {
        if (words.size() <= first_word) return {};
        return {words[first_word].data(), words.back().data() + words.back().size()};
    }

    Status read_tag(Tag tag, ProfileHmm& hmm) {
        const std::string_view tag_name = words[0];
        if (tag == kDesc) {
            hmm.description = rest_of_line(1);
            return {};
        }
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
            const std::optional<double> number = number_of<double>(words[3 + i]);
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

    Status ends_early(const Part& expected) const {
        return at(shown_profile() + " ends here; expected " + shown(expected) +
                  ". LENG and the number of nodes do not agree");
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
    std::optional<ByteSource> source;
    bool has_begun = false;
    std::optional<BinaryHmmReader> binary;  // set if the file is in that format
    Status failure;                         // the first error, returned by every further call
    std::uint64_t profiles = 0;

    std::string_view block;  // the bytes of the block that are not read yet
    bool behind_carriage_return = false;
    std::string line;
    std::uint64_t line_number = 0;
    std::uint64_t taken = 0, line_offset = 0,
                  profile_offset = 0;     // bytes taken; where the line and the profile begin
    std::vector<std::string_view> words;  // the words of `line`

    // The profile that is being read.
    bool in_profile = false;
    std::uint64_t first_line = 0;
    std::string name;
    int length = 0;
    char format = 'f';
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

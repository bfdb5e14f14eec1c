#include "formats/profiles/profile_text.h"

#include <algorithm>
#include <span>
#include <utility>

#include "formats/io/shown_text.h"
#include "formats/profiles/hmm_file.h"

namespace warpseq {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

constexpr bool is_blank(char byte) { return byte == ' ' || byte == '\t' || byte == '\v' || byte == '\f'; }

/// Returns the reason why `line` cannot be the first line of a file of profiles.
std::string why_not_profiles(std::string_view line) {
    constexpr std::string_view kExpected = "; a profile file begins with a line HMMER3/a to HMMER3/f, or HMMER2.0";
    const std::string_view word = line.substr(0, line.find_first_of(" \t\v\f"));
    if (word.starts_with("HMMER")) return "has the unknown format " + shown_text(word) + std::string(kExpected);
    const auto is_control = [](char byte) { return static_cast<unsigned char>(byte) < 0x20 && !is_blank(byte); };
    if (std::any_of(line.begin(), line.end(), is_control))
        return "is not text but binary data" + std::string(kExpected);
    if (line.starts_with("# STOCKHOLM")) return "is an alignment (Stockholm); build a profile from it with hmmbuild";
    if (line.starts_with('>')) return "looks like FASTA" + std::string(kExpected);
    return "begins with " + shown_text(line) + std::string(kExpected);
}

}  // namespace

void remove_byte_order_mark(std::string_view& text) {
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
}

Result<bool> ProfileText::read_line() {
    line.clear();
    ++line_number;
    line_offset = taken_ - block_.size();
    for (bool any = false;; any = true) {
        if (block_.empty()) {
            const Result<std::span<const std::uint8_t>> next_block = source->next_block();
            if (!next_block.ok()) return next_block.status();
            block_ = {reinterpret_cast<const char*>(next_block->data()), next_block->size()};
            taken_ += block_.size();
            if (block_.empty()) return any;
        }
        if (std::exchange(behind_carriage_return_, false) && block_.front() == '\n') {
            block_.remove_prefix(1);
            ++line_offset;
            if (block_.empty()) continue;
        }
        const auto is_end = [](char byte) { return byte == '\n' || byte == '\r'; };
        const auto bytes =
            static_cast<std::size_t>(std::find_if(block_.begin(), block_.end(), is_end) - block_.begin());
        if (line.size() + bytes > kLongestHmmLineBytes) {
            return at("the line is longer than " + std::to_string(kLongestHmmLineBytes >> 20) +
                      " MiB; is this a profile file?");
        }
        line.append(block_.substr(0, bytes));
        block_.remove_prefix(bytes);
        if (block_.empty()) continue;
        behind_carriage_return_ = block_.front() == '\r';
        block_.remove_prefix(1);
        return true;
    }
}

Result<bool> ProfileText::next_line() {
    for (bool is_first = true;; is_first = false) {
        const Result<bool> more = read_line();
        if (is_first) skipped_offset = line_offset;
        if (!more.ok() || !*more) return more;
        if (line_number == 1 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
        if (!has_begun_profiles && (line.find('\0') != line.npos || line.starts_with("# STOCKHOLM")))
            return not_profiles();
        if (line.find('\0') != line.npos) {
            return at("found a NUL byte (0x00); is this text? Binary data cannot be read");
        }
        split();
        if (!words.empty() && words[0][0] != '#') return true;
    }
}

void ProfileText::split() {
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

Status ProfileText::need_line(const Part& expected) {
    const Result<bool> more = next_line();
    if (!more.ok()) return more.status();
    if (*more) return {};
    return at("the file ends within " + shown_profile() + "; expected " + shown(expected) + ". Is the file cut off?");
}

std::string ProfileText::rest_of_line(std::size_t first_word) const {
    if (words.size() <= first_word) return {};
    return {words[first_word].data(), words.back().data() + words.back().size()};
}

std::string ProfileText::whole_rest_of_line(std::size_t first_word) const {
    if (words.size() <= first_word) return {};
    return {words[first_word].data(), line.data() + line.size()};
}

Status ProfileText::at(const std::string& message) const {
    return Status::invalid_input(source->name() + ": line " + std::to_string(line_number) + ": " + message);
}

Status ProfileText::not_profiles() const { return at("this file " + why_not_profiles(line)); }

Status ProfileText::ends_early(const Part& expected) const {
    return at(shown_profile() + " ends here; expected " + shown(expected) +
              ". LENG and the number of nodes do not agree");
}

std::string ProfileText::shown(const Part& part) const {
    if (part.node < 0) return std::string(part.name);
    return std::string(part.name) + " of node " + std::to_string(part.node) + " of " + std::to_string(length) +
           " (LENG)";
}

std::string ProfileText::shown_profile() const {
    if (name.empty()) return "the profile that begins in line " + std::to_string(first_line);
    return "the profile " + shown_text(name);
}

}  // namespace warpseq

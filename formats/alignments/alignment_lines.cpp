#include "formats/alignments/alignment_lines.h"

#include <algorithm>
#include <cassert>
#include <span>

namespace warpseq {

namespace {

constexpr std::string_view kBlanks(" \t\0", 3);  // NUL is one, as in HMMER

}  // namespace

/// Drops bytes that can no longer be asked for, and then adds a block of the source.
bool AlignmentLines::append_block() {
    if (at_end_ || !status_.ok()) return false;
    const std::size_t dropped = marked_ ? mark_ : next_;
    bytes_.erase(0, dropped);
    next_ -= dropped;
    mark_ -= std::min(mark_, dropped);
    const Result<std::span<const std::uint8_t>> block = source_.next_block();
    if (!block.ok()) {
        status_ = block.status();
        return false;
    }
    at_end_ = block->empty();
    bytes_.append(reinterpret_cast<const char*>(block->data()), block->size());
    return !at_end_;
}

bool AlignmentLines::next() {
    std::size_t searched = 0;  // bytes of the line that are known to hold no end
    std::size_t end = bytes_.find('\n', next_);
    while (end == std::string::npos) {
        searched = bytes_.size() - next_;
        if (searched >= kLongestAlignmentLine) {
            status_ = Status::invalid_input(source_.name() + ": line " + std::to_string(number_ + 1) + ": a line of " +
                                            std::to_string(kLongestAlignmentLine >> 20) +
                                            " MiB or more; is a line end missing?");
            break;
        }
        if (!append_block()) break;
        end = bytes_.find('\n', next_ + searched);
    }
    if (!status_.ok()) return false;
    if (end == std::string::npos && next_ == bytes_.size()) {
        line_begin_ = next_;
        line_bytes_ = 0;
        return false;
    }
    line_begin_ = next_;
    next_ = end == std::string::npos ? bytes_.size() : end + 1;
    line_bytes_ = std::min(end, bytes_.size()) - line_begin_;
    if (end != std::string::npos && line_bytes_ > 0 && bytes_[end - 1] == '\r') --line_bytes_;
    ++number_;
    return true;
}

void AlignmentLines::put_back() {
    next_ = line_begin_;
    --number_;
}

void AlignmentLines::mark() {
    marked_ = true;
    mark_ = next_;
    mark_number_ = number_;
}

void AlignmentLines::rewind() {
    assert(marked_);
    marked_ = false;
    next_ = mark_;
    number_ = mark_number_;
}

std::string_view AlignmentWords::next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size()));
    const std::string_view word = rest_.substr(0, rest_.find_first_of(kBlanks));
    rest_.remove_prefix(word.size());
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size()));
    return word;
}

bool is_blank_line(std::string_view line) { return line.find_first_not_of(kBlanks) == std::string_view::npos; }

std::string_view without_blank_end(std::string_view text) { return text.substr(0, text.find_last_not_of(" \t") + 1); }

std::string_view without_blank_begin(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\n\v\f\r"), text.size()));
    return text;
}

bool append_letters(std::string_view text, const AlignmentLetters& letters, std::string& row) {
    for (const char byte : text) {
        const char letter = letters[static_cast<unsigned char>(byte)];
        if (letter == kIllegalLetter) return false;
        if (letter != kIgnoredLetter) row.push_back(letter);
    }
    return true;
}

Status check_padded_letters(std::uint64_t rows, std::uint64_t columns) {
    if (columns == 0 || rows <= kMostPaddedLetters / columns) return {};
    return Status::invalid_input("an alignment of " + std::to_string(rows) + " rows and " + std::to_string(columns) +
                                 " columns is larger than can be read");
}

}  // namespace warpseq

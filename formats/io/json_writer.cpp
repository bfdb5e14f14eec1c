#include "formats/io/json_writer.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "libcore/base/append_printf.h"

namespace warpseq {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
constexpr std::size_t kIndentBlanks = 2;

template <typename Scalar>
std::string text_of(const Scalar& its_value) {
    return nlohmann::json(its_value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Returns a string in which control characters are numbers of four capital digits.
std::string text_with_numbered_controls(std::string_view text) {
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
    std::string out = "\"";
    while (!text.empty()) {
        const auto plain = std::ranges::find_if(text, is_control) - text.begin();
        const std::string quoted = text_of(text.substr(0, static_cast<std::size_t>(plain)));
        out.append(quoted, 1, quoted.size() - 2);
        text.remove_prefix(static_cast<std::size_t>(plain));
        if (text.empty()) break;
        append_printf(out, "\\u%04X", static_cast<unsigned>(text.front()));
        text.remove_prefix(1);
    }
    return out + "\"";
}

}  // namespace

std::string json_string(std::string_view text) { return text_of(text); }

void JsonWriter::new_line(std::size_t level) {
    if (layout_ != Layout::kCompact) {
        out_ += '\n';
        out_.append(kIndentBlanks * (level_ + level), ' ');
    } else if (std::exchange(breaks_line_, false)) {
        out_ += '\n';
    }
}

/// Writes what separates a member or an element from the one before it, if there is one.
void JsonWriter::separate() {
    if (!std::exchange(open_.back().is_empty, false)) out_ += ',';
    new_line(open_.size());
}

void JsonWriter::spill() {
    if (sink_ == nullptr || out_.size() < kPieceBytes) return;
    if (status_.ok()) status_ = sink_->write(out_);
    out_.clear();
}

JsonWriter& JsonWriter::key(std::string_view name) {
    assert(!open_.empty() && open_.back().bracket == '{' && "a key outside of an object");
    assert(!has_key_ && "a key without a value");
    separate();
    out_ += text_of(name);
    out_ += layout_ != Layout::kCompact ? ": " : ":";
    has_key_ = true;
    return *this;
}

void JsonWriter::before_value() {
    assert((!open_.empty() || !has_value_) && "a second value");
    assert((open_.empty() || (open_.back().bracket == '{') == has_key_) && "a value of an object without a key");
    if (!std::exchange(has_key_, false) && !open_.empty()) separate();
    has_value_ = true;
}

void JsonWriter::begin(char bracket) {
    before_value();
    out_ += bracket;
    open_.push_back({bracket});
}

void JsonWriter::end(char bracket) {
    assert(!open_.empty() && open_.back().bracket == (bracket == '}' ? '{' : '[') && "an end of what has not begun");
    assert(!has_key_ && "a key without a value");
    const Level level = open_.back();
    open_.pop_back();
    if (!level.is_empty || breaks_line_ || layout_ == Layout::kOpenEnds) new_line(open_.size());
    out_ += bracket;
    spill();
}

template <typename Scalar>
void JsonWriter::scalar(const Scalar& its_value) {
    before_value();
    out_ += text_of(its_value);
    spill();
}

void JsonWriter::value(std::string_view text) {
    if (layout_ != Layout::kOpenEnds) return scalar(text);
    before_value();
    out_ += text_with_numbered_controls(text);
    spill();
}
void JsonWriter::value(bool truth) { scalar(truth); }
void JsonWriter::value(double number) {
    if (layout_ != Layout::kOpenEnds || !std::isfinite(number)) return scalar(number);
    char text[32];
    std::snprintf(text, sizeof text, "%.15g", number);
    before_value();
    out_ += text;
    spill();
}
void JsonWriter::integer(std::int64_t number) { scalar(number); }
void JsonWriter::integer(std::uint64_t number) { scalar(number); }
void JsonWriter::null() { scalar(nullptr); }

void JsonWriter::line_break() {
    if (open_.empty()) {
        out_ += '\n';
    } else {
        breaks_line_ = layout_ == Layout::kCompact;
    }
}

Status JsonWriter::finish() {
    assert(open_.empty() && has_value_ && "a value that has not ended");
    if (sink_ != nullptr && status_.ok()) status_ = sink_->write(out_);
    if (sink_ != nullptr) out_.clear();
    return status_;
}

}  // namespace warpseq

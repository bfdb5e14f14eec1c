// JsonWriter writes JSON piece by piece and holds no tree of it. nlohmann::json is used only to
// print scalars. Its objects and arrays allocate memory in their destructors, which ends the
// process if memory has run out.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/io/output_sink.h"
#include "libcore/base/status.h"

namespace warpseq {

/// A writer of one JSON value with everything in it. Members of objects stay in the order in which
/// they are written. Calls that make no valid JSON are bugs of the caller, and assertions catch
/// them. Examples are a value without a key in an object and an end without a begin.
class JsonWriter {
   public:
    enum class Layout {
        kCompact,   // all in one line, except for line_break()
        kIndented,  // one line for each member and element, indented by two blanks for each level
        /// As kIndented, but every closing bracket begins a line, reals have up to 15 significant
        /// digits, and control characters are written as in "\u000A".
        kOpenEnds,
    };

    /// Appends to `out`, which outlives the writer. Between calls the caller may take text out of
    /// it. `level` is the number of objects and arrays that already surround the value; it sets the
    /// indentation.
    JsonWriter(std::string& out, Layout layout, std::size_t level = 0) : out_(out), layout_(layout), level_(level) {}
    /// Writes to `sink`, which outlives the writer, in pieces. finish() returns the first error.
    JsonWriter(OutputSink& sink, Layout layout) : out_(held_), sink_(&sink), layout_(layout) {}
    JsonWriter(const JsonWriter&) = delete;
    JsonWriter& operator=(const JsonWriter&) = delete;

    void begin_object() { begin('{'); }
    void end_object() { end('}'); }
    void begin_array() { begin('['); }
    void end_array() { end(']'); }
    /// Writes a key. The caller calls it before each value of an object:
    /// json.key("hits").begin_array().
    JsonWriter& key(std::string_view name);

    /// Writes a string. Bytes that are not UTF-8 become U+FFFD.
    void value(std::string_view text);
    void value(const char* text) { value(std::string_view(text)); }
    void value(bool truth);
    /// Writes a number. Infinity and NaN become null.
    void value(double number);
    void value(std::signed_integral auto number) { integer(static_cast<std::int64_t>(number)); }
    void value(std::unsigned_integral auto number) { integer(static_cast<std::uint64_t>(number)); }
    void null();

    /// Writes a key and its value.
    void member(std::string_view name, const auto& its_value) { key(name).value(its_value); }

    /// Within a value in the compact layout, lets the next output begin on a new line, even if it
    /// is a closing bracket. After the value, writes a line break in any layout.
    void line_break();

    /// Ends the value, and returns the first error of the sink.
    Status finish();

   private:
    struct Level {
        char bracket;  // the bracket that opened it
        bool is_empty = true;
    };
    void begin(char bracket);
    void end(char bracket);
    void integer(std::int64_t number);
    void integer(std::uint64_t number);
    template <typename Scalar>
    void scalar(const Scalar& its_value);
    void before_value();
    void separate();
    void new_line(std::size_t level);
    void spill();

    std::string held_;  // text that will go to the sink
    std::string& out_;
    OutputSink* sink_ = nullptr;
    Layout layout_;
    std::size_t level_ = 0;
    std::vector<Level> open_;
    bool has_key_ = false, has_value_ = false, breaks_line_ = false;
    Status status_;
};

/// Returns one string as JSON, quotes included.
std::string json_string(std::string_view text);

}  // namespace warpseq

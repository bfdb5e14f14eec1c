// JSON, written as it comes: no tree of it is held. nlohmann::json prints the scalars, and nothing
// else: its objects and arrays allocate in destructors, which ends the process where memory has run
// out.
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

/// One JSON value with all that is in it. Members of objects stay in the order in which they come.
/// Calls that make no JSON (a value without a key in an object, an end of what has not begun) are
/// bugs of the caller, caught by assertions.
class JsonWriter {
   public:
    enum class Layout {
        kCompact,   // all in one line, but for line_break()
        kIndented,  // a line for each member and element, each level two blanks further in
        kOpenEnds,  // likewise; a bracket that closes stands in a line of its own, though there is nothing in it, and real numbers have up
        // to 15 significant digits
    };

    /// Appends to `out`, which outlives the writer. Between calls the caller may take text out of
    /// it. `level` is how many levels of somebody else's the value is in.
    JsonWriter(std::string& out, Layout layout, std::size_t level = 0) : out_(out), layout_(layout), level_(level) {}
    /// Writes to `sink`, which outlives the writer, in pieces; finish() has the first error.
    JsonWriter(OutputSink& sink, Layout layout) : out_(held_), sink_(&sink), layout_(layout) {}
    JsonWriter(const JsonWriter&) = delete;
    JsonWriter& operator=(const JsonWriter&) = delete;

    void begin_object() { begin('{'); }
    void end_object() { end('}'); }
    void begin_array() { begin('['); }
    void end_array() { end(']'); }
    /// Before each value of an object: json.key("hits").begin_array().
    JsonWriter& key(std::string_view name);

    /// Bytes that are not UTF-8 become U+FFFD.
    void value(std::string_view text);
    void value(const char* text) { value(std::string_view(text)); }
    void value(bool truth);
    /// What is not finite becomes null.
    void value(double number);
    void value(std::signed_integral auto number) { integer(static_cast<std::int64_t>(number)); }
    void value(std::unsigned_integral auto number) { integer(static_cast<std::uint64_t>(number)); }
    void null();

    void member(std::string_view name, const auto& its_value) { key(name).value(its_value); }

    /// Compact: what comes next, be it an end, begins a line. After the value, in both layouts: a
    /// line break.
    void line_break();

    /// After the value; what the sink refused.
    Status finish();

   private:
    struct Level {
        char bracket;  // that opened it
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

    std::string held_;  // on its way to the sink
    std::string& out_;
    OutputSink* sink_ = nullptr;
    Layout layout_;
    std::size_t level_ = 0;
    std::vector<Level> open_;
    bool has_key_ = false, has_value_ = false, breaks_line_ = false;
    Status status_;
};

/// One string as JSON, quotes included.
std::string json_string(std::string_view text);

}  // namespace warpseq

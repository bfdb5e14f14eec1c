// A base for readers that look at parts of a JSON text while it is parsed. A tree of the whole text
// would allocate memory in its destructor.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace warpseq {

/// The interface that nlohmann::json::sax_parse() calls. Every event lets the parser go on, and
/// nothing is kept.
struct JsonEvents {
    static bool null() { return true; }
    static bool boolean(bool) { return true; }
    static bool number_integer(std::int64_t) { return true; }
    static bool number_unsigned(std::uint64_t) { return true; }
    static bool number_float(double, const std::string&) { return true; }
    static bool string(const std::string&) { return true; }
    static bool binary(const std::vector<std::uint8_t>&) { return true; }
    static bool start_object(std::size_t) { return true; }
    static bool key(const std::string&) { return true; }
    static bool end_object() { return true; }
    static bool start_array(std::size_t) { return true; }
    static bool end_array() { return true; }
    static bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) { return false; }
};

}  // namespace warpseq

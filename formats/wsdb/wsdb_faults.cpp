#include "formats/wsdb/wsdb_faults.h"

#include <array>
#include <cstdio>
#include <utility>

namespace warpseq {

namespace {

std::string hexadecimal(std::uint64_t value) {
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%016llx", static_cast<unsigned long long>(value));
    return text.data();
}

}  // namespace

std::string indexed(std::string_view name, std::uint64_t index) {
    return std::string(name) + " " + std::to_string(index);
}

Status fault_status(const std::filesystem::path& file, const WsdbFault& fault) {
    return Status::invalid_input(file.string() + ": byte " + std::to_string(fault.offset_bytes) + ": " + fault.what +
                                 ": expected " + fault.expected + ", found " + fault.found);
}

bool WsdbFaults::add(std::uint64_t offset_bytes, std::string what, std::string expected, std::string found) {
    if (!full()) list_.push_back({offset_bytes, std::move(what), std::move(expected), std::move(found)});
    return !full();
}

bool WsdbFaults::add_number(std::uint64_t offset_bytes, std::string what, std::uint64_t expected, std::uint64_t found) {
    return add(offset_bytes, std::move(what), std::to_string(expected), std::to_string(found));
}

bool WsdbFaults::add_checksum(std::uint64_t offset_bytes, std::string what, std::uint64_t expected,
                              std::uint64_t found) {
    return add(offset_bytes, std::move(what), "checksum " + hexadecimal(expected), hexadecimal(found));
}

bool WsdbFaults::add_changed(std::uint64_t offset_bytes, std::string what) {
    return add(offset_bytes, std::move(what), "what it was when the file was opened", "something else");
}

}  // namespace warpseq

// What a database says about where it comes from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpseq {

struct WsdbProvenance {
    struct Source {
        std::string name = "?";
        std::optional<std::uint64_t> size_bytes;  // as stored, that is compressed
    };
    bool is_object = false;  // else nothing else is known
    std::string program = "?", version = "?";
    std::vector<Source> sources;
};

/// Of {"program": "", "version": "", "sources": [{"name": "", "size_bytes": 0}]} what is there; nothing where `json` is
/// not JSON.
std::optional<WsdbProvenance> read_provenance(std::string_view json);

}  // namespace warpseq

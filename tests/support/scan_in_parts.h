// Searches in parts as a cluster does. Shares are scanned separately, are sent as bytes, and are
// merged in any order and grouping.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engines/search_control.h"
#include "engines/session.h"
#include "engines/targets/share.h"
#include "formats/io/packet.h"
#include "libcore/base/random.h"

namespace warpseq::testing {

/// Returns the result of scanning and merging `parts` dealt shares.
template <typename Engine, typename Batch>
auto scan_in_parts(Engine& engine, const Session& session, const Batch& batch, std::uint64_t parts, Random& random) {
    Observer observer;
    const SearchControl control{observer};
    const auto through_bytes = [&](const auto& partial) {
        auto back = engine.from_bytes(engine.to_bytes(partial), batch, "a part");
        REQUIRE_MESSAGE(back.ok(), back.status().message());
        return *std::move(back);
    };
    using Partial = decltype(through_bytes(*engine.scan(batch, {}, control)));
    std::vector<Partial> left;
    for (std::uint64_t part = 0; part < parts; ++part) {
        auto partial = engine.scan(batch, dealt_share(session.databases(), part, parts), control);
        REQUIRE_MESSAGE(partial.ok(), partial.status().message());
        left.push_back(through_bytes(*partial));
    }
    // Merge any two until one is left.
    while (left.size() > 1) {
        std::swap(left[random.below(left.size())], left.back());
        Partial taken = std::move(left.back());
        left.pop_back();
        Partial& other = left[random.below(left.size())];
        const Status merged = engine.merge(other, std::move(taken));
        REQUIRE_MESSAGE(merged.ok(), merged.message());
        if (random.below(2) == 0) other = through_bytes(other);
    }
    return std::move(left.front());
}

/// Reads damaged copies of a packet with `read`, which returns whether it accepted the bytes. The
/// copies are cut at every place, or have one changed byte and a correct checksum. Returns whether
/// `read` refused all copies that were cut. For the others it only must not crash.
template <typename Read>
bool survives_forgery(const std::string& packet, const Read& read) {
    constexpr std::size_t kFrameBytes = 32;
    for (std::size_t size = 0; size < packet.size(); ++size) {
        if (read(packet.substr(0, size))) return false;
    }
    for (std::size_t at = kFrameBytes; at < packet.size(); ++at) {
        constexpr int kFlips[] = {0x01, 0x80, 0xff};
        std::string forged = packet;
        forged[at] = static_cast<char>(forged[at] ^ kFlips[at % 3]);
        read(reseal_packet(forged));
    }
    return true;
}

}  // namespace warpseq::testing

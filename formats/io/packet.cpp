#include "formats/io/packet.h"

#include <cassert>
#include <cstddef>
#include <cstring>
#include <limits>

#include "formats/io/checksum.h"
#include "formats/io/shown_text.h"

namespace warpseq {
namespace {

struct Frame {
    char magic[4] = {'W', 'S', 'P', 'K'};
    std::uint32_t version = 3;
    char kind[8] = {};
    std::uint64_t size_bytes = 0;
    std::uint64_t checksum = 0;
};
static_assert(sizeof(Frame) == kPacketFrameBytes);
constexpr std::size_t kCheckedBytes = offsetof(Frame, checksum);

std::uint64_t checksum_of_packet(const Frame& frame, std::string_view fields) {
    // The checksum is XXH3 of two pieces: the frame's bytes and the checksum of the fields.
    std::uint64_t parts[kCheckedBytes / 8 + 1];
    std::memcpy(parts, &frame, kCheckedBytes);
    parts[kCheckedBytes / 8] = checksum_of(fields.data(), fields.size());
    return checksum_of(parts, sizeof parts);
}

}  // namespace

std::string PacketWriter::finish(std::string_view kind) const {
    Frame frame;
    assert(kind.size() <= sizeof frame.kind);
    std::memcpy(frame.kind, kind.data(), kind.size());
    frame.size_bytes = fields_.size();
    frame.checksum = checksum_of_packet(frame, fields_);
    std::string packet(reinterpret_cast<const char*>(&frame), sizeof frame);
    return packet += fields_;
}

std::optional<std::uint64_t> packet_bytes(std::string_view begin) {
    Frame frame;
    if (begin.size() < sizeof frame || std::memcmp(begin.data(), frame.magic, sizeof frame.magic) != 0) return {};
    std::memcpy(&frame, begin.data(), sizeof frame);
    if (frame.size_bytes > std::numeric_limits<std::uint64_t>::max() - sizeof frame) return {};
    return frame.size_bytes + sizeof frame;
}

std::string reseal_packet(std::string packet) {
    Frame frame;
    if (packet.size() < sizeof frame) return packet;
    std::memcpy(&frame, packet.data(), sizeof frame);
    frame.checksum = checksum_of_packet(frame, std::string_view(packet).substr(sizeof frame));
    std::memcpy(packet.data(), &frame, sizeof frame);
    return packet;
}

Result<PacketReader> PacketReader::open(std::string_view packet, std::string_view kind, std::string_view origin) {
    const auto refuse = [&](const std::string& why) { return Status::invalid_input(std::string(origin) + ": " + why); };
    Frame frame;
    const Frame expected;
    if (packet.size() < sizeof frame || std::memcmp(packet.data(), expected.magic, sizeof expected.magic) != 0) {
        return refuse("not a part of a search: its signature is wrong");
    }
    std::memcpy(&frame, packet.data(), sizeof frame);
    if (frame.version != expected.version) {
        return refuse("made by another version of warpseq: format " + std::to_string(frame.version) +
                      ", this one reads " + std::to_string(expected.version));
    }
    const std::string_view fields = packet.substr(sizeof frame);
    if (frame.size_bytes != fields.size()) {
        return refuse("damaged: it has " + std::to_string(fields.size()) + " of " + std::to_string(frame.size_bytes) +
                      " bytes");
    }
    if (frame.checksum != checksum_of_packet(frame, fields)) return refuse("damaged: wrong checksum");
    char expected_kind[sizeof frame.kind] = {};
    std::memcpy(expected_kind, kind.data(), kind.size());
    if (std::memcmp(frame.kind, expected_kind, sizeof frame.kind) != 0) {
        const std::string_view found(frame.kind, strnlen(frame.kind, sizeof frame.kind));
        return refuse("holds " + shown_text(found) + ", not " + std::string(kind));
    }
    return PacketReader(fields, origin);
}

Status PacketReader::finish() const {
    if (!wrong_ && left_.empty()) return {};
    return Status::invalid_input(origin_ + ": damaged or forged: " +
                                 (wrong_ ? "a field has an impossible value" : "bytes follow the last field"));
}

}  // namespace warpseq

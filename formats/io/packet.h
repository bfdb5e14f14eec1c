// Packets: parts and results of searches as bytes, for another process, another machine or a file.
// A packet holds fields one behind another, little-endian, in a frame that shows damage.
//
//     magic      4 bytes, "WSPK".
//     version    4 bytes: the version of the frame and of everything in it.
//                Any other version is refused.
//     kind       8 bytes: what the packet holds, letters and then zeros.
//     size       8 bytes: the size of the fields in bytes.
//     checksum   8 bytes: XXH3-64 of the 24 bytes before and of the XXH3-64 of the fields.
//     fields     Numbers are stored as they are in memory. A bool is a byte.
//                A text or a list is a count of 8 bytes and its elements.
//
// A struct names its fields once for both directions, in a function beside it:
//
//     template <typename Packet>
//     void describe(Packet& packet, Hit& hit) {
//         packet(hit.evalue, hit.score_raw);
//     }
//
// An enumeration names its last value:
// `constexpr Operation last_value(Operation) { return Operation::kDelete; }`.
//
// A packet that is read may come from an untrusted source. A reader never reads beyond the end,
// never takes much more memory than the bytes that it has read, and refuses values that no writer
// writes.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "libcore/base/status.h"

namespace warpseq {

static_assert(std::endian::native == std::endian::little, "numbers are written as they stand in memory");

template <typename T>
concept PacketNumber = (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>);

/// A writer of one packet. Fields are written by calling the writer with them.
class PacketWriter {
   public:
    template <typename... Fields>
    void operator()(const Fields&... fields) {
        (put(fields), ...);
    }
    /// Returns the whole packet. `kind` has at most eight letters.
    std::string finish(std::string_view kind) const;

   private:
    template <PacketNumber T>
    void put(const T& number) {
        append(&number, sizeof number);
    }
    template <typename T>
    requires std::is_enum_v<T>
    void put(const T& value) { put(static_cast<std::underlying_type_t<T>>(value)); }
    void put(const bool& truth) { put(static_cast<std::uint8_t>(truth)); }
    void put(const std::string& text) {
        put(std::uint64_t{text.size()});
        fields_ += text;
    }
    template <typename T>
    void put(const std::optional<T>& value) {
        put(value.has_value());
        if (value) put(*value);
    }
    template <typename T>
    void put(const std::vector<T>& list) {
        put(std::uint64_t{list.size()});
        if constexpr (PacketNumber<T>) {
            append(list.data(), list.size() * sizeof(T));
        } else {
            for (const T& each : list) put(each);
        }
    }
    template <typename T>
    requires std::is_class_v<T>
    void put(const T& value) {
        describe(*this, const_cast<T&>(value));  // describe() only reads it here
    }
    void append(const void* bytes, std::size_t size) {
        if (size != 0) fields_.append(static_cast<const char*>(bytes), size);
    }

    std::string fields_;
};

/// The size of a packet's frame in bytes. The frame is enough for packet_bytes().
inline constexpr std::uint64_t kPacketFrameBytes = 32;
/// Returns the size in bytes of the whole packet that begins with `begin`. Returns nothing if these
/// are too few bytes, or not the beginning of a packet.
std::optional<std::uint64_t> packet_bytes(std::string_view begin);

/// Returns the packet with its checksum made right. Tests use it to make false packets.
std::string reseal_packet(std::string packet);

class PacketReader {
   public:
    /// Opens a packet, which must outlive the reader. Damage, another version and another kind of
    /// packet are kInvalidInput errors that name `origin`.
    static Result<PacketReader> open(std::string_view packet, std::string_view kind, std::string_view origin);

    /// Reads fields. After the first field with an impossible value, fields have no meaning.
    template <typename... Fields>
    void operator()(Fields&... fields) {
        (get(fields), ...);
    }
    /// Checks a further condition on the fields. If `right` is false, finish() returns an error.
    void require(bool right) { wrong_ = wrong_ || !right; }
    /// Returns an error unless all fields were right and nothing follows the last one. Call it
    /// after the last field.
    Status finish() const;

   private:
    PacketReader(std::string_view fields, std::string_view origin) : left_(fields), origin_(origin) {}

    template <PacketNumber T>
    void get(T& number) {
        take(&number, sizeof number);
    }
    template <typename T>
    requires std::is_enum_v<T>
    void get(T& value) {
        std::underlying_type_t<T> number{};
        get(number);
        if (wrong_ || number < 0 || number > static_cast<std::underlying_type_t<T>>(last_value(T{}))) {
            wrong_ = true;
        } else {
            value = static_cast<T>(number);
        }
    }
    void get(bool& truth) {
        std::uint8_t byte = 0;
        get(byte);
        if (byte > 1) wrong_ = true;
        if (!wrong_) truth = byte == 1;
    }
    void get(std::string& text) {
        const std::uint64_t size = count(1);
        text.assign(left_.substr(0, size));
        left_.remove_prefix(size);
    }
    template <typename T>
    void get(std::optional<T>& value) {
        bool has_value = false;
        get(has_value);
        value.reset();
        if (has_value) get(value.emplace());
    }
    template <typename T>
    void get(std::vector<T>& list) {
        list.clear();
        if constexpr (PacketNumber<T>) {
            list.resize(count(sizeof(T)));
            take(list.data(), list.size() * sizeof(T));
        } else {
            // Elements are added one by one, because there may be fewer bytes than the count
            // promises.
            for (std::uint64_t more = count(1); more > 0 && !wrong_; --more) get(list.emplace_back());
        }
    }
    template <typename T>
    requires std::is_class_v<T>
    void get(T& value) {
        if (!wrong_) describe(*this, value);
    }
    void take(void* to, std::size_t size) {
        if (wrong_ || size > left_.size()) {
            wrong_ = true;
            return;
        }
        if (size != 0) std::memcpy(to, left_.data(), size);
        left_.remove_prefix(size);
    }
    /// Reads the count of a list whose elements take at least `least_bytes` bytes each. Returns 0
    /// if the packet cannot hold as many.
    std::uint64_t count(std::size_t least_bytes) {
        std::uint64_t elements = 0;
        get(elements);
        if (elements > left_.size() / least_bytes) wrong_ = true;
        return wrong_ ? 0 : elements;
    }

    std::string_view left_;
    std::string origin_;
    bool wrong_ = false;
};

}  // namespace warpseq

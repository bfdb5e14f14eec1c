#include "formats/io/part_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "formats/io/checksum.h"
#include "formats/io/packet.h"

namespace warpseq {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLabelKind = "part", kEndKind = "partend";
constexpr std::string_view kEnding = ".wspart";

struct PartEnd {
    std::uint64_t batches = 0, checksum = 0;
};
constexpr std::uint64_t kEndBytes = kPacketFrameBytes + 2 * sizeof(std::uint64_t);

template <typename Packet>
void describe(Packet& packet, PartEnd& end) {
    packet(end.batches, end.checksum);
}

Status append(AtomicFile& file, std::string_view bytes) {
    return file.append({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

Xxh3State new_hash() {
    Xxh3State hash = make_xxh3_state();
    XXH3_64bits_reset(hash.get());
    return hash;
}

}  // namespace

template <typename Packet>
void describe(Packet& packet, PartLabel& label) {
    packet(label.digest, label.arguments, label.part, label.parts);
}

std::string digest_of(const std::vector<std::string>& texts) {
    const Xxh3State hash = make_xxh3_state();
    XXH3_128bits_reset(hash.get());
    for (const std::string& text : texts) {
        const std::uint64_t size = text.size();
        XXH3_128bits_update(hash.get(), &size, sizeof size);
        XXH3_128bits_update(hash.get(), text.data(), text.size());
    }
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(hash.get()));
    std::array<std::uint8_t, 16> bytes;
    std::ranges::copy(canonical.digest, bytes.begin());
    return digest_text(bytes);
}

fs::path part_file(const fs::path& folder, const PartLabel& label) {
    return folder / (label.digest.substr(0, 16) + "." + std::to_string(label.part) + "-of-" +
                     std::to_string(label.parts) + std::string(kEnding));
}

PartWriter::PartWriter(AtomicFile file) : file_(std::move(file)), hash_(new_hash()) {}

Result<PartWriter> PartWriter::create(const fs::path& folder, const PartLabel& label) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) return Status::io(folder.string() + ": cannot make this folder: " + error.message());
    auto file = AtomicFile::create(part_file(folder, label), true);
    if (!file.ok()) return file.status();
    PartWriter writer(*std::move(file));
    PacketWriter packet;
    packet(label);
    WARPSEQ_TRY(append(writer.file_, packet.finish(kLabelKind)));
    return writer;
}

Status PartWriter::add(const std::string& packet) {
    ++batches_;
    XXH3_64bits_update(hash_.get(), packet.data(), packet.size());
    return append(file_, packet);
}

Status PartWriter::finish() {
    PacketWriter packet;
    packet(PartEnd{batches_, XXH3_64bits_digest(hash_.get())});
    WARPSEQ_TRY(append(file_, packet.finish(kEndKind)));
    return file_.commit();
}

PartReader::PartReader(fs::path file, std::ifstream in, std::uint64_t size_bytes)
    : file_(std::move(file)), in_(std::move(in)), left_bytes_(size_bytes), hash_(new_hash()) {}

Result<PartReader> PartReader::open(const fs::path& file) {
    std::error_code error;
    const std::uint64_t size_bytes = fs::is_regular_file(file, error) ? fs::file_size(file, error) : 0;
    std::ifstream in(file, std::ios::binary);
    if (error || !in) return Status::io(file.string() + ": cannot open: " + std::strerror(errno));
    PartReader reader(file, std::move(in), size_bytes);
    const auto bytes = reader.next_packet();
    if (!bytes.ok()) return bytes.status();
    auto packet = PacketReader::open(*bytes, kLabelKind, file.string());
    if (!packet.ok()) return packet.status();
    (*packet)(reader.label_);
    packet->require(reader.label_.part < reader.label_.parts && !reader.label_.arguments.empty());
    WARPSEQ_TRY(packet->finish());
    return reader;
}

Result<std::string> PartReader::next_packet() {
    std::string bytes(std::min<std::uint64_t>(kPacketFrameBytes, left_bytes_), '\0');
    in_.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    const auto size_bytes = packet_bytes(bytes);
    if (!in_ || !size_bytes || *size_bytes > left_bytes_)
        return Status::invalid_input(file_.string() + ": damaged: it is truncated or has wrong bytes");
    bytes.resize(*size_bytes);
    in_.read(bytes.data() + kPacketFrameBytes, static_cast<std::streamsize>(*size_bytes - kPacketFrameBytes));
    if (!in_) return Status::io(file_.string() + ": cannot read: " + std::strerror(errno));
    left_bytes_ -= *size_bytes;
    return bytes;
}

bool PartReader::is_at_end() const { return left_bytes_ <= kEndBytes; }

Result<std::string> PartReader::next() {
    if (is_at_end())
        return Status::invalid_input(file_.string() + ": holds results of fewer query batches than the search has");
    auto bytes = next_packet();
    if (!bytes.ok()) return bytes.status();
    ++batches_;
    XXH3_64bits_update(hash_.get(), bytes->data(), bytes->size());
    return bytes;
}

Status PartReader::finish() {
    const auto bytes = next_packet();
    if (!bytes.ok()) return bytes.status();
    auto packet = PacketReader::open(*bytes, kEndKind, file_.string());
    if (!packet.ok()) return packet.status();
    PartEnd end;
    (*packet)(end);
    packet->require(end.batches == batches_ && end.checksum == XXH3_64bits_digest(hash_.get()) && left_bytes_ == 0);
    return packet->finish();
}

bool is_whole_part(const fs::path& file, const PartLabel& label) {
    std::error_code error;
    if (!fs::is_regular_file(file, error)) return false;
    auto reader = PartReader::open(file);
    if (!reader.ok() || reader->label().digest != label.digest || reader->label().part != label.part ||
        reader->label().parts != label.parts)
        return false;
    while (!reader->is_at_end())
        if (!reader->next().ok()) return false;
    return reader->finish().ok();
}

Result<std::vector<fs::path>> find_parts(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
        if (at->path().extension() == kEnding) files.push_back(at->path());
    if (error) return Status::io(folder.string() + ": cannot read this folder: " + error.message());
    std::ranges::sort(files);
    return files;
}

}  // namespace warpseq

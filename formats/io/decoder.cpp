#include "formats/io/decoder.h"

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstring>

#include "formats/io/gzip_inflater.h"

namespace warpseq {

namespace {

class GzipDecoder final : public Decoder {
   public:
    GzipDecoder(bool bgzip, std::uint64_t offset_bytes, bool follows_data) : bgzip_(bgzip) {
        consumed_bytes_ = offset_bytes;
        member_bytes_ = follows_data ? 1 : 0;
    }

    Status decode(std::span<const std::uint8_t>& in, std::span<std::uint8_t>& out) override {
        if (place_ != Place::kMember) {
            if (in.empty()) return {};
            if (place_ == Place::kBehindMember && in[0] == 0x1f) {
                WARPSEQ_TRY(start_member());
            } else {
                return skip_padding(in);
            }
        }
        const std::size_t in_before = in.size(), out_before = out.size();
        const Result<bool> ended = inflater_->inflate(in, out);
        consumed_bytes_ += in_before - in.size();
        member_bytes_ += out_before - out.size();
        if (!ended.ok()) {
            if (ended.status().code() == StatusCode::kOutOfMemory) return ended.status();
            return Status::invalid_input("the gzip data is damaged " + at_byte() + " (" + ended.status().message() +
                                         "); get the file again, or check it with gzip -t");
        }
        if (*ended) place_ = Place::kBehindMember;
        return {};
    }

    Status check_end() const override {
        if (place_ == Place::kMember || (bgzip_ && member_bytes_ != 0)) {
            return Status::invalid_input(
                "the gzip data is cut off " + at_byte() + ": " +
                (place_ == Place::kMember ? "more was expected" : "bgzip's end mark is missing") +
                "; get the file again, or check it with gzip -t");
        }
        return {};
    }

    bool is_between_units() const override { return place_ == Place::kBehindMember; }

   private:
    enum class Place { kMember, kBehindMember, kPadding };

    Status start_member() {
        if (!inflater_) inflater_ = make_gzip_inflater();
        WARPSEQ_TRY(inflater_->begin());
        place_ = Place::kMember;
        member_bytes_ = 0;
        return {};
    }

    Status skip_padding(std::span<const std::uint8_t>& in) {
        place_ = Place::kPadding;
        const auto other = std::find_if(in.begin(), in.end(), [](std::uint8_t byte) { return byte != 0; });
        consumed_bytes_ += static_cast<std::uint64_t>(other - in.begin());
        const bool clean = other == in.end();
        in = {};
        if (clean) return {};
        return Status::invalid_input("something other than gzip data follows the gzip data " + at_byte() +
                                     "; get the file again, or check it with gzip -t");
    }

    std::unique_ptr<GzipInflater> inflater_;
    Place place_ = Place::kBehindMember;
    bool bgzip_;
    std::uint64_t member_bytes_;  // decoded from the current member, or else from the one before
};

class ZstdDecoder final : public Decoder {
   public:
    explicit ZstdDecoder(std::uint64_t offset_bytes) : stream_(ZSTD_createDStream()), at_frame_end_(offset_bytes > 0) {
        consumed_bytes_ = offset_bytes;
    }
    ~ZstdDecoder() override { ZSTD_freeDStream(stream_); }
    ZstdDecoder(const ZstdDecoder&) = delete;
    ZstdDecoder& operator=(const ZstdDecoder&) = delete;

    Status decode(std::span<const std::uint8_t>& in, std::span<std::uint8_t>& out) override {
        if (stream_ == nullptr) return Status::out_of_memory();
        if (in.empty() && at_frame_end_) return {};
        ZSTD_inBuffer input{in.data(), in.size(), 0};
        ZSTD_outBuffer output{out.data(), out.size(), 0};
        const std::size_t code = ZSTD_decompressStream(stream_, &output, &input);
        consumed_bytes_ += input.pos;
        in = in.subspan(input.pos);
        out = out.subspan(output.pos);
        if (ZSTD_isError(code)) {
            if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation) return Status::out_of_memory();
            if (ZSTD_getErrorCode(code) == ZSTD_error_frameParameter_windowTooLarge) {
                return Status::invalid_input("the zstd data needs a window of more than 128 MiB (after " + byte() +
                                             "); compress it again without --long");
            }
            return Status::invalid_input("the zstd data is damaged after " + byte() + " (" + ZSTD_getErrorName(code) +
                                         "); get the file again, or check it with zstd -t");
        }
        at_frame_end_ = code == 0;
        return {};
    }

    Status check_end() const override {
        if (at_frame_end_) return {};
        return Status::invalid_input("the zstd data is cut off " + at_byte() +
                                     ": more was expected; get the file again, or check it with zstd -t");
    }

    bool is_between_units() const override { return at_frame_end_; }

   private:
    ZSTD_DStream* stream_;
    bool at_frame_end_;
};

std::uint32_t number_at(std::span<const std::uint8_t> bytes, std::size_t place) {
    std::uint32_t number;
    std::memcpy(&number, bytes.data() + place, sizeof number);
    return number;
}

bool is_zstd(std::span<const std::uint8_t> start) {
    if (start.size() < 4) return false;
    const std::uint32_t magic = number_at(start, 0);
    return magic == ZSTD_MAGICNUMBER || (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

bool is_gzip(std::span<const std::uint8_t> start) { return start.size() >= 2 && start[0] == 0x1f && start[1] == 0x8b; }

/// Whether a gzip header has the mark of bgzip as all versions of bgzip write it: as the only extra
/// field or the first one.
bool has_bgzip_mark(std::span<const std::uint8_t> start) {
    return start.size() >= 16 && (start[3] & 4) != 0 && start[12] == 'B' && start[13] == 'C' && start[14] == 2 &&
           start[15] == 0;
}

std::optional<StoredUnit> bgzip_block(std::span<const std::uint8_t> stored) {
    constexpr std::size_t kHeadBytes = 18, kMostBytes = std::size_t{64} << 10;
    if (stored.size() < kHeadBytes || !is_gzip(stored) || !has_bgzip_mark(stored)) return std::nullopt;
    StoredUnit unit;
    unit.stored_bytes = (stored[16] | std::size_t{stored[17]} << 8) + 1;
    if (unit.stored_bytes < kHeadBytes + 8 || unit.stored_bytes > stored.size()) return std::nullopt;
    unit.most_bytes = number_at(stored, unit.stored_bytes - 4);
    if (unit.most_bytes > kMostBytes) return std::nullopt;
    unit.is_empty = unit.most_bytes == 0;
    // If the size is wrong, the following bytes do not begin another block.
    const auto behind = stored.subspan(unit.stored_bytes);
    if (behind.size() >= 2 && !is_gzip(behind)) return std::nullopt;
    return unit;
}

std::optional<StoredUnit> zstd_frame(std::span<const std::uint8_t> stored) {
    StoredUnit unit;
    unit.stored_bytes = ZSTD_findFrameCompressedSize(stored.data(), stored.size());
    if (ZSTD_isError(unit.stored_bytes) != 0) return std::nullopt;
    if (number_at(stored, 0) != ZSTD_MAGICNUMBER) return unit;  // a skippable frame
    const unsigned long long most_bytes = ZSTD_decompressBound(stored.data(), unit.stored_bytes);
    if (ZSTD_isError(most_bytes) != 0) return std::nullopt;
    unit.most_bytes = static_cast<std::size_t>(most_bytes);
    return unit;
}

}  // namespace

Compression compression_of(std::span<const std::uint8_t> start) {
    if (is_gzip(start)) return has_bgzip_mark(start) ? Compression::kBgzip : Compression::kGzip;
    return is_zstd(start) ? Compression::kZstd : Compression::kNone;
}

std::unique_ptr<Decoder> make_decoder(Compression compression, std::uint64_t offset_bytes, bool follows_data) {
    switch (compression) {
        case Compression::kNone: break;
        case Compression::kGzip:
        case Compression::kBgzip:
            return std::make_unique<GzipDecoder>(compression == Compression::kBgzip, offset_bytes, follows_data);
        case Compression::kZstd: return std::make_unique<ZstdDecoder>(offset_bytes);
    }
    return nullptr;
}

std::optional<StoredUnit> unit_at_front(Compression compression, std::span<const std::uint8_t> stored) {
    if (compression == Compression::kBgzip) return bgzip_block(stored);
    if (compression == Compression::kZstd) return zstd_frame(stored);
    return std::nullopt;
}

}  // namespace warpseq

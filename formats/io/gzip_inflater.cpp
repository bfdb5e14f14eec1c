#include "formats/io/gzip_inflater.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <optional>

#ifdef WARPSEQ_HAVE_ISAL
#include <isa-l/igzip_lib.h>
#endif

namespace warpseq {

namespace {

/// The largest size that both libraries can count, in 32 bits.
constexpr std::size_t kMostAtOnce = std::numeric_limits<std::uint32_t>::max();

class ZlibInflater final : public GzipInflater {
   public:
    ~ZlibInflater() override {
        if (stream_) inflateEnd(&*stream_);
    }

    Status begin() override {
        if (stream_) {
            inflateReset(&*stream_);
            return {};
        }
        stream_.emplace();
        if (inflateInit2(&*stream_, 16 + MAX_WBITS) == Z_OK) return {};
        stream_.reset();
        return Status::out_of_memory();
    }

    Result<bool> inflate(std::span<const std::uint8_t>& in, std::span<std::uint8_t>& out) override {
        stream_->next_in = const_cast<Bytef*>(in.data());
        stream_->avail_in = static_cast<uInt>(std::min(in.size(), kMostAtOnce));
        stream_->next_out = out.data();
        stream_->avail_out = static_cast<uInt>(std::min(out.size(), kMostAtOnce));
        const int code = ::inflate(&*stream_, Z_NO_FLUSH);
        in = in.subspan(static_cast<std::size_t>(stream_->next_in - in.data()));
        out = out.subspan(static_cast<std::size_t>(stream_->next_out - out.data()));
        if (code == Z_STREAM_END) return true;
        if (code == Z_MEM_ERROR) return Status::out_of_memory();
        if (code == Z_OK || code == Z_BUF_ERROR) return false;
        return Status::invalid_input(stream_->msg != nullptr ? stream_->msg : "not deflate data");
    }

   private:
    std::optional<z_stream> stream_;
};

#ifdef WARPSEQ_HAVE_ISAL

/// Skips the header of a member (RFC 1952), whose bytes come in any portions. ISA-L 2.30 can do so
/// too, but rejects a header that has a checksum and comes in two portions.
class GzipHeader {
   public:
    /// Takes bytes from the front of `in`. Returns true once the header has ended.
    Result<bool> pass(std::span<const std::uint8_t>& in) {
        for (; place_ != Place::kEnd && !in.empty(); in = in.subspan(1)) WARPSEQ_TRY(take(in[0]));
        return place_ == Place::kEnd;
    }

   private:
    // The fields of a header, in their order.
    enum class Place : std::uint8_t { kFixed, kExtraSize, kExtra, kName, kComment, kChecksum, kEnd };
    static constexpr std::uint8_t kHasChecksum = 2, kHasExtra = 4, kHasName = 8, kHasComment = 16, kReserved = 0xe0;

    Status take(std::uint8_t byte) {
        if (place_ != Place::kChecksum) crc_ = crc32(crc_, &byte, 1);
        switch (place_) {
            case Place::kFixed: return take_fixed(byte);
            case Place::kExtraSize:
                number_ |= std::uint32_t{byte} << (8 * taken_++);
                if (taken_ == 2) {
                    place_ = Place::kExtra;
                    if (number_ == 0) go_on(Place::kName);
                }
                return {};
            case Place::kExtra:
                if (--number_ == 0) go_on(Place::kName);
                return {};
            case Place::kName:
                if (byte == 0) go_on(Place::kComment);
                return {};
            case Place::kComment:
                if (byte == 0) go_on(Place::kChecksum);
                return {};
            case Place::kChecksum:
                number_ |= std::uint32_t{byte} << (8 * taken_++);
                if (taken_ < 2) return {};
                if (number_ != (crc_ & 0xffff)) return Status::invalid_input("header crc mismatch");
                place_ = Place::kEnd;
                return {};
            case Place::kEnd: break;
        }
        return {};
    }

    Status take_fixed(std::uint8_t byte) {
        constexpr std::uint8_t kDeflate = 8;
        switch (taken_++) {
            case 0: return byte == 0x1f ? Status() : Status::invalid_input("incorrect header check");
            case 1: return byte == 0x8b ? Status() : Status::invalid_input("incorrect header check");
            case 2: return byte == kDeflate ? Status() : Status::invalid_input("unknown compression method");
            case 3:
                flags_ = byte;
                return (byte & kReserved) == 0 ? Status() : Status::invalid_input("unknown header flags set");
            case 9: go_on(Place::kExtraSize); return {};
            default: return {};  // the modification time, the flags of compression, the system
        }
    }

    /// Goes to the first field at or behind `from` that the header has.
    void go_on(Place from) {
        const auto has = [&](Place place, std::uint8_t flag) { return from <= place && (flags_ & flag) != 0; };
        place_ = has(Place::kExtraSize, kHasExtra)   ? Place::kExtraSize
                 : has(Place::kName, kHasName)       ? Place::kName
                 : has(Place::kComment, kHasComment) ? Place::kComment
                 : (flags_ & kHasChecksum) != 0      ? Place::kChecksum
                                                     : Place::kEnd;
        taken_ = number_ = 0;
    }

    Place place_ = Place::kFixed;
    std::uint8_t flags_ = 0;
    std::uint32_t taken_ = 0;   // bytes taken of the current field
    std::uint32_t number_ = 0;  // the number read so far, or the bytes that still have to come
    uLong crc_ = 0;
};

class IsalInflater final : public GzipInflater {
   public:
    Status begin() override {
        header_ = {};
        isal_inflate_init(&state_);
        state_.crc_flag = ISAL_GZIP_NO_HDR_VER;
        return {};
    }

    Result<bool> inflate(std::span<const std::uint8_t>& in, std::span<std::uint8_t>& out) override {
        const Result<bool> has_header = header_.pass(in);
        if (!has_header.ok() || !*has_header) return has_header;
        state_.next_in = const_cast<std::uint8_t*>(in.data());
        state_.avail_in = static_cast<std::uint32_t>(std::min(in.size(), kMostAtOnce));
        state_.next_out = out.data();
        state_.avail_out = static_cast<std::uint32_t>(std::min(out.size(), kMostAtOnce));
        const int code = isal_inflate(&state_);
        in = in.subspan(static_cast<std::size_t>(state_.next_in - in.data()));
        // After an error of a distance that is too far back, some bytes of the output were never
        // written.
        if (code < 0) return Status::invalid_input(reason(code));
        out = out.subspan(static_cast<std::size_t>(state_.next_out - out.data()));
        return state_.block_state == ISAL_BLOCK_FINISH;
    }

   private:
    static const char* reason(int code) {
        switch (code) {
            case ISAL_INVALID_BLOCK: return "invalid block";
            case ISAL_INVALID_SYMBOL: return "invalid code";
            case ISAL_INVALID_LOOKBACK: return "invalid distance too far back";
            case ISAL_INCORRECT_CHECKSUM: return "incorrect data check";
            default: return "not deflate data";
        }
    }

    GzipHeader header_;
    inflate_state state_{};
};

#endif

}  // namespace

std::unique_ptr<GzipInflater> make_zlib_inflater() { return std::make_unique<ZlibInflater>(); }

std::unique_ptr<GzipInflater> make_isal_inflater() {
#ifdef WARPSEQ_HAVE_ISAL
    return std::make_unique<IsalInflater>();
#else
    return nullptr;
#endif
}

std::unique_ptr<GzipInflater> make_gzip_inflater() {
    auto inflater = make_isal_inflater();
    return inflater ? std::move(inflater) : make_zlib_inflater();
}

}  // namespace warpseq

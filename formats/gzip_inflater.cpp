#include "formats/gzip_inflater.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <optional>

#ifdef WARPSEQ_HAVE_ISAL
#include <isa-l/igzip_lib.h>
#endif

namespace warpseq {

namespace {

/// Both libraries count in 32 bits.
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

class IsalInflater final : public GzipInflater {
   public:
    Status begin() override {
        isal_inflate_init(&state_);
        state_.crc_flag = ISAL_GZIP;
        return {};
    }

    Result<bool> inflate(std::span<const std::uint8_t>& in, std::span<std::uint8_t>& out) override {
        state_.next_in = const_cast<std::uint8_t*>(in.data());
        state_.avail_in = static_cast<std::uint32_t>(std::min(in.size(), kMostAtOnce));
        state_.next_out = out.data();
        state_.avail_out = static_cast<std::uint32_t>(std::min(out.size(), kMostAtOnce));
        const int code = isal_inflate(&state_);
        in = in.subspan(static_cast<std::size_t>(state_.next_in - in.data()));
        out = out.subspan(static_cast<std::size_t>(state_.next_out - out.data()));
        if (code < 0) return Status::invalid_input(reason(code));
        return state_.block_state == ISAL_BLOCK_FINISH;
    }

   private:
    static const char* reason(int code) {
        switch (code) {
            case ISAL_INVALID_BLOCK: return "invalid block";
            case ISAL_INVALID_SYMBOL: return "invalid code";
            case ISAL_INVALID_LOOKBACK: return "invalid distance too far back";
            case ISAL_INVALID_WRAPPER: return "incorrect header check";
            case ISAL_UNSUPPORTED_METHOD: return "unknown compression method";
            case ISAL_INCORRECT_CHECKSUM: return "incorrect data check";
            default: return "not deflate data";
        }
    }

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

#include "kernels/gpu/pinned_pages.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "kernels/gpu/cuda_status.cuh"

namespace warpseq::cuda {
namespace {

/// Size of a piece. It is large enough that a copy is not cut often, and small enough that the
/// first one does not wait long (a millisecond per 40 MB).
constexpr std::size_t kPieceBytes = std::size_t{64} << 20;
constexpr std::size_t kPageBytes = 4096;

class Pages final : public PinnedPages {
   public:
    Pages(std::span<const std::uint8_t> range, std::uint64_t most_bytes)
        : begin_(reinterpret_cast<std::uintptr_t>(range.data()) / kPageBytes * kPageBytes),
          end_((reinterpret_cast<std::uintptr_t>(range.data()) + range.size() + kPageBytes - 1) / kPageBytes *
               kPageBytes),
          left_bytes_(most_bytes),
          pieces_((end_ - begin_ + kPieceBytes - 1) / kPieceBytes) {}

    ~Pages() override {
        for (std::size_t p = 0; p < pieces_.size(); ++p) {
            if (pieces_[p].state == State::kPinned) cudaHostUnregister(reinterpret_cast<void*>(first_of(p)));
        }
        cudaGetLastError();
    }

    std::size_t pin(const std::uint8_t* from) override {
        const auto address = reinterpret_cast<std::uintptr_t>(from);
        if (address < begin_ || address >= end_) return 0;
        const std::size_t p = (address - begin_) / kPieceBytes;
        Piece& piece = pieces_[p];
        const std::lock_guard lock(piece.mutex);
        const std::uintptr_t piece_end = std::min(first_of(p) + kPieceBytes, end_);
        if (piece.state == State::kUntried) {
            piece.state = State::kRefused;
            if (!take(piece_end - first_of(p))) return 0;
            const cudaError_t error = cudaHostRegister(reinterpret_cast<void*>(first_of(p)), piece_end - first_of(p),
                                                       cudaHostRegisterReadOnly | cudaHostRegisterPortable);
            if (error != cudaSuccess) {
                cudaGetLastError();  // so that the next call does not report it again
                return 0;
            }
            piece.state = State::kPinned;
        }
        return piece.state == State::kPinned ? piece_end - address : 0;
    }

   private:
    enum class State { kUntried, kPinned, kRefused };
    struct Piece {
        std::mutex mutex;
        State state = State::kUntried;
    };

    std::uintptr_t first_of(std::size_t piece) const { return begin_ + piece * kPieceBytes; }
    bool take(std::uint64_t bytes) {
        std::uint64_t left = left_bytes_.load();
        while (left >= bytes) {
            if (left_bytes_.compare_exchange_weak(left, left - bytes)) return true;
        }
        return false;
    }

    const std::uintptr_t begin_, end_;  // whole pages
    std::atomic<std::uint64_t> left_bytes_;
    std::vector<Piece> pieces_;
};

}  // namespace

std::unique_ptr<PinnedPages> make_pinned_pages(std::span<const std::uint8_t> range, std::uint64_t most_bytes) {
    return std::make_unique<Pages>(range, most_bytes);
}

}  // namespace warpseq::cuda

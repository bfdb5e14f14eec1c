// Scratch memory that is aligned to a cache line and to the widest vector. It grows as needed and
// never shrinks.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace warpseq {

class AlignedBytes {
   public:
    static constexpr std::size_t kAlignmentBytes = 64;

    std::size_t capacity_bytes() const { return capacity_bytes_; }

    /// Returns at least `bytes` bytes, whose content is unspecified. If the memory has to grow, the
    /// old content is lost. Throws std::bad_alloc.
    std::byte* reserve(std::size_t bytes) {
        if (bytes > capacity_bytes_) {
            memory_.reset();  // before the new piece, so that the two are never held at once
            capacity_bytes_ = 0;
            memory_.reset(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{kAlignmentBytes})));
            capacity_bytes_ = bytes;
            if (bytes >= kHugeBytes) use_huge_pages(memory_.get(), bytes);
        }
        return memory_.get();
    }

   private:
    static constexpr std::size_t kHugeBytes = std::size_t{32} << 20;
    /// Asks the system to back the memory with huge pages, if it has them. In pages of 4096 bytes,
    /// each gigabyte takes a tenth of a second to free, and a free cannot be interrupted.
    static void use_huge_pages(std::byte* memory, std::size_t bytes);

    struct Release {
        void operator()(std::byte* memory) const { ::operator delete (memory, std::align_val_t{kAlignmentBytes}); }
    };
    std::unique_ptr<std::byte, Release> memory_;
    std::size_t capacity_bytes_ = 0;
};

}  // namespace warpseq

// A guard that makes the processor take floats below 2^-126 as 0 while it lives. HMMER does the
// same, so results keep its bits. It also keeps rows of tiny probabilities from running at a
// hundredth of the speed.
//
// The compiler does not know that the mode matters. Code that has to run in it belongs into a
// function that is not inlined.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace warpseq {

class FlushSubnormals {
   public:
#if defined(__x86_64__)
    FlushSubnormals() : saved_(_mm_getcsr()) { _mm_setcsr(saved_ | _MM_FLUSH_ZERO_ON); }
    ~FlushSubnormals() { _mm_setcsr(saved_); }
#elif defined(__aarch64__)
    FlushSubnormals() {
        asm volatile("mrs %0, fpcr" : "=r"(saved_));
        asm volatile("msr fpcr, %0" : : "r"(saved_ | kFlushToZero));
    }
    ~FlushSubnormals() { asm volatile("msr fpcr, %0" : : "r"(saved_)); }
#else
    FlushSubnormals() = default;
#endif
    FlushSubnormals(const FlushSubnormals&) = delete;
    FlushSubnormals& operator=(const FlushSubnormals&) = delete;

   private:
#if defined(__x86_64__)
    unsigned saved_;
#elif defined(__aarch64__)
    static constexpr unsigned long kFlushToZero = 1ul << 24;
    unsigned long saved_;
#endif
};

}  // namespace warpseq

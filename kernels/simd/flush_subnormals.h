// A guard. While it lives, the processor treats floats below 2^-126 as 0. HMMER does the same, so
// this is needed to get the same bits. It is also faster, because rows of tiny probabilities would
// otherwise run at a hundredth of the speed.
//
// The compiler does not know about this mode and may move floating-point code out of the guard's
// scope. So code that needs the mode has to be in a function that is not inlined.
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

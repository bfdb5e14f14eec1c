// The scores of a step of the skewed pair kernels.
//
// In a step each lane has a column, and so a target letter, of its own. If few different letters
// occur, the scores of all pairs of letters are a table in a register. A look-up at row letter +
// column letter then gives a vector of scores. Otherwise each lane has, for every letter, a word
// with the scores of its rows. A step takes one word per lane and turns these words into a vector
// per row with a network of interleavings. The words are copied to a buffer kWordsAhead steps
// before use, so that the stores are complete when vectors are read from it.
//
// This file is included only inside a target region.
#pragma once

#include "kernels/pair/pair_lanes_simd.h"

namespace warpseq::simd {

/// Does one stage of the network. It interleaves the vectors whose indices differ by `apart`.
template <class V8, std::size_t words, std::size_t apart>
WARPSEQ_SIMD void interleave(typename V8::Vector (&v)[words]) {
#pragma GCC unroll 16
    for (std::size_t k = 0; k < words; ++k) {
        if ((k & apart) != 0) continue;
        const auto low = V8::interleave_low(v[k], v[k + apart]);
        v[k + apart] = V8::interleave_high(v[k], v[k + apart]);
        v[k] = low;
    }
}

/// Returns the byte offset of the word of lane `lane` in the buffer that turn_words() reads. A
/// group of sixteen lanes occupies sixteen bytes of each of `bytes` vectors. An interleaving
/// rotates the bits of a byte's place. It moves one bit of the vector's index to the end of the
/// byte's index, and the first bit of the byte's index to the vector's index. After four
/// interleavings the four bits of a lane's number within its group are the byte's index.
template <std::size_t bytes>
constexpr std::size_t word_offset(std::size_t lane, std::size_t vector_bytes) {
    constexpr std::size_t kWordsOfGroup = 16 / bytes;  // in one vector
    const std::size_t group = lane / 16, within = lane % 16;
    return within / kWordsOfGroup * vector_bytes + group * 16 + within % kWordsOfGroup * bytes;
}

template <class V8, std::size_t bytes>
WARPSEQ_SIMD void copy_words(const PairSteps& task, std::size_t step, std::uint8_t* buffer) {
    const std::uint16_t* const letters = task.word_letters + step;
    const std::uint8_t* const words = task.words;
#pragma GCC unroll 64
    for (std::size_t lane = 0; lane < V8::kLanes; ++lane) {
        __builtin_memcpy(buffer + word_offset<bytes>(lane, V8::kLanes),
                         words + std::size_t{letters[lane]} * 8 + lane * bytes, bytes);
        // Loading many letters before their words are copied would only spill them.
        if (lane % 8 == 7) asm volatile("" ::: "memory");
    }
}

/// Turns the words of all lanes into rows. Writes the scores of row r, one byte per lane, to scores
/// + r * lanes.
template <class V8, std::size_t bytes>
WARPSEQ_SIMD void turn_words(const std::uint8_t* buffer, std::uint8_t* scores) {
    typename V8::Vector v[bytes];
#pragma GCC unroll 16
    for (std::size_t k = 0; k < bytes; ++k) v[k] = V8::load(buffer + k * V8::kLanes);
    if constexpr (bytes == 16) {
        interleave<V8, 16, 8>(v);
        interleave<V8, 16, 4>(v);
        interleave<V8, 16, 2>(v);
        interleave<V8, 16, 1>(v);
    } else if constexpr (bytes == 8) {
        interleave<V8, 8, 4>(v);
        interleave<V8, 8, 2>(v);
        interleave<V8, 8, 1>(v);
        interleave<V8, 8, 4>(v);
    } else {
        interleave<V8, 4, 2>(v);
        interleave<V8, 4, 1>(v);
        interleave<V8, 4, 2>(v);
        interleave<V8, 4, 1>(v);
    }
#pragma GCC unroll 16
    for (std::size_t k = 0; k < bytes; ++k) {
        const std::size_t row = bytes == 8 ? (k & 3) << 1 | k >> 2 : k;
        V8::store(scores + row * V8::kLanes, v[k]);
    }
}

/// The place of the code that turns words into rows: a function, or the kernel's loop. kDirections
/// is in the loop, too, for the one word length that it has.
enum class WordsCode { kFunction, kLoop, kDirections };

/// The scores of a step for kernels that get them as words.
template <class Set, WordsCode kCode>
class StepScores {
    using V8 = typename Set::U8;

   public:
    [[gnu::noinline]] void begin(const PairSteps& task) {
        switch (task.word_bytes) {
            case 4: return copy_first<4>(task);
            case 8: return copy_first<8>(task);
            case 16: return copy_first<16>(task);
            default: return;
        }
    }
    [[gnu::always_inline]] inline void fill(const PairSteps& task, std::size_t step) {
        if constexpr (kCode == WordsCode::kDirections) {
            if (task.word_bytes > 0) return turn_and_copy<kDirectionLaneRows>(task, step);
        } else if constexpr (kCode == WordsCode::kLoop) {
            if (task.word_bytes > 0) return turn_and_copy_words(task, step);
        } else {
            if (task.word_bytes > 0) return call_turn_and_copy_words(task, step);
        }
        if constexpr (V8::kTableEntries > 0) {
            const auto table = V8::load_table(task.table);
            const auto letters = V8::load_unaligned(task.letters + step);
            for (std::size_t at = 0; at < task.rows_per_lane * V8::kLanes; at += V8::kLanes)
                V8::store(scores_ + at, V8::lookup(table, V8::wrapping_add(V8::load(task.row_letters + at), letters)));
        }
    }
    const std::uint8_t* scores() const { return scores_; }

   private:
    template <std::size_t bytes>
    [[gnu::always_inline]] inline std::uint8_t* buffer_of(std::size_t step) {
        return words_ + step % kWordsAhead * (bytes * V8::kLanes);
    }
    template <std::size_t bytes>
    void copy_first(const PairSteps& task) {
        for (std::size_t step = task.begin; step < task.begin + kWordsAhead; ++step)
            copy_words<V8, bytes>(task, step, buffer_of<bytes>(step));
    }
    /// Turns the step's words into scores, and replaces them by the words of kWordsAhead steps
    /// later.
    template <std::size_t bytes>
    [[gnu::always_inline]] inline void turn_and_copy(const PairSteps& task, std::size_t step) {
        std::uint8_t* buffer = buffer_of<bytes>(step);
        // Makes the compiler keep one address for all lanes instead of one for each.
        asm("" : "+r"(buffer));
        turn_words<V8, bytes>(buffer, scores_);
        copy_words<V8, bytes>(task, step + kWordsAhead, buffer);
    }
    [[gnu::always_inline]] inline void turn_and_copy_words(const PairSteps& task, std::size_t step) {
        if (task.word_bytes == 16) {
            turn_and_copy<16>(task, step);
        } else if (task.word_bytes == 8) {
            turn_and_copy<8>(task, step);
        } else {
            turn_and_copy<4>(task, step);
        }
    }
    [[gnu::noinline]] void call_turn_and_copy_words(const PairSteps& task, std::size_t step) {
        turn_and_copy_words(task, step);
    }

    alignas(64) std::uint8_t scores_[kMostLaneRows * V8::kLanes];
    alignas(64) std::uint8_t words_[kWordsAhead * kMostLaneRows * V8::kLanes];
};

}  // namespace warpseq::simd

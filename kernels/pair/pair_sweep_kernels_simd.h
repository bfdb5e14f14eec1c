// The kernels of kernels/pair/pair_sweep_simd.h, written once as templates over a vector set. This
// file is included only inside the target region of each
// kernels/backends/backend_table_<instruction set>.cpp.
//
// A strip of rows is swept from left to right in a skewed way. Each lane of a vector holds up to
// sixteen consecutive rows, and the top lane holds the first ones. A lane is one column behind the
// lane above it. A step fills one column of each lane.
//
//                        columns, at step s
//     top lane      . . . . . . . s
//     lane 2        . . . . . . s
//     lane 1        . . . . . s
//     lane 0        . . . . s   ------> the border row below the strip, a cell a step
//
// The values that leave a lane's last row enter the lane below in the next step. This takes one
// rotation of the vectors per step. F is always known when it is needed, so no pass that corrects
// it follows.
//
// In the first steps not all lanes have begun. The lanes that have not begun must keep their part
// of the column left of the strip. So their old values are restored after each of these steps.
// Lanes that have passed the last column continue over padding, and their results are dropped.
//
// Tall strips of local sweeps in bytes are not skewed; pair_columns() below sweeps them.
//
// There are two kernels. In both, H(i, j), E(i, j + 1) and F(i + 1, j) are named h, e and f.
//
// The absolute kernel keeps h, e and f less a base. The caller knows in advance that they fit the
// lanes, or finds out afterwards.
//     h = max(diagonal + s, e, f, zero)
//     e = max(e - extend, h - first)
//     f = max(f - extend, h - first)
// In bytes the sum may wrap after some h is above 255 less the highest score. Then `best` shows
// that h, and the caller fills the columns again in wider lanes.
//
// The difference kernel keeps differences between neighbouring cells (Suzuki and Kasahara, BMC
// Bioinformatics 19:45, 2018). They are
//     u = H(i, j) - H(i-1, j)          x = E(i, j+1) - H(i, j)
//     v = H(i, j) - H(i, j-1)          y = F(i+1, j) - H(i, j)
//     z = H(i, j) - H(i-1, j-1)
// and follow from
//     a = x(i, j-1) + u(i, j-1)        u = z - v(i-1, j)
//     b = y(i-1, j) + v(i-1, j)        v = z - u(i, j-1)
//     z = max(s, a, b)                 x = max(a - z - extend, -first)
//                                      y = max(b - z - extend, -first)
// They are kept with `first` added, and a, b and z with twice that. Then all are at least 0, so
//     x = max(a - (z - open), 0)
// is one saturating subtraction, because z - open is not negative. The caller makes sure that s + 2
// first >= open. pair_sweep_simd.cpp proves that all other numbers fit. Bytes suffice for sequences
// of any length.
//
// In a step each lane has a column, and so a target letter, of its own. If few different letters
// occur, the scores of all pairs of letters are a table in a register. A look-up at row letter +
// column letter then gives a vector of scores. Otherwise each lane has, for every letter, a word
// with the scores of its rows. A step takes one word per lane and turns these words into a vector
// per row with a network of interleavings. The words are copied to a buffer kWordsAhead steps
// before use, so that the stores are complete when vectors are read from it.
//
// Every kernel is compiled for four instruction sets, and again with sanitizers. To limit the
// number of instances, only what matters in the inner loop is a template argument. Lengths of
// words, the first steps and the padding rows of the top lane are handled at run time.

namespace warpseq::simd {

/// The kinds of kernels. kDirections is the absolute kernel with a byte of directions for each cell
/// (kernels/pair/pair_directions_simd.h) in place of maxima.
enum class PairKernel { kDifferences, kAbsolute, kDirections };

/// Whether rows are raised. They are raised in the absolute kernel in bytes, which does most of a
/// local sweep. This saves operations per cell in two ways.
///  - Row r of a lane is kept with r * extend added. Then extending a gap downwards costs nothing,
///    f = max(f, h - open), and scores include the difference of the raise between two rows. The
///    raise is subtracted from values that pass to the next lane or leave the kernel.
///  - A maximum is taken only in steps in which some h exceeds the threshold of its lane. This is
///    noticed at the end of the step. The threshold is at least the best known score of the block.
///    The new maximum becomes the threshold of all lanes of the block.
template <PairKernel kKernel, std::size_t lane_bytes>
inline constexpr bool kRaisedRows = kKernel == PairKernel::kAbsolute&& lane_bytes == 1;

/// A group of n vectors that acts as one vector. It has as many lanes as a vector has bytes, so the
/// number of lanes is the same in every width.
template <class V, std::size_t n>
struct Group {
    using Lane = typename V::Lane;
    static constexpr std::size_t kLanes = n * V::kLanes;
    struct Vector {
        typename V::Vector part[n];
    };
    WARPSEQ_SIMD Vector set(Lane x) {
        Vector r;
#pragma GCC unroll 4
        for (std::size_t k = 0; k < n; ++k) r.part[k] = V::set(x);
        return r;
    }
    WARPSEQ_SIMD Vector load(const Lane* p) {
        Vector r;
#pragma GCC unroll 4
        for (std::size_t k = 0; k < n; ++k) r.part[k] = V::load(p + k * V::kLanes);
        return r;
    }
    WARPSEQ_SIMD Vector load_unaligned(const Lane* p) {
        Vector r;
#pragma GCC unroll 4
        for (std::size_t k = 0; k < n; ++k) r.part[k] = V::load_unaligned(p + k * V::kLanes);
        return r;
    }
    WARPSEQ_SIMD Vector load_widened(const std::int8_t* p) {
        Vector r;
#pragma GCC unroll 4
        for (std::size_t k = 0; k < n; ++k) r.part[k] = V::load_widened(p + k * V::kLanes);
        return r;
    }
    WARPSEQ_SIMD void store(Lane* p, const Vector& v) {
#pragma GCC unroll 4
        for (std::size_t k = 0; k < n; ++k) V::store(p + k * V::kLanes, v.part[k]);
    }
    WARPSEQ_SIMD void store_bytes(std::uint8_t* p, const Vector& v) {
#pragma GCC unroll 4
        for (std::size_t k = 0; k < n; ++k) V::store_bytes(p + k * V::kLanes, v.part[k]);
    }
    WARPSEQ_SIMD Vector max(const Vector& a, const Vector& b) {
        Vector r;
#pragma GCC unroll 4
        for (std::size_t k = 0; k < n; ++k) r.part[k] = V::max(a.part[k], b.part[k]);
        return r;
    }
    WARPSEQ_SIMD Vector wrapping_add(const Vector& a, const Vector& b) {
        Vector r;
#pragma GCC unroll 4
        for (std::size_t k = 0; k < n; ++k) r.part[k] = V::wrapping_add(a.part[k], b.part[k]);
        return r;
    }
    WARPSEQ_SIMD Vector wrapping_subtract(const Vector& a, const Vector& b) {
        Vector r;
#pragma GCC unroll 4
        for (std::size_t k = 0; k < n; ++k) r.part[k] = V::wrapping_subtract(a.part[k], b.part[k]);
        return r;
    }
    WARPSEQ_SIMD Vector select(const Vector& bits, const Vector& yes, const Vector& no) {
        Vector r;
#pragma GCC unroll 4
        for (std::size_t k = 0; k < n; ++k) r.part[k] = V::select(bits.part[k], yes.part[k], no.part[k]);
        return r;
    }
    WARPSEQ_SIMD Vector bit_where_equal(const Vector& a, const Vector& b, const Vector& bit) {
        Vector r;
#pragma GCC unroll 4
        for (std::size_t k = 0; k < n; ++k) r.part[k] = V::bit_where_equal(a.part[k], b.part[k], bit.part[k]);
        return r;
    }
    WARPSEQ_SIMD Vector bit_or(const Vector& a, const Vector& b) {
        Vector r;
#pragma GCC unroll 4
        for (std::size_t k = 0; k < n; ++k) r.part[k] = V::bit_or(a.part[k], b.part[k]);
        return r;
    }
    WARPSEQ_SIMD Lane first(const Vector& v) { return V::first(v.part[0]); }
    /// Moves lanes down, so that lane i becomes lane i + 1. The content of the last lane is
    /// unspecified here.
    WARPSEQ_SIMD Vector rotate_down(const Vector& v) {
        constexpr std::size_t kPartLanes = V::kLanes;
        alignas(64) static constexpr LastLane<Lane, kPartLanes> kLast;
        const typename V::Vector last = V::load(kLast.lane);
        Vector turned, r;
#pragma GCC unroll 4
        for (std::size_t k = 0; k < n; ++k) turned.part[k] = V::rotate_down(v.part[k]);
#pragma GCC unroll 4
        for (std::size_t k = 0; k + 1 < n; ++k) r.part[k] = V::select(last, turned.part[k + 1], turned.part[k]);
        r.part[n - 1] = turned.part[n - 1];
        return r;
    }

   private:
    template <typename L, std::size_t lanes>
    struct LastLane {
        alignas(64) L lane[lanes] = {};
        constexpr LastLane() { lane[lanes - 1] = static_cast<L>(-1); }
    };
};

template <class Set, std::size_t lane_bytes>
struct PairLanes;
template <class Set>
struct PairLanes<Set, 1> : Set::U8 {
    WARPSEQ_SIMD typename Set::U8::Vector load_widened(const std::int8_t* p) {
        return Set::U8::load(reinterpret_cast<const std::uint8_t*>(p));
    }
};
template <class Set>
struct PairLanes<Set, 2> : Group<typename Set::I16, 2> {};
template <class Set>
struct PairLanes<Set, 4> : Group<typename Set::I32, 4> {};

/// The masks of the lanes from k on, for 0 <= k <= lanes.
template <class V>
struct LaneMasks {
    struct Ramp {
        alignas(64) typename V::Lane lane[2 * V::kLanes] = {};
        constexpr Ramp() {
            for (std::size_t i = V::kLanes; i < 2 * V::kLanes; ++i) lane[i] = static_cast<typename V::Lane>(-1);
        }
    };
    static constexpr Ramp kRamp{};
    WARPSEQ_SIMD typename V::Vector from(std::size_t k) { return V::load_unaligned(kRamp.lane + V::kLanes - k); }
};

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

/// Returns the mask of the lanes that have begun in a step.
template <class V>
WARPSEQ_SIMD typename V::Vector active_lanes(const PairSteps& task, std::size_t step) {
    return LaneMasks<V>::from(step < task.top_lane ? task.top_lane - step : 0);
}

/// The cells of the column left of the strip, for lanes that have not begun.
template <class V>
class LeftColumn {
    using Lane = typename V::Lane;

   public:
    [[gnu::noinline]] void keep(const PairSteps& task) {
        const std::size_t cells = task.rows_per_lane * V::kLanes;
        __builtin_memcpy(h_, task.h, cells * sizeof(Lane));
        __builtin_memcpy(gap_, task.gap, cells * sizeof(Lane));
    }
    [[gnu::always_inline]] inline void put_back(const PairSteps& task, std::size_t step) const {
        const auto active = active_lanes<V>(task, step);
        Lane *const h = static_cast<Lane*>(task.h), *const gap = static_cast<Lane*>(task.gap);
#pragma GCC unroll 1
        for (std::size_t at = 0; at < task.rows_per_lane * V::kLanes; at += V::kLanes) {
            V::store(h + at, V::select(active, V::load(h + at), V::load(h_ + at)));
            V::store(gap + at, V::select(active, V::load(gap + at), V::load(gap_ + at)));
        }
    }

   private:
    alignas(64) Lane h_[kMostLaneRows * V::kLanes];
    alignas(64) Lane gap_[kMostLaneRows * V::kLanes];
};

/// The numbers that the kernel with raised rows keeps for each row, raised like the row: zero, and
/// the thresholds of the lanes.
template <class V, bool kRaised>
struct RaisedRows {};

template <class V>
struct RaisedRows<V, true> {
    using Lane = typename V::Lane;
    using Vector = typename V::Vector;
    alignas(64) Lane zeros[kMostLaneRows * V::kLanes];
    alignas(64) Lane limits[kMostLaneRows * V::kLanes];
    alignas(64) Lane threshold[V::kLanes];  // not raised

    [[gnu::always_inline]] inline Lane rise_of(const PairSteps& task, std::size_t r) const {
        return static_cast<Lane>(r * static_cast<std::size_t>(task.gap_extend));
    }
    [[gnu::always_inline]] inline void begin(const PairSteps& task) {
        for (std::size_t r = 0; r < task.rows_per_lane; ++r) {
            const Vector rise = V::set(rise_of(task, r));
            Lane *const h = static_cast<Lane*>(task.h) + r * V::kLanes, *const gap = static_cast<Lane*>(task.gap) +
                                                                                     r * V::kLanes;
            V::store(h, V::wrapping_add(V::load(h), rise));
            V::store(gap, V::wrapping_add(V::load(gap), rise));
            V::store(zeros + r * V::kLanes, V::set(static_cast<Lane>(task.zero + rise_of(task, r))));
        }
        V::store(threshold, V::load(static_cast<const Lane*>(task.threshold)));
        set_limits(task);
    }
    [[gnu::always_inline]] inline void end(const PairSteps& task) {
        for (std::size_t r = 0; r < task.rows_per_lane; ++r) {
            const Vector rise = V::set(rise_of(task, r));
            Lane *const h = static_cast<Lane*>(task.h) + r * V::kLanes, *const gap = static_cast<Lane*>(task.gap) +
                                                                                     r * V::kLanes;
            V::store(h, V::wrapping_subtract(V::load(h), rise));
            V::store(gap, V::wrapping_subtract(V::load(gap), rise));
        }
        V::store(static_cast<Lane*>(task.threshold), V::load(threshold));
    }
    /// Sets the limits of all rows. Rows that do not exist have no limit.
    [[gnu::always_inline]] inline void set_limits(const PairSteps& task) {
        const Vector none = V::set(V::kHighest), top = LaneMasks<V>::from(task.top_lane),
                     above = LaneMasks<V>::from(task.top_lane + 1);
        const Vector level = V::load(threshold);
        for (std::size_t r = 0; r < task.rows_per_lane; ++r) {
            const Vector limit = V::add(level, V::set(rise_of(task, r)));
            V::store(limits + r * V::kLanes, V::select(r < task.padding ? top : above, none, limit));
        }
    }
    /// Takes the maximum of each lane in the finished step, and sets the thresholds by them. All
    /// lanes get the same threshold if they are in one block.
    [[gnu::noinline]] Vector take_maxima(const PairSteps& task, std::size_t step, Vector best, bool one_block) {
        const Vector zero = V::set(static_cast<Lane>(task.zero)), top = LaneMasks<V>::from(task.top_lane),
                     active = active_lanes<V>(task, step);
        for (std::size_t r = 0; r < task.rows_per_lane; ++r) {
            Vector h = V::wrapping_subtract(V::load(static_cast<const Lane*>(task.h) + r * V::kLanes),
                                            V::set(rise_of(task, r)));
            h = V::select(active, h, zero);
            if (r < task.padding) h = V::select(top, zero, h);
            best = V::max(best, h);
        }
        const Vector there = V::select(LaneMasks<V>::from(task.top_lane + 1), zero, best);
        Vector level = V::max(V::load(threshold), there);
        if (one_block) level = V::max(level, V::set(V::greatest(there)));
        V::store(threshold, level);
        set_limits(task);
        return best;
    }
    [[gnu::always_inline]] inline void begin_block(const PairSteps& task, std::size_t lane) {
        threshold[lane] = static_cast<Lane>(task.zero);
        for (std::size_t r = lane == task.top_lane ? task.padding : 0; r < task.rows_per_lane; ++r)
            limits[r * V::kLanes + lane] = static_cast<Lane>(task.zero + rise_of(task, r));
    }
};

template <class V, bool kRaised>
WARPSEQ_SIMD void cross_checkpoints(const PairSteps& task, std::size_t step, std::size_t& next,
                                    typename V::Vector* best, RaisedRows<V, kRaised>& raised) {
    using Lane = typename V::Lane;
    while (next < task.crossing_count && step > task.crossings[next].step + task.top_lane) ++next;
    for (std::size_t k = next; k < task.crossing_count && task.crossings[k].step <= step; ++k) {
        const PairCrossing& crossing = task.crossings[k];
        const std::size_t lane = task.top_lane - (step - crossing.step);
        const Lane *h = static_cast<const Lane*>(task.h) + lane, *gap = static_cast<const Lane*>(task.gap) + lane;
        Lane* const h_out = static_cast<Lane*>(crossing.h) + lane * task.rows_per_lane;
        Lane* const gap_out = static_cast<Lane*>(crossing.gap) + lane * task.rows_per_lane;
        for (std::size_t r = 0; r < task.rows_per_lane; ++r) {
            Lane rise = 0;
            if constexpr (kRaised) rise = raised.rise_of(task, r);
            h_out[r] = static_cast<Lane>(h[r * V::kLanes] - rise);
            gap_out[r] = static_cast<Lane>(gap[r * V::kLanes] - rise);
        }
        if (best != nullptr) {
            alignas(64) Lane lanes[V::kLanes];
            V::store(lanes, *best);
            static_cast<Lane*>(crossing.best)[lane] = lanes[lane];
            lanes[lane] = static_cast<Lane>(task.zero);
            *best = V::load(lanes);
            if constexpr (kRaised) raised.begin_block(task, lane);
        }
    }
}

template <class V>
struct ExcessOf {
    struct Type {};
};
template <class V>
requires requires { typename V::Excess; }
struct ExcessOf<V> {
    using Type = typename V::Excess;
};

/// The values that pass downwards from row to row within a step.
template <class V>
struct PairColumn {
    typename V::Vector h, gap, diagonal, best;
    typename ExcessOf<V>::Type excess;
};

/// The values that all rows share. They include copies of addresses in the task. The compiler would
/// have to load these again after each store of bytes, which could change the task as far as it
/// knows.
template <class Set, class V>
struct PairConstants {
    typename V::Lane *h, *gap;
    const std::uint8_t* row_letters;
    std::uint8_t* directions;                // of the step
    const typename V::Lane *zeros, *limits;  // of raised rows
    typename V::Vector open, extend, first, zero, bias, from_top;
    typename Set::U8::Vector table, letters;
};

/// Computes row r of every lane. With kLookUp scores come from the table, else from `scores`.
template <class Set, std::size_t lane_bytes, PairKernel kKernel, bool kLookUp>
WARPSEQ_SIMD void pair_row(const std::uint8_t* scores, std::size_t r,
                           const PairConstants<Set, PairLanes<Set, lane_bytes>>& constants,
                           PairColumn<PairLanes<Set, lane_bytes>>& column) {
    using V = PairLanes<Set, lane_bytes>;
    using V8 = typename Set::U8;
    using Lane = typename V::Lane;
    using Vector = typename V::Vector;
    constexpr bool kBytes = lane_bytes == 1, kAbsolute = kKernel != PairKernel::kDifferences;
    Lane* const h_row = constants.h + r * V::kLanes;
    Lane* const e_row = constants.gap + r * V::kLanes;
    Vector score;
    if constexpr (kLookUp) {
        score = V8::lookup(constants.table,
                           V8::wrapping_add(V8::load(constants.row_letters + r * V8::kLanes), constants.letters));
    } else {
        score = V::load_widened(reinterpret_cast<const std::int8_t*>(scores) + r * V8::kLanes);
        if constexpr (!kBytes && kKernel != PairKernel::kDirections) score = V::wrapping_add(score, constants.bias);
    }
    const Vector h_left = V::load(h_row), e_left = V::load(e_row);
    Vector h, e;
    if constexpr (kAbsolute) {
        const Vector match = V::wrapping_add(column.diagonal, score), f = column.gap;
        if constexpr (kRaisedRows<kKernel, lane_bytes>) {
            // f comes last, because rows wait for it.
            h = V::max(V::max(V::max(match, e_left), V::load(constants.zeros + r * V::kLanes)), f);
            column.diagonal = h_left;
            const Vector opened = V::wrapping_subtract(h, constants.open);
            e = V::wrapping_subtract(V::max(e_left, opened), constants.extend);
            column.gap = V::max(f, opened);
            column.excess = V::with_excess(column.excess, h, V::load(constants.limits + r * V::kLanes));
        } else {
            h = V::max(V::max(V::max(match, e_left), constants.zero), f);
            column.diagonal = h_left;
            const Vector opened = V::wrapping_subtract(h, constants.first);
            e = V::max(V::wrapping_subtract(e_left, constants.extend), opened);
            column.gap = V::max(V::wrapping_subtract(f, constants.extend), opened);
            if constexpr (kKernel == PairKernel::kDirections) {
                Vector bits = V::bit_where_equal(h, constants.zero, V::set(PairDirections::kZero));
                bits = V::bit_or(bits, V::bit_where_equal(h, match, V::set(PairDirections::kDiagonal)));
                bits = V::bit_or(bits, V::bit_where_equal(h, f, V::set(PairDirections::kIsF)));
                bits = V::bit_or(bits, V::bit_where_equal(column.gap, opened, V::set(PairDirections::kOpensF)));
                bits = V::bit_or(bits, V::bit_where_equal(e, opened, V::set(PairDirections::kOpensE)));
                V::store_bytes(constants.directions + r * V::kLanes, bits);
            }
            if constexpr (kKernel == PairKernel::kAbsolute) column.best = V::max(column.best, h);
        }
    } else {
        const Vector a = V::wrapping_add(e_left, h_left), b = V::wrapping_add(column.gap, column.h);
        const Vector z = V::max(V::max(score, a), b);
        h = V::wrapping_subtract(z, column.h);
        column.h = V::wrapping_subtract(z, h_left);
        const Vector less = V::wrapping_subtract(z, constants.open);
        if constexpr (kBytes) {
            e = V::subtract(a, less);
            column.gap = V::subtract(b, less);
        } else {
            e = V::max(V::wrapping_subtract(a, less), constants.zero);
            column.gap = V::max(V::wrapping_subtract(b, less), constants.zero);
        }
    }
    if constexpr (kAbsolute) column.h = h;
    V::store(h_row, h);
    V::store(e_row, e);
}

template <class Set, std::size_t lane_bytes, PairKernel kKernel, bool kLookUp>
void pair_steps(const PairSteps& task) {
    using V = PairLanes<Set, lane_bytes>;
    using V8 = typename Set::U8;
    using Lane = typename V::Lane;
    using Vector = typename V::Vector;
    constexpr bool kAbsolute = kKernel != PairKernel::kDifferences, kRaised = kRaisedRows<kKernel, lane_bytes>,
                   kMaximaByRow = kKernel == PairKernel::kAbsolute && !kRaised;
    const std::size_t rows = task.rows_per_lane;
    Lane* const carry = static_cast<Lane*>(task.carry);
    PairConstants<Set, V> constants;
    constants.h = static_cast<Lane*>(task.h);
    constants.gap = static_cast<Lane*>(task.gap);
    constants.row_letters = task.row_letters;
    constants.open = V::set(static_cast<Lane>(task.gap_open));
    constants.extend = V::set(static_cast<Lane>(task.gap_extend));
    constants.first = V::set(static_cast<Lane>(task.gap_open + task.gap_extend));
    constants.zero = V::set(static_cast<Lane>(task.zero));
    constants.bias = V::set(static_cast<Lane>(task.score_bias));
    constants.from_top = LaneMasks<V>::from(task.top_lane);
    constants.letters = constants.table = V8::set(0);
    if constexpr (kLookUp) constants.table = V8::load_table(task.table);
    StepScores<Set, kKernel == PairKernel::kDirections ? WordsCode::kDirections
                    : lane_bytes == 1                  ? WordsCode::kLoop
                                                       : WordsCode::kFunction>
        scores;
    if constexpr (!kLookUp) scores.begin(task);
    // H and F of the lanes' last rows in the step before, and H in the step before that one. All
    // are rotated, so that they stand in the lane that takes them.
    Vector h_above = V::load(carry), gap_above = V::load(carry + V::kLanes), h_before = V::load(carry + 2 * V::kLanes);
    PairColumn<V> column;
    column.best = V::load(static_cast<const Lane*>(task.best));
    std::size_t next_crossing = 0;
    RaisedRows<V, kRaised> raised;
    Lane corner_rise = 0, above_rise = 0, below_h_rise = 0, below_gap_rise = 0;
    Vector gap_fall = constants.zero;  // from the last row of a lane to the first one of the next
    if constexpr (kRaised) {
        raised.begin(task);
        constants.zeros = raised.zeros;
        constants.limits = raised.limits;
        const auto extend = static_cast<std::size_t>(task.gap_extend);
        corner_rise = static_cast<Lane>((task.padding - 1) * extend);
        above_rise = static_cast<Lane>(task.padding * extend);
        below_h_rise = static_cast<Lane>((rows - 1) * extend);
        below_gap_rise = static_cast<Lane>(rows * extend);
        gap_fall = V::set(static_cast<Lane>(rows * extend));
        h_above = V::wrapping_add(h_above, V::set(below_h_rise));
        gap_above = V::wrapping_add(gap_above, gap_fall);
        h_before = V::wrapping_subtract(h_before, constants.extend);
    }

    LeftColumn<V> left_column;
    if (task.begin < task.top_lane) left_column.keep(task);
    for (std::size_t step = task.begin; step < task.end; ++step) {
        const std::size_t at = step - task.begin;
        if constexpr (kLookUp) {
            constants.letters = V8::load_unaligned(task.letters + step);
        } else {
            scores.fill(task, step);
        }
        if constexpr (kKernel == PairKernel::kDirections)
            constants.directions = task.directions + step * rows * V::kLanes;
        column.diagonal = h_before;
        column.h = h_before = V::rotate_down(h_above);
        column.gap = V::rotate_down(gap_above);
        if constexpr (kRaised) {
            h_before = V::wrapping_subtract(h_before, gap_fall);
            column.gap = V::wrapping_subtract(column.gap, gap_fall);
            column.excess = V::no_excess();
        }
        // The padding rows of the top lane come first, and their maxima do not count. Then the
        // values that enter the top lane from above are set, and the other rows follow.
        const Vector best_before = column.best;
        std::size_t r = 0;
#pragma GCC unroll 1
        for (; r < task.padding; ++r)
            pair_row<Set, lane_bytes, kKernel, kLookUp>(scores.scores(), r, constants, column);
        column.gap =
            V::select(constants.from_top,
                      V::set(static_cast<Lane>(static_cast<const Lane*>(task.above_gap)[at] + above_rise)), column.gap);
        if constexpr (kAbsolute) {
            column.diagonal = V::select(
                constants.from_top,
                V::set(static_cast<Lane>(static_cast<const Lane*>(task.corner_h)[at] + corner_rise)), column.diagonal);
        } else {
            column.h = V::select(constants.from_top, V::set(static_cast<const Lane*>(task.above_h)[at]), column.h);
        }
        if constexpr (kMaximaByRow) column.best = V::select(constants.from_top, best_before, column.best);
#pragma GCC unroll 2
        for (; r < rows; ++r) pair_row<Set, lane_bytes, kKernel, kLookUp>(scores.scores(), r, constants, column);
        h_above = column.h;
        gap_above = column.gap;
        if (step < task.top_lane) [[unlikely]] {
            left_column.put_back(task, step);
            if constexpr (kAbsolute) h_above = V::load(constants.h + (rows - 1) * V::kLanes);
            if constexpr (kMaximaByRow) column.best = V::select(active_lanes<V>(task, step), column.best, best_before);
        }
        static_cast<Lane*>(task.below_h)[at] = static_cast<Lane>(V::first(h_above) - below_h_rise);
        static_cast<Lane*>(task.below_gap)[at] = static_cast<Lane>(V::first(gap_above) - below_gap_rise);
        if constexpr (kRaised) {
            if (V::any_excess(column.excess)) [[unlikely]] {
                const bool crossing = next_crossing < task.crossing_count && step > task.crossings[next_crossing].step;
                column.best = raised.take_maxima(task, step, column.best, !crossing);
            }
        }
        if (next_crossing < task.crossing_count && step >= task.crossings[next_crossing].step)
            cross_checkpoints<V, kRaised>(task, step, next_crossing, kAbsolute ? &column.best : nullptr, raised);
    }
    if constexpr (kRaised) {
        raised.end(task);
        h_above = V::wrapping_subtract(h_above, V::set(below_h_rise));
        gap_above = V::wrapping_subtract(gap_above, gap_fall);
        h_before = V::wrapping_add(h_before, constants.extend);
    }
    V::store(carry, h_above);
    V::store(carry + V::kLanes, gap_above);
    V::store(carry + 2 * V::kLanes, h_before);
    V::store(static_cast<Lane*>(task.best), column.best);
}

template <class Set, std::size_t lane_bytes, PairKernel kKernel>
void run_pair_steps(const PairSteps& task) {
    if constexpr (lane_bytes == 1 && Set::U8::kTableEntries > 0) {
        if (task.word_bytes == 0) return pair_steps<Set, lane_bytes, kKernel, true>(task);
    }
    pair_steps<Set, lane_bytes, kKernel, false>(task);
}

/// Sweeps a tall strip (Farrar, Bioinformatics 23:156, 2007). All lanes are in the same column, so
/// scores are loaded from a profile without further operations. F that leaves a lane enters the
/// lane below when the column is done. Further passes carry it down until it matters in no lane. It
/// does not matter if it is not above what h opens. It does not matter either if it is so low that
/// it would leave the lane's last row below what any h >= 0 opens there. Passes are few, because F
/// rarely goes far in unrelated sequences and a lane has many rows. E is corrected as well, so all
/// checkpoints are exact.
template <class Set>
void pair_columns(PairColumns& task) {
    using V = typename Set::U8;
    using Lane = typename V::Lane;
    using Vector = typename V::Vector;
    constexpr std::size_t kLanes = V::kLanes;
    constexpr bool kMask = sizeof(typename V::Excess) < sizeof(Vector);
    const std::size_t rows = task.rows_per_lane;
    Lane *const h_column = task.h, *const e_column = task.gap;
    const int open_cost = task.gap_open, extend_cost = task.gap_extend, first_cost = open_cost + extend_cost;
    const int zero_level = task.zero;
    const Vector open = V::set(static_cast<Lane>(open_cost)), extend = V::set(static_cast<Lane>(extend_cost)),
                 first = V::set(static_cast<Lane>(first_cost)), zero = V::set(static_cast<Lane>(zero_level)),
                 none = V::set(static_cast<Lane>(zero_level - first_cost)), top = LaneMasks<V>::from(kLanes - 1);
    Lane best = task.best;
    Vector limit = V::set(best);
    for (std::size_t column = 0; column < task.count; ++column) {
        const std::uint8_t* const scores = task.profiles[task.target[column]];
        // Notes whether any value is above the limit. On instruction sets where an Excess is a
        // mask, this takes no maximum. On the others a maximum is cheaper.
        auto excess = V::no_excess();
        Vector highest = limit;
        const auto note = [&](const Vector& h) __attribute__((always_inline)) {
            if constexpr (kMask) {
                excess = V::with_excess(excess, h, limit);
            } else {
                highest = V::max(highest, h);
            }
        };
        Vector f = none, diagonal = V::select(top, zero, V::rotate_down(V::load(h_column + (rows - 1) * kLanes)));
        const auto sweep_rows = [&](std::size_t from, std::size_t to) __attribute__((always_inline)) {
#pragma GCC unroll 4
            for (std::size_t at = from * kLanes; at < to * kLanes; at += kLanes) {
                const Vector e_left = V::load(e_column + at);
                const Vector match = V::wrapping_add(diagonal, V::load(scores + at));
                diagonal = V::load(h_column + at);
                const Vector h = V::max(V::max(V::max(match, e_left), zero), f);
                const Vector opened = V::wrapping_subtract(h, first);
                V::store(h_column + at, h);
                V::store(e_column + at, V::max(V::wrapping_subtract(e_left, extend), opened));
                f = V::max(V::wrapping_subtract(f, extend), opened);
                note(h);
            }
        };
        sweep_rows(0, task.padding);
        diagonal = V::select(top, V::set(task.corner_h[column]), diagonal);
        f = V::select(top, V::set(task.above_gap[column]), f);
        sweep_rows(task.padding, rows);

        Lane below = V::first(f);
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            f = V::select(top, none, V::rotate_down(f));
            std::size_t r = 0;
            for (int spent = static_cast<int>(rows) * extend_cost; r < rows; ++r, spent -= extend_cost) {
                const Vector least = V::set(static_cast<Lane>(zero_level - std::max(0, first_cost - spent)));
                Lane *const h_row = h_column + r * kLanes, *const e_row = e_column + r * kLanes;
                const Vector h_before = V::load(h_row), bound = V::max(V::wrapping_subtract(h_before, open), least);
                if (!V::any_excess(V::with_excess(V::no_excess(), f, bound))) break;
                const Vector h = V::max(h_before, f);
                V::store(h_row, h);
                V::store(e_row, V::max(V::load(e_row), V::wrapping_subtract(h, first)));
                note(h);
                f = V::subtract(f, extend);
            }
            if (r < rows) break;
            below = std::max(below, V::first(f));
        }
        task.below_h[column] = h_column[(rows - 1) * kLanes];
        task.below_gap[column] = below;
        if constexpr (!kMask) excess = V::with_excess(excess, highest, limit);
        if (V::any_excess(excess)) [[unlikely]] {
            for (std::size_t at = 0; at < rows * kLanes; at += kLanes)
                highest = V::max(highest, V::load(h_column + at));
            best = V::greatest(highest);
            limit = V::set(best);
        }
    }
    task.best = best;
}

template <class Set>
void fill_pair_scores(const std::uint8_t* codes, std::size_t count, const std::uint8_t* letter_scores,
                      std::uint8_t* scores) {
    using I8 = typename Set::I8;
    const auto table = I8::load_table(reinterpret_cast<const std::int8_t*>(letter_scores));
    for (std::size_t i = 0; i < count; i += I8::kLanes)
        I8::store(reinterpret_cast<std::int8_t*>(scores + i),
                  I8::lookup(table, I8::load(reinterpret_cast<const std::int8_t*>(codes + i))));
}

template <class Set>
constexpr PairSweepTable pair_sweep_table(CpuBackend backend) {
    return {backend,
            Set::U8::kLanes,
            Set::U8::kTableEntries,
            run_pair_steps<Set, 1, PairKernel::kDifferences>,
            run_pair_steps<Set, 2, PairKernel::kDifferences>,
            run_pair_steps<Set, 1, PairKernel::kAbsolute>,
            run_pair_steps<Set, 2, PairKernel::kAbsolute>,
            run_pair_steps<Set, 4, PairKernel::kAbsolute>,
            run_pair_steps<Set, 2, PairKernel::kDirections>,
            run_pair_steps<Set, 4, PairKernel::kDirections>,
            pair_columns<Set>,
            fill_pair_scores<Set>};
}

}  // namespace warpseq::simd

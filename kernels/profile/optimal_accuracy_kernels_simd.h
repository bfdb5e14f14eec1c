// The vector kernel for decoding and optimal accuracy over groups of targets. This file is included
// only inside a target region. Recurrences and their order of operations are those of
// kernels/profile/optimal_accuracy_reference.cpp, with one difference:
//
// - Optimal accuracy consists of maxima, and of ands with the bits of possible transitions, which
//   distribute over maxima. So the passes over delete paths are regrouped. Chains within a segment
//   are computed while the row is filled. One more pass adds all values that enter from lower
//   segments. The traceback needs no values. It needs only the choices and the state from which E
//   is entered.
#pragma once

#include "kernels/profile/target_group_kernels_simd.h"

namespace warpseq::simd {

template <typename F, std::size_t V>
struct OptimalAccuracyKernels : TargetGroupKernels<F, V> {
    using Base = TargetGroupKernels<F, V>;
    using Base::delete_delete;
    using Base::kFloats;
    using Base::kRowsBetweenLooks;
    using Base::kTargets;
    using Base::special_of;
    using Base::transition;
    using Base::zero;
    using typename Base::LengthModels;
    using typename Base::Pack;
    using typename Base::Profile;
    using typename Base::Vector;

    struct AccuracyRow {
        const float *probabilities, *last;
        float *row, *sums;
        std::uint16_t* choices;
        Pack b, total;
    };

    WARPSEQ_SIMD void store_choice(std::uint16_t* choices, std::size_t choice, const Pack& a, const Pack& b) {
#pragma GCC unroll 4
        for (std::size_t v = 0; v < V; ++v) {
            choices[choice * V + v] = static_cast<std::uint16_t>(F::not_less_mask(a.v[v], b.v[v]));
        }
    }

    /// Returns all bits set in lanes where the transition is possible, and none in others.
    WARPSEQ_SIMD Vector possible(const Profile& profile, std::size_t q, std::size_t kind) {
        return F::greater(transition(profile, q, kind), zero());
    }
    WARPSEQ_SIMD Vector possible_delete(const Profile& profile, std::size_t q) {
        return F::greater(delete_delete(profile, q), zero());
    }
    /// Returns the values, or minus infinity where a transition is not possible. Comparisons of
    /// paths use this. For values themselves an and with the bits gives 0 instead.
    WARPSEQ_SIMD Pack or_never(const Pack& values, Vector bits) {
        const Vector never = F::select(bits, zero(), F::set(-__builtin_inff()));
        return bit_or(bit_and(values, bits), never);
    }

    struct AccuracyStripe {
        Pack match, del, insert;  // of the previous row, node k - 1
        Pack chain;               // D(i, k) within its segment
        Pack from_match;          // M(i, k) -> D(i, k + 1)
        Pack e;
    };

    template <bool all_possible, bool sums>
    WARPSEQ_SIMD void accuracy_stripe(const Profile& profile, const AccuracyRow& row, std::size_t q,
                                      AccuracyStripe& s) {
        std::uint16_t* choices = row.choices + q * kAccuracyChoices * V;
        const float* p = row.probabilities + 2 * kFloats * q;
        const float* last = row.last + 3 * kFloats * q;
        float* current = row.row + 3 * kFloats * q;
        Pack best;
        if constexpr (all_possible) {
            best = max(max(row.b, s.match), max(s.insert, s.del));
            store_choice(choices, kMatchFromMatch, s.match, best);
            store_choice(choices, kMatchFromInsert, s.insert, best);
            store_choice(choices, kMatchFromDelete, s.del, best);
        } else {
            const Vector enter = possible(profile, q, Profile::kEnter),
                         match_match = possible(profile, q, Profile::kMatchMatch),
                         insert_match = possible(profile, q, Profile::kInsertMatch),
                         delete_match = possible(profile, q, Profile::kDeleteMatch);
            const Pack match = or_never(s.match, match_match), insert = or_never(s.insert, insert_match),
                       del = or_never(s.del, delete_match);
            best = max(max(or_never(row.b, enter), match), max(insert, del));
            store_choice(choices, kMatchFromMatch, match, best);
            store_choice(choices, kMatchFromInsert, insert, best);
            store_choice(choices, kMatchFromDelete, del, best);
            best = max(max(bit_and(row.b, enter), bit_and(s.match, match_match)),
                       max(bit_and(s.insert, insert_match), bit_and(s.del, delete_match)));
        }
        const Pack match_probability = multiply(Pack::load(p), row.total);
        const Pack insert_probability = multiply(Pack::load(p + kFloats), row.total);
        if constexpr (sums) {
            float* sum = row.sums + 2 * kFloats * q;
            store(sum, add(Pack::load(sum), match_probability));
            store(sum + kFloats, add(Pack::load(sum + kFloats), insert_probability));
        }
        const Pack now = add(best, match_probability);
        s.e = max(s.e, now);
        s.match = Pack::load(last);
        s.del = Pack::load(last + kFloats);
        s.insert = Pack::load(last + 2 * kFloats);
        store(current, now);
        store(current + kFloats, s.chain);
        if constexpr (all_possible) {
            s.from_match = now;
            s.chain = max(now, s.chain);
            store_choice(choices, kInsertFromMatch, s.match, s.insert);
            best = max(s.match, s.insert);
        } else {
            s.from_match = bit_and(now, possible(profile, q, Profile::kMatchDelete));
            s.chain = max(s.from_match, bit_and(s.chain, possible_delete(profile, q)));
            const Vector match_insert = possible(profile, q, Profile::kMatchInsert),
                         insert_insert = possible(profile, q, Profile::kInsertInsert);
            store_choice(choices, kInsertFromMatch, or_never(s.match, match_insert), or_never(s.insert, insert_insert));
            best = max(bit_and(s.match, match_insert), bit_and(s.insert, insert_insert));
        }
        store(current + 2 * kFloats, add(best, insert_probability));
    }

    /// Fills a row and returns the greatest M or D of each lane. `delete_through` has bits set
    /// where a whole segment can be deleted.
    template <bool sums>
    WARPSEQ_SIMD Pack accuracy_row(const Profile& profile, const AccuracyRow& row, Vector delete_through) {
        const std::size_t stripes = profile.stripes;
        const Vector never = F::set(-__builtin_inff());
        const float* last = row.last + 3 * kFloats * (stripes - 1);
        AccuracyStripe s{shift_up(Pack::load(last), never),
                         shift_up(Pack::load(last + kFloats), never),
                         shift_up(Pack::load(last + 2 * kFloats), never),
                         Pack::all(never),
                         Pack::all(never),
                         Pack::all(never)};
        Pack chain_to_last = Pack::all(never);
        for (std::size_t q = 0; q < stripes; ++q) {
            chain_to_last = s.chain;
            if (profile.possible[q]) {
                accuracy_stripe<true, sums>(profile, row, q, s);
            } else {
                accuracy_stripe<false, sums>(profile, row, q, s);
            }
        }
        // The values that enter a segment come from the match state before it, or pass through the
        // lower segments.
        const Pack from_match = shift_up(s.from_match, never);
        Pack leaving =
            max(bit_and(chain_to_last, possible_delete(profile, stripes - 1)), bit_and(from_match, delete_through));
        Pack entering = from_match;
        for (int pass = 1; pass < 4; ++pass) {
            const Pack carried = shift_up(leaving, never);
            entering = max(entering, carried);
            leaving = bit_and(carried, delete_through);
        }
        for (std::size_t q = 0; q < stripes; ++q) {
            std::uint16_t* choices = row.choices + q * kAccuracyChoices * V;
            float* current = row.row + 3 * kFloats * q;
            const Pack del = max(entering, Pack::load(current + kFloats)), match = Pack::load(current);
            store(current + kFloats, del);
            s.e = max(s.e, del);
            if (profile.possible[q]) {
                store_choice(choices, kDeleteFromMatch, match, del);
            } else {
                const Vector delete_delete = possible_delete(profile, q);
                store_choice(choices, kDeleteFromMatch, or_never(match, possible(profile, q, Profile::kMatchDelete)),
                             or_never(del, delete_delete));
                entering = bit_and(entering, delete_delete);
            }
        }
        return s.e;
    }

    static void accuracy(const Profile& profile, const AccuracyGroup& group) {
        const std::size_t stripes = profile.stripes;
        const LengthModels length = LengthModels::of(group);
        const Vector never = F::set(-__builtin_inff());
        Vector delete_through = possible_delete(profile, 0);
        for (std::size_t q = 0; q < stripes; ++q)
            delete_through = F::bit_and(delete_through, possible_delete(profile, q));
        for (std::size_t q = 0; q < 3 * stripes; ++q) store(group.row + kFloats * q, Pack::all(never));
        if (group.sums) {
            for (std::size_t q = 0; q < 2 * stripes; ++q) store(group.sums + kFloats * q, Pack::all(zero()));
        }
        const Pack own_scales = greater(Pack::load_each(group.own_scales), Pack::all(zero())),
                   one = Pack::all(F::set(1.0f));

        Pack e = Pack::all(never), n = Pack::all(zero()), j = Pack::all(never), b = Pack::all(zero()),
             c = Pack::all(never);
        Pack n_sum = Pack::all(zero()), c_sum = n_sum, j_sum = n_sum;
        Pack scale = divide(one, special_of(group.backward, 0, GroupSpecial::kN));
        store_accuracy(group.accuracy, e, n, j, b, c, n_sum, n_sum, n_sum);
        bool beats[kTargets];  // whether E of the previous row is better than staying in C
        for (std::size_t t = 0; t < kTargets; ++t) {
            beats[t] = false;
            group.first_end[t] = group.last_end[t] = 0;
        }
        AccuracyRow row{nullptr, nullptr, group.row, group.sums, nullptr, b, scale};
        for (std::size_t i = 1; i <= group.rows; ++i) {
            if (i % kRowsBetweenLooks == 0 && group.stop->stop_requested()) return;
            const Pack forward_scale = special_of(group.forward, i, GroupSpecial::kScale);
            row.probabilities = group.match_insert + i * group.match_insert_stride;
            row.choices = group.choices + i * group.choices_stride;
            row.last = group.row + (i + 1) % 2 * 3 * kFloats * stripes;
            row.row = group.row + i % 2 * 3 * kFloats * stripes;
            row.b = b;
            row.total = multiply(scale, forward_scale);
            e = group.sums ? accuracy_row<true>(profile, row, delete_through)
                           : accuracy_row<false>(profile, row, delete_through);
            e = max_across(e);
            const Pack p_n = multiply(multiply(multiply(special_of(group.forward, i - 1, GroupSpecial::kN),
                                                        special_of(group.backward, i, GroupSpecial::kN)),
                                               length.loop),
                                      scale);
            const Pack p_j = multiply(multiply(multiply(special_of(group.forward, i - 1, GroupSpecial::kJ),
                                                        special_of(group.backward, i, GroupSpecial::kJ)),
                                               length.loop),
                                      scale);
            const Pack p_c = multiply(multiply(multiply(special_of(group.forward, i - 1, GroupSpecial::kC),
                                                        special_of(group.backward, i, GroupSpecial::kC)),
                                               length.loop),
                                      scale);
            n_sum = add(n_sum, p_n);
            c_sum = add(c_sum, p_c);
            j_sum = add(j_sum, p_j);
            const Pack loop = greater(length.loop, Pack::all(zero())), move = greater(length.move, Pack::all(zero()));
            const Pack c_stays = bit_and(add(c, p_c), loop);
            j = max(bit_and(add(j, p_j), loop), bit_and(e, greater(length.end_loop, Pack::all(zero()))));
            c = max(c_stays, bit_and(e, greater(length.end_move, Pack::all(zero()))));
            n = bit_and(add(n, p_n), loop);
            b = max(bit_and(n, move), bit_and(j, move));
            float* special = group.accuracy + i * GroupAccuracySpecial::kKinds * kTargets;
            store_accuracy(special, e, n, j, b, c, p_j, p_c, row.total);
            if (any_bit(own_scales)) {
                const Pack backward_scale = special_of(group.backward, i, GroupSpecial::kScale);
                scale = multiply(scale, select(own_scales, divide(forward_scale, backward_scale), one));
            }

            float stays[kTargets];
            store_firsts(stays, c_stays);
            for (std::size_t t = 0; t < kTargets; ++t) {
                const float* ends = special + GroupAccuracySpecial::kE * kTargets;
                const float* last_ends = ends - GroupAccuracySpecial::kKinds * kTargets;
                const bool now_beats = !(stays[t] > ends[t]);
                const std::size_t offset = 4 * t;
                if (i == 1) group.first_end[t] = find_end(row.row + offset, stripes, 3 * kFloats, kFloats, ends[t]);
                if (i > group.residues[t]) continue;
                if (beats[t] && !now_beats) {
                    group.last_end[t] = find_end(row.last + offset, stripes, 3 * kFloats, kFloats, last_ends[t]);
                }
                if (now_beats && i == group.residues[t]) {
                    group.last_end[t] = find_end(row.row + offset, stripes, 3 * kFloats, kFloats, ends[t]);
                }
                beats[t] = now_beats;
            }
        }
        store_firsts(group.scale, scale);
        store_firsts(group.other_sums, n_sum);
        store_firsts(group.other_sums + kMostGroupTargets, c_sum);
        store_firsts(group.other_sums + 2 * kMostGroupTargets, j_sum);
    }

    WARPSEQ_SIMD void store_accuracy(float* at, const Pack& e, const Pack& n, const Pack& j, const Pack& b,
                                     const Pack& c, const Pack& posterior_j, const Pack& posterior_c,
                                     const Pack& total) {
        store_firsts(at + GroupAccuracySpecial::kE * kTargets, e);
        store_firsts(at + GroupAccuracySpecial::kN * kTargets, n);
        store_firsts(at + GroupAccuracySpecial::kJ * kTargets, j);
        store_firsts(at + GroupAccuracySpecial::kB * kTargets, b);
        store_firsts(at + GroupAccuracySpecial::kC * kTargets, c);
        store_firsts(at + GroupAccuracySpecial::kPosteriorJ * kTargets, posterior_j);
        store_firsts(at + GroupAccuracySpecial::kPosteriorC * kTargets, posterior_c);
        store_firsts(at + GroupAccuracySpecial::kTotal * kTargets, total);
    }
};

}  // namespace warpseq::simd

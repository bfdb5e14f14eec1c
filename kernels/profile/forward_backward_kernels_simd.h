// The vector kernels for Forward and Backward over groups of targets, with one target per quad of
// four lanes. This file is included only inside a target region. Recurrences and their order of
// operations are those of kernels/profile/forward_backward_reference.cpp, with these differences:
//
// - V vectors are computed side by side. The chains along a row (delete paths, sums over nodes) are
//   bound by the latency of one addition or multiplication. V chains hide each other's latency.
// - A rescaled row is stored without its scale, and multiplied by the reciprocal scale where it is
//   read. The factors and products are the same. Targets of the group that are not rescaled use a
//   scale of 1, which changes nothing.
// - Targets of a group end at different rows. After its end a target's Forward reads padding, whose
//   odds are 0. Backward starts at the last row of the longest target. It multiplies zeros down to
//   the row in which a target ends, where the target's C receives its first value.
// - Forward of long models: the reference ends the passes over delete paths of a target once a pass
//   has changed nothing. Here other targets of the group may need further passes. In these passes
//   the target's carry is 0, and x + 0 = x.
// - Backward: the passes over delete paths end early. Every D(i, .) is at least E(i), and a carry
//   only shrinks on its way, because transitions are at most 1. Once no carry is above 2^-26 E(i),
//   which is less than half a unit in the last place of any D, no further step changes anything.
#pragma once

#include "kernels/profile/null2_kernels_simd.h"
#include "kernels/profile/optimal_accuracy_kernels_simd.h"
#include "kernels/profile/target_group_kernels_simd.h"

namespace warpseq::simd {

template <typename F, std::size_t V>
struct ForwardBackwardKernels : TargetGroupKernels<F, V> {
    using Base = TargetGroupKernels<F, V>;
    using Base::delete_delete;
    using Base::kFloats;
    using Base::kRowsBetweenLooks;
    using Base::kTargets;
    using Base::special_of;
    using Base::transition;
    using Base::zero;
    using typename Base::LengthModels;
    using typename Base::Odds;
    using typename Base::Pack;
    using typename Base::Profile;
    using typename Base::Vector;

    /// Adds logarithms of the scales above 1 to the totals.
    static void add_logs(const float* scales, float* log_scale_total) {
        for (std::size_t t = 0; t < kTargets; ++t) {
            if (scales[t] > 1.0f) log_scale_total[t] = add_log_nats(log_scale_total[t], scales[t]);
        }
    }

    WARPSEQ_SIMD void store_special(float* at, const Pack& e, const Pack& n, const Pack& j, const Pack& b,
                                    const Pack& c, const Pack& scale) {
        store_firsts(at + GroupSpecial::kE * kTargets, e);
        store_firsts(at + GroupSpecial::kN * kTargets, n);
        store_firsts(at + GroupSpecial::kJ * kTargets, j);
        store_firsts(at + GroupSpecial::kB * kTargets, b);
        store_firsts(at + GroupSpecial::kC * kTargets, c);
        store_firsts(at + GroupSpecial::kScale * kTargets, scale);
    }

    // ---- Forward

    struct ForwardRow {
        const float *last_match_insert, *last_deletes;
        float *match_insert, *deletes;
        Pack b, unscale;  // of the previous row
    };

    template <bool scaled>
    WARPSEQ_SIMD Pack rescaled(const Pack& values, const Pack& factor) {
        if constexpr (scaled) {
            return multiply(values, factor);
        } else {
            return values;
        }
    }

    /// Fills a row and returns the sum of M and D in each lane. `scaled` tells whether the previous
    /// row was rescaled.
    template <bool scaled>
    WARPSEQ_SIMD Pack forward_row(const Profile& profile, const Odds& odds, const ForwardRow& row) {
        const std::size_t stripes = profile.stripes;
        const float* from = row.last_match_insert + 2 * kFloats * (stripes - 1);
        Pack match = shift_up(rescaled<scaled>(Pack::load(from), row.unscale), zero());
        Pack insert = shift_up(rescaled<scaled>(Pack::load(from + kFloats), row.unscale), zero());
        Pack del =
            shift_up(rescaled<scaled>(Pack::load(row.last_deletes + kFloats * (stripes - 1)), row.unscale), zero());
        Pack e = Pack::all(zero()), carry = Pack::all(zero());
        for (std::size_t q = 0; q < stripes; ++q) {
            Pack now = multiply(row.b, transition(profile, q, Profile::kEnter));
            now = add(now, multiply(match, transition(profile, q, Profile::kMatchMatch)));
            now = add(now, multiply(insert, transition(profile, q, Profile::kInsertMatch)));
            now = add(now, multiply(del, transition(profile, q, Profile::kDeleteMatch)));
            now = multiply(now, odds.stripe(q));
            e = add(e, now);
            const float* last = row.last_match_insert + 2 * kFloats * q;
            match = rescaled<scaled>(Pack::load(last), row.unscale);
            insert = rescaled<scaled>(Pack::load(last + kFloats), row.unscale);
            del = rescaled<scaled>(Pack::load(row.last_deletes + kFloats * q), row.unscale);
            float* current = row.match_insert + 2 * kFloats * q;
            store(current, now);
            store(row.deletes + kFloats * q, carry);
            carry = multiply(now, transition(profile, q, Profile::kMatchDelete));
            store(current + kFloats, add(multiply(match, transition(profile, q, Profile::kMatchInsert)),
                                         multiply(insert, transition(profile, q, Profile::kInsertInsert))));
        }

        carry = shift_up(carry, zero());
        for (std::size_t q = 0; q < stripes; ++q) {
            float* at = row.deletes + kFloats * q;
            const Pack sum = add(carry, Pack::load(at));
            store(at, sum);
            carry = multiply(sum, delete_delete(profile, q));
        }
        if (!profile.long_model) {
            for (int pass = 1; pass < 3; ++pass) {
                carry = shift_up(carry, zero());
                for (std::size_t q = 0; q < stripes; ++q) {
                    float* at = row.deletes + kFloats * q;
                    store(at, add(carry, Pack::load(at)));
                    carry = multiply(carry, delete_delete(profile, q));
                }
            }
            carry = shift_up(carry, zero());
            for (std::size_t q = 0; q < stripes; ++q) {
                float* at = row.deletes + kFloats * q;
                const Pack sum = add(carry, Pack::load(at));
                store(at, sum);
                e = add(sum, e);
                carry = multiply(carry, delete_delete(profile, q));
            }
            return e;
        }
        Pack with_deletes = e;
        for (int pass = 1; pass < 4; ++pass) {
            carry = shift_up(carry, zero());
            if (pass > 1 && !any_bit(carry)) break;  // see the list at the top
            Pack changes = Pack::all(zero());
            with_deletes = e;
            for (std::size_t q = 0; q < stripes; ++q) {
                float* at = row.deletes + kFloats * q;
                const Pack before = Pack::load(at);
                const Pack sum = add(carry, before);
                changes = differing(changes, sum, before);
                store(at, sum);
                with_deletes = add(sum, with_deletes);
                carry = multiply(carry, delete_delete(profile, q));
            }
            if (!any_bit(changes)) break;
            carry = bit_and(carry, where_any_bit(changes));
        }
        return with_deletes;
    }

    static void forward(const Profile& profile, const ForwardGroup& group) {
        const LengthModels length = LengthModels::of(group);
        const Pack one = Pack::all(F::set(1.0f)), rescale_above = Pack::all(F::set(kForwardRescaleAbove));
        Pack n = special_of(group.forward, 0, GroupSpecial::kN), j = special_of(group.forward, 0, GroupSpecial::kJ),
             b = special_of(group.forward, 0, GroupSpecial::kB), c = special_of(group.forward, 0, GroupSpecial::kC);
        const Pack first_scale = special_of(group.forward, 0, GroupSpecial::kScale);
        ForwardRow row{group.match_insert,      group.deletes, group.match_insert, group.deletes, b,
                       divide(one, first_scale)};
        bool scaled = any_bit(greater(first_scale, one));
        for (std::size_t i = 1; i <= group.rows; ++i) {
            if (i % kRowsBetweenLooks == 0 && group.stop->stop_requested()) return;
            row.last_match_insert = row.match_insert;
            row.last_deletes = row.deletes;
            row.match_insert += group.match_insert_stride;
            row.deletes += group.deletes_stride;
            row.b = b;
            const Odds odds = Odds::at(profile, group, i);
            Pack e = scaled ? forward_row<true>(profile, odds, row) : forward_row<false>(profile, odds, row);
            e = sum_across(e);
            n = multiply(n, length.loop);
            c = add(multiply(c, length.loop), multiply(e, length.end_move));
            j = add(multiply(j, length.loop), multiply(e, length.end_loop));
            b = add(multiply(j, length.move), multiply(n, length.move));
            float* special = group.forward + i * GroupSpecial::kKinds * kTargets;
            const Pack too_great = greater(e, rescale_above);
            scaled = any_bit(too_great);
            Pack scale = one;
            if (scaled) {
                scale = select(too_great, e, one);
                e = divide(e, scale);
                n = divide(n, scale);
                j = divide(j, scale);
                b = divide(b, scale);
                c = divide(c, scale);
                row.unscale = divide(one, scale);
            }
            store_special(special, e, n, j, b, c, scale);
            if (scaled) add_logs(special + GroupSpecial::kScale * kTargets, group.log_scale_total);
        }
    }

    // ---- Backward

    /// The values that complete the row below, i + 1. Its M(i + 1, k) still lack the ways to E and
    /// to D.
    struct BackwardRow {
        float* row;
        float* products;  // Forward's row i + 1, or nullptr
        Pack e, unscale;  // of row i + 1: E before rescaling, and the reciprocal of the scale
        Pack forward_unscale;
    };

    WARPSEQ_SIMD Pack completed_match(const Profile& profile, const BackwardRow& below, const Pack& match,
                                      const Pack& next_delete, std::size_t q) {
        const Pack sum = add(add(match, below.e), multiply(next_delete, transition(profile, q, Profile::kMatchDelete)));
        return multiply(sum, below.unscale);
    }

    /// Multiplies Forward's values by Backward's and stores the products in place of Forward's.
    WARPSEQ_SIMD void multiply_by(float* products, const Pack& forward_unscale, const Pack& match, const Pack& insert) {
        store(products, multiply(multiply(Pack::load(products), forward_unscale), match));
        store(products + kFloats, multiply(multiply(Pack::load(products + kFloats), forward_unscale), insert));
    }

    /// Completes row i + 1 and replaces it by the values that lead from row i to row i + 1. Returns
    /// the sums for B(i) in each lane.
    template <bool products>
    WARPSEQ_SIMD Pack backward_row(const Profile& profile, const Odds& odds, const BackwardRow& below) {
        const std::size_t stripes = profile.stripes;
        Pack next_delete = Pack::load(below.row + 3 * kFloats + kFloats);
        Pack match = completed_match(profile, below, Pack::load(below.row), next_delete, 0);
        Pack diagonal = shift_down(multiply(match, odds.stripe(0)));
        next_delete = shift_down(Pack::load(below.row + kFloats));
        Vector match_match = F::shift_down(transition(profile, 0, Profile::kMatchMatch));
        Vector insert_match = F::shift_down(transition(profile, 0, Profile::kInsertMatch));
        Vector delete_match = F::shift_down(transition(profile, 0, Profile::kDeleteMatch));
        Pack b = Pack::all(zero());
        for (std::size_t q = stripes; q-- > 0;) {
            float* at = below.row + 3 * kFloats * q;
            const Pack insert = multiply(Pack::load(at + 2 * kFloats), below.unscale);
            match = completed_match(profile, below, Pack::load(at), next_delete, q);
            next_delete = Pack::load(at + kFloats);
            if constexpr (products) multiply_by(below.products + 2 * kFloats * q, below.forward_unscale, match, insert);
            store(at, add(multiply(insert, transition(profile, q, Profile::kMatchInsert)),
                          multiply(diagonal, match_match)));
            store(at + kFloats, multiply(diagonal, delete_match));
            store(at + 2 * kFloats, add(multiply(insert, transition(profile, q, Profile::kInsertInsert)),
                                        multiply(diagonal, insert_match)));
            diagonal = multiply(match, odds.stripe(q));
            match_match = transition(profile, q, Profile::kMatchMatch);
            insert_match = transition(profile, q, Profile::kInsertMatch);
            delete_match = transition(profile, q, Profile::kDeleteMatch);
            b = add(b, multiply(diagonal, transition(profile, q, Profile::kEnter)));
        }
        return b;
    }

    /// Adds the ways to E and the ways along delete paths.
    WARPSEQ_SIMD void backward_deletes(const Profile& profile, float* row, const Pack& e) {
        const std::size_t stripes = profile.stripes;
        Pack next = shift_down(add(Pack::load(row + kFloats), e)), carry = Pack::all(zero());
        for (std::size_t q = stripes; q-- > 0;) {
            float* at = row + 3 * kFloats * q + kFloats;
            carry = multiply(next, delete_delete(profile, q));
            next = add(Pack::load(at), add(carry, e));
            store(at, next);
        }
        constexpr std::size_t kBlock = 8;  // stripes between two tests of whether anything can still change
        const Pack negligible = multiply(e, F::set(0x1p-26f));
        for (int pass = 1; pass < 4; ++pass) {
            carry = shift_down(carry);
            for (std::size_t end = stripes; end > 0;) {
                if (!any_bit(greater(carry, negligible))) return;
                const std::size_t begin = end > kBlock ? end - kBlock : 0;
                for (std::size_t q = end; q-- > begin;) {
                    float* at = row + 3 * kFloats * q + kFloats;
                    carry = multiply(carry, delete_delete(profile, q));
                    store(at, add(Pack::load(at), carry));
                }
                end = begin;
            }
        }
    }

    WARPSEQ_SIMD Pack carried(const BackwardGroup& group, std::size_t kind) {
        return Pack::load_each(group.carried + kind * kTargets);
    }
    WARPSEQ_SIMD void carry(const BackwardGroup& group, std::size_t kind, const Pack& value) {
        store_firsts(group.carried + kind * kTargets, value);
    }

    static void backward(const Profile& profile, const BackwardGroup& group) {
        const std::size_t stripes = profile.stripes;
        const LengthModels length = LengthModels::of(group);
        const Pack one = Pack::all(F::set(1.0f)), rescale_above = Pack::all(F::set(kForwardRescaleAbove)),
                   own_above = Pack::all(F::set(kBackwardOwnScalesAbove));
        Pack n = carried(group, GroupCarried::kN), j = carried(group, GroupCarried::kJ),
             c = carried(group, GroupCarried::kC), e = carried(group, GroupCarried::kE), b = Pack::all(zero());
        Pack scale = carried(group, GroupCarried::kScale);
        Pack own = greater(carried(group, GroupCarried::kOwn), Pack::all(zero()));
        BackwardRow below{group.row, nullptr, e, divide(one, scale), one};
        for (std::size_t i = group.rows; i >= 1; --i) {
            if (i % kRowsBetweenLooks == 0 && group.stop->stop_requested()) return;
            const Odds odds = Odds::at(profile, group, i + 1);
            const bool has_products = group.match_insert && i < group.rows;
            if (has_products) {
                below.products = group.match_insert + (i + 1) * group.match_insert_stride;
                b = backward_row<true>(profile, odds, below);
            } else {
                b = backward_row<false>(profile, odds, below);
            }
            b = sum_across(b);
            c = add(multiply(c, length.loop), load_each_ending(group, i));
            j = add(multiply(b, length.move), multiply(j, length.loop));
            n = add(multiply(b, length.move), multiply(n, length.loop));
            e = add(multiply(c, length.end_move), multiply(j, length.end_loop));
            backward_deletes(profile, group.row, e);
            below.e = e;

            const Pack forward_scale = special_of(group.forward, i, GroupSpecial::kScale);
            own = bit_or(own, greater(b, own_above));
            scale = select(own, select(greater(b, rescale_above), b, one), forward_scale);
            const bool scaled = any_bit(greater(scale, one));
            below.unscale = one;
            below.forward_unscale = divide(one, forward_scale);
            if (scaled) {
                e = divide(e, scale);
                n = divide(n, scale);
                j = divide(j, scale);
                b = divide(b, scale);
                c = divide(c, scale);
                below.unscale = divide(one, scale);
            }
            float* special = group.backward + i * GroupSpecial::kKinds * kTargets;
            store_special(special, e, n, j, b, c, scale);
            if (scaled) add_logs(special + GroupSpecial::kScale * kTargets, group.log_scale_total);
        }

        carry(group, GroupCarried::kE, below.e);
        carry(group, GroupCarried::kN, n);
        carry(group, GroupCarried::kJ, j);
        carry(group, GroupCarried::kC, c);
        carry(group, GroupCarried::kScale, scale);
        carry(group, GroupCarried::kOwn, bit_and(own, one));
        if (!group.from_start) return;

        // Row 1 is completed by itself, because B(0) sums it in the other direction.
        const Odds odds = Odds::at(profile, group, 1);
        b = Pack::all(zero());
        const Pack first_delete = Pack::load(group.row + kFloats);
        for (std::size_t q = 0; q < stripes; ++q) {
            float* at = group.row + 3 * kFloats * q;
            const Pack next_delete = q + 1 < stripes ? Pack::load(at + 4 * kFloats) : shift_down(first_delete);
            const Pack match = completed_match(profile, below, Pack::load(at), next_delete, q);
            if (group.match_insert) {
                multiply_by(group.match_insert + group.match_insert_stride + 2 * kFloats * q, below.forward_unscale,
                            match, multiply(Pack::load(at + 2 * kFloats), below.unscale));
            }
            b = add(b, multiply(multiply(match, odds.stripe(q)), transition(profile, q, Profile::kEnter)));
        }
        b = sum_across(b);
        n = add(multiply(b, length.move), multiply(n, length.loop));
        store_special(group.backward, Pack::all(zero()), n, Pack::all(zero()), b, Pack::all(zero()), one);
    }

    /// Returns C -> T for the targets that end at row i, and 0 for others.
    WARPSEQ_SIMD Pack load_each_ending(const BackwardGroup& group, std::size_t i) {
        float ending[kTargets];
        for (std::size_t t = 0; t < kTargets; ++t) ending[t] = group.residues[t] == i ? group.move[t] : 0.0f;
        return Pack::load_each(ending);
    }

    static constexpr GroupKernels kernels() {
        return {kTargets, F::kQuads, forward, backward, OptimalAccuracyKernels<F, V>::accuracy};
    }
};

}  // namespace warpseq::simd

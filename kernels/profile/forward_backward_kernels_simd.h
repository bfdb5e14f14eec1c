// The vector kernels for Forward, Backward and optimal accuracy over groups of targets, with one
// target per quad of four lanes. This file is included only inside a target region. Recurrences and
// their order of operations are those of kernels/profile/forward_backward_reference.cpp, with these
// differences:
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
// - Optimal accuracy consists of maxima, and of ands with the bits of possible transitions, which
//   distribute over maxima. So the passes over delete paths are regrouped. Chains within a segment
//   are computed while the row is filled. One more pass adds all values that enter from lower
//   segments. The traceback needs no values. It needs only the choices and the state from which E
//   is entered.

namespace warpseq::simd {

template <typename F, std::size_t V>
struct Vectors {
    typename F::Vector v[V];
};

template <typename F, std::size_t V>
struct ForwardBackwardKernels {
    using Vector = typename F::Vector;
    using Pack = Vectors<F, V>;
    using Profile = StripedProfile;
    /// Rows between two checks of the stop token. Even with tens of thousands of nodes they take at
    /// most a few milliseconds.
    static constexpr std::size_t kRowsBetweenLooks = 8;
    static constexpr std::size_t kTargets = V * F::kQuads;
    static constexpr std::size_t kFloats = V * F::kLanes;  // floats of one kind in one stripe

    WARPSEQ_SIMD Vector zero() { return F::set(0.0f); }
    WARPSEQ_SIMD Pack all(Vector x) {
        Pack p;
#pragma GCC unroll 4
        for (std::size_t v = 0; v < V; ++v) p.v[v] = x;
        return p;
    }
    WARPSEQ_SIMD Pack load_each(const float* per_target) {
        Pack p;
#pragma GCC unroll 4
        for (std::size_t v = 0; v < V; ++v) p.v[v] = F::load_each(per_target + v * F::kQuads);
        return p;
    }
    WARPSEQ_SIMD void store_firsts(float* per_target, const Pack& p) {
#pragma GCC unroll 4
        for (std::size_t v = 0; v < V; ++v) F::store_firsts(per_target + v * F::kQuads, p.v[v]);
    }
    WARPSEQ_SIMD Pack load(const float* at) {
        Pack p;
#pragma GCC unroll 4
        for (std::size_t v = 0; v < V; ++v) p.v[v] = F::load(at + v * F::kLanes);
        return p;
    }
    WARPSEQ_SIMD void store(float* at, const Pack& p) {
#pragma GCC unroll 4
        for (std::size_t v = 0; v < V; ++v) F::store(at + v * F::kLanes, p.v[v]);
    }
    template <typename Operation>
    WARPSEQ_SIMD Pack combine(const Pack& a, const Pack& b) {
        Pack p;
#pragma GCC unroll 4
        for (std::size_t v = 0; v < V; ++v) p.v[v] = Operation::of(a.v[v], b.v[v]);
        return p;
    }
    struct Add {
        WARPSEQ_SIMD Vector of(Vector a, Vector b) { return F::add(a, b); }
    };
    struct Multiply {
        WARPSEQ_SIMD Vector of(Vector a, Vector b) { return F::multiply(a, b); }
    };
    struct Divide {
        WARPSEQ_SIMD Vector of(Vector a, Vector b) { return F::divide(a, b); }
    };
    struct Max {
        WARPSEQ_SIMD Vector of(Vector a, Vector b) { return F::max(a, b); }
    };
    struct And {
        WARPSEQ_SIMD Vector of(Vector a, Vector b) { return F::bit_and(a, b); }
    };
    struct Or {
        WARPSEQ_SIMD Vector of(Vector a, Vector b) { return F::bit_or(a, b); }
    };
    struct Greater {
        WARPSEQ_SIMD Vector of(Vector a, Vector b) { return F::greater(a, b); }
    };
    struct ShiftUp {
        WARPSEQ_SIMD Vector of(Vector a, Vector fill) { return F::shift_up(a, fill); }
    };
    WARPSEQ_SIMD Pack add(const Pack& a, const Pack& b) { return combine<Add>(a, b); }
    WARPSEQ_SIMD Pack multiply(const Pack& a, const Pack& b) { return combine<Multiply>(a, b); }
    WARPSEQ_SIMD Pack multiply(const Pack& a, Vector b) { return combine<Multiply>(a, all(b)); }
    WARPSEQ_SIMD Pack divide(const Pack& a, const Pack& b) { return combine<Divide>(a, b); }
    WARPSEQ_SIMD Pack max(const Pack& a, const Pack& b) { return combine<Max>(a, b); }
    WARPSEQ_SIMD Pack bit_and(const Pack& a, const Pack& b) { return combine<And>(a, b); }
    WARPSEQ_SIMD Pack bit_and(const Pack& a, Vector b) { return combine<And>(a, all(b)); }
    WARPSEQ_SIMD Pack bit_or(const Pack& a, const Pack& b) { return combine<Or>(a, b); }
    WARPSEQ_SIMD Pack bit_or(const Pack& a, Vector b) { return combine<Or>(a, all(b)); }
    WARPSEQ_SIMD Pack greater(const Pack& a, const Pack& b) { return combine<Greater>(a, b); }
    WARPSEQ_SIMD Pack shift_up(const Pack& a, Vector fill) { return combine<ShiftUp>(a, all(fill)); }
    WARPSEQ_SIMD Pack shift_down(Pack a) {
#pragma GCC unroll 4
        for (std::size_t v = 0; v < V; ++v) a.v[v] = F::shift_down(a.v[v]);
        return a;
    }
    WARPSEQ_SIMD Pack select(const Pack& bits, const Pack& yes, const Pack& no) {
        Pack p;
#pragma GCC unroll 4
        for (std::size_t v = 0; v < V; ++v) p.v[v] = F::select(bits.v[v], yes.v[v], no.v[v]);
        return p;
    }
    WARPSEQ_SIMD Pack differing(Pack bits, const Pack& a, const Pack& b) {
#pragma GCC unroll 4
        for (std::size_t v = 0; v < V; ++v) bits.v[v] = F::differing(bits.v[v], a.v[v], b.v[v]);
        return bits;
    }
    WARPSEQ_SIMD bool any_bit(const Pack& a) {
        Vector bits = a.v[0];
#pragma GCC unroll 4
        for (std::size_t v = 1; v < V; ++v) bits = F::bit_or(bits, a.v[v]);
        return F::any_bit(bits);
    }
    WARPSEQ_SIMD Pack where_any_bit(Pack a) {
#pragma GCC unroll 4
        for (std::size_t v = 0; v < V; ++v) a.v[v] = F::where_any_bit(a.v[v]);
        return a;
    }
    WARPSEQ_SIMD Pack sum_across(Pack a) {
#pragma GCC unroll 4
        for (std::size_t v = 0; v < V; ++v) a.v[v] = F::sum_across(a.v[v]);
        return a;
    }
    WARPSEQ_SIMD Pack max_across(Pack a) {
#pragma GCC unroll 4
        for (std::size_t v = 0; v < V; ++v) a.v[v] = F::max_across(a.v[v]);
        return a;
    }
    WARPSEQ_SIMD Vector transition(const Profile& profile, std::size_t q, std::size_t kind) {
        return F::load_quad(profile.transitions + 4 * (Profile::kTransitions * q + kind));
    }
    WARPSEQ_SIMD Vector delete_delete(const Profile& profile, std::size_t q) {
        return F::load_quad(profile.delete_delete + 4 * q);
    }

    /// Match odds of a row's residues.
    struct Odds {
        const float* of[kTargets];
        WARPSEQ_SIMD Odds at(const Profile& profile, const TargetGroup& group, std::size_t row) {
            Odds odds;
            const std::uint8_t* codes = group.codes + row * kTargets;
            for (std::size_t t = 0; t < kTargets; ++t) odds.of[t] = profile.match + 4 * profile.stripes * codes[t];
            return odds;
        }
        [[gnu::always_inline]] inline Pack stripe(std::size_t q) const {
            Pack p;
#pragma GCC unroll 4
            for (std::size_t v = 0; v < V; ++v) p.v[v] = F::load_quads(of + v * F::kQuads, 4 * q);
            return p;
        }
    };

    struct LengthModels {
        Pack loop, move, end_loop, end_move;
        WARPSEQ_SIMD LengthModels of(const TargetGroup& group) {
            return {load_each(group.loop), load_each(group.move), load_each(group.end_loop), load_each(group.end_move)};
        }
    };

    /// Adds logarithms of the scales above 1 to the totals.
    static void add_logs(const float* scales, float* log_scale_total) {
        for (std::size_t t = 0; t < kTargets; ++t) {
            if (scales[t] > 1.0f) log_scale_total[t] = add_log_nats(log_scale_total[t], scales[t]);
        }
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
        Pack match = shift_up(rescaled<scaled>(load(from), row.unscale), zero());
        Pack insert = shift_up(rescaled<scaled>(load(from + kFloats), row.unscale), zero());
        Pack del = shift_up(rescaled<scaled>(load(row.last_deletes + kFloats * (stripes - 1)), row.unscale), zero());
        Pack e = all(zero()), carry = all(zero());
        for (std::size_t q = 0; q < stripes; ++q) {
            Pack now = multiply(row.b, transition(profile, q, Profile::kEnter));
            now = add(now, multiply(match, transition(profile, q, Profile::kMatchMatch)));
            now = add(now, multiply(insert, transition(profile, q, Profile::kInsertMatch)));
            now = add(now, multiply(del, transition(profile, q, Profile::kDeleteMatch)));
            now = multiply(now, odds.stripe(q));
            e = add(e, now);
            const float* last = row.last_match_insert + 2 * kFloats * q;
            match = rescaled<scaled>(load(last), row.unscale);
            insert = rescaled<scaled>(load(last + kFloats), row.unscale);
            del = rescaled<scaled>(load(row.last_deletes + kFloats * q), row.unscale);
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
            const Pack sum = add(carry, load(at));
            store(at, sum);
            carry = multiply(sum, delete_delete(profile, q));
        }
        if (!profile.long_model) {
            for (int pass = 1; pass < 3; ++pass) {
                carry = shift_up(carry, zero());
                for (std::size_t q = 0; q < stripes; ++q) {
                    float* at = row.deletes + kFloats * q;
                    store(at, add(carry, load(at)));
                    carry = multiply(carry, delete_delete(profile, q));
                }
            }
            carry = shift_up(carry, zero());
            for (std::size_t q = 0; q < stripes; ++q) {
                float* at = row.deletes + kFloats * q;
                const Pack sum = add(carry, load(at));
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
            Pack changes = all(zero());
            with_deletes = e;
            for (std::size_t q = 0; q < stripes; ++q) {
                float* at = row.deletes + kFloats * q;
                const Pack before = load(at);
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
        const Pack one = all(F::set(1.0f)), rescale_above = all(F::set(1.0e4f));
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

    WARPSEQ_SIMD void store_special(float* at, const Pack& e, const Pack& n, const Pack& j, const Pack& b,
                                    const Pack& c, const Pack& scale) {
        store_firsts(at + GroupSpecial::kE * kTargets, e);
        store_firsts(at + GroupSpecial::kN * kTargets, n);
        store_firsts(at + GroupSpecial::kJ * kTargets, j);
        store_firsts(at + GroupSpecial::kB * kTargets, b);
        store_firsts(at + GroupSpecial::kC * kTargets, c);
        store_firsts(at + GroupSpecial::kScale * kTargets, scale);
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
        store(products, multiply(multiply(load(products), forward_unscale), match));
        store(products + kFloats, multiply(multiply(load(products + kFloats), forward_unscale), insert));
    }

    /// Completes row i + 1 and replaces it by the values that lead from row i to row i + 1. Returns
    /// the sums for B(i) in each lane.
    template <bool products>
    WARPSEQ_SIMD Pack backward_row(const Profile& profile, const Odds& odds, const BackwardRow& below) {
        const std::size_t stripes = profile.stripes;
        Pack next_delete = load(below.row + 3 * kFloats + kFloats);
        Pack match = completed_match(profile, below, load(below.row), next_delete, 0);
        Pack diagonal = shift_down(multiply(match, odds.stripe(0)));
        next_delete = shift_down(load(below.row + kFloats));
        Vector match_match = F::shift_down(transition(profile, 0, Profile::kMatchMatch));
        Vector insert_match = F::shift_down(transition(profile, 0, Profile::kInsertMatch));
        Vector delete_match = F::shift_down(transition(profile, 0, Profile::kDeleteMatch));
        Pack b = all(zero());
        for (std::size_t q = stripes; q-- > 0;) {
            float* at = below.row + 3 * kFloats * q;
            const Pack insert = multiply(load(at + 2 * kFloats), below.unscale);
            match = completed_match(profile, below, load(at), next_delete, q);
            next_delete = load(at + kFloats);
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
        Pack next = shift_down(add(load(row + kFloats), e)), carry = all(zero());
        for (std::size_t q = stripes; q-- > 0;) {
            float* at = row + 3 * kFloats * q + kFloats;
            carry = multiply(next, delete_delete(profile, q));
            next = add(load(at), add(carry, e));
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
                    store(at, add(load(at), carry));
                }
                end = begin;
            }
        }
    }

    WARPSEQ_SIMD Pack carried(const BackwardGroup& group, std::size_t kind) {
        return load_each(group.carried + kind * kTargets);
    }
    WARPSEQ_SIMD void carry(const BackwardGroup& group, std::size_t kind, const Pack& value) {
        store_firsts(group.carried + kind * kTargets, value);
    }

    static void backward(const Profile& profile, const BackwardGroup& group) {
        const std::size_t stripes = profile.stripes;
        const LengthModels length = LengthModels::of(group);
        const Pack one = all(F::set(1.0f)), rescale_above = all(F::set(1.0e4f)), own_above = all(F::set(1.0e16f));
        Pack n = carried(group, GroupCarried::kN), j = carried(group, GroupCarried::kJ),
             c = carried(group, GroupCarried::kC), e = carried(group, GroupCarried::kE), b = all(zero());
        Pack scale = carried(group, GroupCarried::kScale);
        Pack own = greater(carried(group, GroupCarried::kOwn), all(zero()));
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
        b = all(zero());
        const Pack first_delete = load(group.row + kFloats);
        for (std::size_t q = 0; q < stripes; ++q) {
            float* at = group.row + 3 * kFloats * q;
            const Pack next_delete = q + 1 < stripes ? load(at + 4 * kFloats) : shift_down(first_delete);
            const Pack match = completed_match(profile, below, load(at), next_delete, q);
            if (group.match_insert) {
                multiply_by(group.match_insert + group.match_insert_stride + 2 * kFloats * q, below.forward_unscale,
                            match, multiply(load(at + 2 * kFloats), below.unscale));
            }
            b = add(b, multiply(multiply(match, odds.stripe(q)), transition(profile, q, Profile::kEnter)));
        }
        b = sum_across(b);
        n = add(multiply(b, length.move), multiply(n, length.loop));
        store_special(group.backward, all(zero()), n, all(zero()), b, all(zero()), one);
    }

    /// Returns C -> T for the targets that end at row i, and 0 for others.
    WARPSEQ_SIMD Pack load_each_ending(const BackwardGroup& group, std::size_t i) {
        float ending[kTargets];
        for (std::size_t t = 0; t < kTargets; ++t) ending[t] = group.residues[t] == i ? group.move[t] : 0.0f;
        return load_each(ending);
    }

    // ---- Optimal accuracy

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
        const Pack match_probability = multiply(load(p), row.total);
        const Pack insert_probability = multiply(load(p + kFloats), row.total);
        if constexpr (sums) {
            float* sum = row.sums + 2 * kFloats * q;
            store(sum, add(load(sum), match_probability));
            store(sum + kFloats, add(load(sum + kFloats), insert_probability));
        }
        const Pack now = add(best, match_probability);
        s.e = max(s.e, now);
        s.match = load(last);
        s.del = load(last + kFloats);
        s.insert = load(last + 2 * kFloats);
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
        AccuracyStripe s{shift_up(load(last), never),
                         shift_up(load(last + kFloats), never),
                         shift_up(load(last + 2 * kFloats), never),
                         all(never),
                         all(never),
                         all(never)};
        Pack chain_to_last = all(never);
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
            const Pack del = max(entering, load(current + kFloats)), match = load(current);
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

    WARPSEQ_SIMD Pack special_of(const float* rows, std::size_t i, std::size_t kind) {
        return load_each(rows + (i * GroupSpecial::kKinds + kind) * kTargets);
    }

    static void accuracy(const Profile& profile, const AccuracyGroup& group) {
        const std::size_t stripes = profile.stripes;
        const LengthModels length = LengthModels::of(group);
        const Vector never = F::set(-__builtin_inff());
        Vector delete_through = possible_delete(profile, 0);
        for (std::size_t q = 0; q < stripes; ++q)
            delete_through = F::bit_and(delete_through, possible_delete(profile, q));
        for (std::size_t q = 0; q < 3 * stripes; ++q) store(group.row + kFloats * q, all(never));
        if (group.sums) {
            for (std::size_t q = 0; q < 2 * stripes; ++q) store(group.sums + kFloats * q, all(zero()));
        }
        const Pack own_scales = greater(load_each(group.own_scales), all(zero())), one = all(F::set(1.0f));

        Pack e = all(never), n = all(zero()), j = all(never), b = all(zero()), c = all(never);
        Pack n_sum = all(zero()), c_sum = n_sum, j_sum = n_sum;
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
            const Pack loop = greater(length.loop, all(zero())), move = greater(length.move, all(zero()));
            const Pack c_stays = bit_and(add(c, p_c), loop);
            j = max(bit_and(add(j, p_j), loop), bit_and(e, greater(length.end_loop, all(zero()))));
            c = max(c_stays, bit_and(e, greater(length.end_move, all(zero()))));
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

    static constexpr GroupKernels kernels() { return {kTargets, F::kQuads, forward, backward, accuracy}; }
};

/// Does what ForwardBackwardTable::mixture_odds says. A quad holds the four partial sums of one
/// amino acid.
template <typename F>
void mixture_odds(const StripedProfile& profile, const float* match_weights, const float* insert_weights, float* odds) {
    constexpr std::size_t kVectors = kAminoAcids / F::kQuads;
    static_assert(kVectors * F::kQuads == kAminoAcids);
    typename F::Vector sums[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) sums[v] = F::set(0.0f);
    const float* table = profile.residue_odds;
    for (std::size_t q = 0; q < profile.stripes; ++q) {
        const typename F::Vector match = F::load_quad(match_weights + 4 * q);
#pragma GCC unroll 20
        for (std::size_t v = 0; v < kVectors; ++v)
            sums[v] = F::add(sums[v], F::multiply(match, F::load(table + v * F::kLanes)));
        table += 4 * kAminoAcids;
        if (insert_weights) {
            const typename F::Vector insert = F::load_quad(insert_weights + 4 * q);
#pragma GCC unroll 20
            for (std::size_t v = 0; v < kVectors; ++v) sums[v] = F::add(sums[v], insert);
        }
    }
#pragma GCC unroll 20
    for (std::size_t v = 0; v < kVectors; ++v) F::store_firsts(odds + v * F::kQuads, F::sum_across(sums[v]));
}

}  // namespace warpseq::simd

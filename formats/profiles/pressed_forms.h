// Encodes and decodes the configured forms of a profile in warpseq's file of pressed profiles
// (formats/profiles/pressed_profiles.h).
//
// The bytes are used in place in a mapped file, or nearly so, and do not depend on the width of the
// processor's vectors. Numbers are little-endian. An array over nodes holds node k at index k - 1.
//
// The first form is for the first filters:
//
//   u32           number of nodes M.
//   u8 [4]        MSV's bias, enter and end; the cutoffs that are set (bits: 1 GA, 2 TC, 4 NC).
//   f32 [6]       MSV mu and lambda, Viterbi mu and lambda, Forward tau and lambda.
//   f32 [6]       GA, TC and NC, each for the sequence and for a domain; 0 if not set.
//   f32 [20]      composition.
//   zeros up to byte 192.
//   u8 [32][M]    MSV's match costs, one row per residue code (libcore/profile/plan7_profile.h).
//
// The later form is for the later stages. It is the configured profile in nats. 16-bit scores and
// odds are not stored, because it is faster to compute them from the nats than to read them.
//
//   f32 [20][M]   match scores of the amino acids. The other codes' scores are computed from them.
//   f32 [8][M]    transitions: enter, match-match, insert-match, delete-match, match-delete,
//                 match-insert, insert-insert, delete-delete.
//
// Each form begins at a multiple of 64 bytes and is padded with zeros to a multiple of 64 bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "libcore/profile/plan7_profile.h"
#include "libcore/profile/profile_hmm.h"

namespace warpseq {

/// Whether the forms hold all that a search needs of this profile. False for a profile without
/// usable statistics or composition, and for one that cannot be entered.
bool has_pressed_forms(const ProfileHmm& hmm);

/// Returns the size of the first form of a profile, a multiple of 64 bytes.
std::uint64_t first_form_bytes(std::uint64_t nodes);
/// Returns the size of the later form of a profile, a multiple of 64 bytes.
std::uint64_t later_form_bytes(std::uint64_t nodes);

/// Appends the first form to `out`. The profile must have statistics.
void append_first_form(const ProfileHmm& hmm, const Plan7Profile& configured, std::string& out);
/// Appends the later form to `out`.
void append_later_form(const Plan7Profile& configured, std::string& out);

/// The first form, decoded for the first filters.
struct FirstForm {
    ProfileHmm head;  // only length, statistics, composition and cutoffs
    MsvProfile msv;
};
/// Decodes the first form in `bytes`, which are first_form_bytes(nodes) in number. The costs of the
/// result refer to `bytes`, which `owner` keeps alive. Returns nothing if `bytes` are not a first
/// form of `nodes` nodes.
std::optional<FirstForm> read_first_form(std::span<const std::uint8_t> bytes, std::uint64_t nodes,
                                         std::shared_ptr<const void> owner);
/// Decodes the later form in `bytes`, which are later_form_bytes(nodes) in number. The result is a
/// copy. Returns nothing if `bytes` are not a later form of `nodes` nodes.
std::optional<Plan7Profile> read_later_form(std::span<const std::uint8_t> bytes, std::uint64_t nodes);

}  // namespace warpseq

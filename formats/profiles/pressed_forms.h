// The configured forms of a profile as a file of pressed profiles keeps them
// (formats/profiles/pressed_profiles.h): bytes that are used where they lie in a mapped file, or
// nearly so, whatever vectors the processor has. Little-endian; arrays over nodes hold node k at
// index k - 1.
//
// What the first filters need:
//
//   u32       nodes M
//   u8 [4]    MSV: bias, enter, end; which cutoffs there are: 1 GA, 2 TC, 4 NC
//   f32 [6]   statistics: MSV mu and lambda, Viterbi mu and lambda, Forward tau and lambda
//   f32 [6]   GA, TC and NC, of the sequence and of a domain each; 0 where there is none
//   f32 [20]  composition
//   zeros up to byte 192
//   u8 [32][M]    MSV's match costs, a row for each residue code (libcore/profile/plan7_profile.h)
//
// What the stages after them need, the configured profile in nats, of which 16-bit scores and odds
// are made quicker than they are read:
//
//   f32 [20][M]   match scores of the amino acids; other codes' are made of them
//   f32 [8][M]    transitions: enter, match-match, insert-match, delete-match, match-delete, match-insert, insert-insert, delete-delete
//
// Each begins at a multiple of 64 bytes and is filled up to one with zeros.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "libcore/profile/plan7_profile.h"
#include "libcore/profile/profile_hmm.h"

namespace warpseq {

/// Whether the forms say all that searches need of a profile: not of one without statistics, or
/// that cannot be entered.
bool has_pressed_forms(const ProfileHmm& hmm);

/// 64-byte multiples.
std::uint64_t first_form_bytes(std::uint64_t nodes);
std::uint64_t later_form_bytes(std::uint64_t nodes);

void append_first_form(const ProfileHmm& hmm, const Plan7Profile& configured, std::string& out);
void append_later_form(const Plan7Profile& configured, std::string& out);

/// What the first filters work with.
struct FirstForm {
    ProfileHmm head;  // without what it has by node, description and so on: length, statistics, composition, cutoffs
    MsvProfile msv;
};
/// Of first_form_bytes(nodes) bytes, which `owner` keeps and the costs refer to. Nothing where they
/// are no form of so many nodes.
std::optional<FirstForm> read_first_form(std::span<const std::uint8_t> bytes, std::uint64_t nodes,
                                         std::shared_ptr<const void> owner);
/// Likewise, of later_form_bytes(nodes) bytes; copied.
std::optional<Plan7Profile> read_later_form(std::span<const std::uint8_t> bytes, std::uint64_t nodes);

}  // namespace warpseq

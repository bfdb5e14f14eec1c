// Pressed profiles: what hmmpress makes of a file P of profiles, so that many of them are opened at once and found by name.
//
//   P.h3m   the profiles in HMMER's binary form (formats/hmm_binary.h), which HMMER's own programs read, too
//   P.h3i   the index: where each profile begins, checksums of it and of its forms, its nodes, its name and accession
//   P.h3f   of each profile what the first filters need, configured and in 8 bits (formats/pressed_forms.h)
//   P.h3p   of each profile what the stages after them need, configured
//
// The index, little-endian:
//
//   8 bytes   "WSPRESS" and the version, 2
//   u64 [7]   bytes of P, its time of change in seconds and in nanoseconds, bytes of P.h3m, of P.h3f and of P.h3p, profiles
//   for each profile: u64 where it begins in P.h3m, u64 bytes there, u64 [3] XXH3-64 of these bytes, of its form in P.h3f and of that in P.h3p,
//             u32 nodes, u32 bytes of the name, u32 of the accession, u32 1 where it has forms, else 0
//   names and accessions, one after the other
//   u64       XXH3-64 of all before it
//
// P.h3f and P.h3p begin with 8 bytes, "WSPRESF" or "WSPRESP" and the version, u64 profiles, u64 bytes of the file, and zeros up to byte 4096.
// Forms follow in the order of profiles, each at a multiple of 64 bytes. Their checksums are in the index, so that no file passes for that of
// another pressing; a checksum is compared when its form is read, and forms that nobody asks for stay unread. Profiles without statistics, or
// that cannot be entered, have no forms; they are read from P.h3m.
//
// A pressed file is used while P is as it was when it was pressed, in size and time, or is not there any more; P itself is read where it has
// changed. (HMMER uses what was pressed of another P, too.) What HMMER's hmmpress or another version of this one has pressed is known by its
// index, which is another one; then P is read, or P.h3m where there is no P. An index, a profile or a form that is damaged is an error.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/mapped_file.h"
#include "formats/pressed_forms.h"
#include "libcore/base/status.h"
#include "libcore/profile/profile_hmm.h"

namespace warpseq {

/// The four files, in the order in which hmmpress names them.
struct PressedFiles {
    std::filesystem::path models, index, filters, profiles;
    explicit PressedFiles(const std::filesystem::path& file);
};

class PressedProfiles {
   public:
    /// What is pressed of `file` and may be used; nothing where that is not so.
    static Result<std::optional<PressedProfiles>> open(const std::filesystem::path& file);

    std::size_t size() const { return entries_.size(); }
    int nodes(std::size_t profile) const { return static_cast<int>(entries_[profile].nodes); }
    std::string_view name(std::size_t profile) const {
        return text(entries_[profile].name_at, entries_[profile].name_bytes);
    }
    std::string_view accession(std::size_t profile) const {
        return text(entries_[profile].name_at + entries_[profile].name_bytes, entries_[profile].accession_bytes);
    }
    /// Thread-safe.
    Status read(std::size_t profile, ProfileHmm& hmm) const;

    // Forms, once they are opened.

    Status open_forms();
    bool has_forms(std::size_t profile) const { return entries_[profile].has_forms; }
    /// With name and accession. Refers to the mapped file, and keeps it. Thread-safe.
    Result<FirstForm> first_form(std::size_t profile) const;
    /// Thread-safe.
    Result<Plan7Profile> later_form(std::size_t profile) const;
    /// Pages of these profiles' forms stop counting as memory of the process; they can be read again. Thread-safe.
    void release_forms(std::size_t first, std::size_t count) const;
    /// An error where a page of the forms could not be read, which then held zeros. Asked before what was made of them is used. Thread-safe.
    Status check_forms() const;

   private:
    struct Entry {
        std::uint64_t offset, bytes, checksum;
        std::uint64_t first_at, first_checksum, later_at, later_checksum;  // in the files of forms
        std::uint32_t nodes, name_bytes, accession_bytes;
        bool has_forms;
        std::uint64_t name_at;  // in the index
    };
    std::string_view text(std::uint64_t at, std::uint32_t bytes) const {
        return {reinterpret_cast<const char*>(index_.bytes().data()) + at, bytes};
    }
    Status read_index(const std::filesystem::path& file);
    Status damaged(std::size_t profile, const std::filesystem::path& file) const;

    PressedFiles files_{""};
    std::shared_ptr<const int> models_;  // a descriptor: pages of a map would count as memory of the process
    std::uint64_t models_bytes_ = 0, first_bytes_ = 0, later_bytes_ = 0;
    MappedFile index_;
    std::shared_ptr<const MappedFile> first_forms_, later_forms_;
    std::vector<Entry> entries_;
};

/// Makes the four files, one profile after the other. They appear together in finish(), whole.
class ProfilePresser {
   public:
    /// `file` is P, whose size and time are noted now.
    static Result<ProfilePresser> create(const std::filesystem::path& file);
    ~ProfilePresser();
    ProfilePresser(ProfilePresser&&) noexcept;

    Status add(const ProfileHmm& hmm);
    /// Of what was added: a name, or an accession, that is there twice, the first one in the order of bytes; empty: none.
    std::string name_twice() const;
    std::string accession_twice() const;
    std::uint64_t profiles() const;
    std::uint64_t accessions() const;  // profiles that have one
    Status finish();

   private:
    struct State;
    explicit ProfilePresser(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

/// Where the profiles of `file` are read from, if not from pressed files that PressedProfiles opens: `file`, or its .h3m where there is no `file`.
std::filesystem::path profile_file_of(const std::filesystem::path& file);

}  // namespace warpseq

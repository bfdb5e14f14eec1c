// Pressed profiles: what hmmpress makes of a file P of profiles, so that many of them are opened at
// once and found by name.
//
// Four files are HMMER's, byte for byte what hmmpress of HMMER 3.3.2 makes of P on x86-64:
//
//   P.h3m         the profiles in binary form (formats/profiles/hmm_binary.h)
//   P.h3i         an index of names and accessions (formats/profiles/ssi_index.h)
//   P.h3f, P.h3p  the profiles as HMMER's stages need them (formats/profiles/striped_profiles.h)
//
// A fifth one is warpseq's own, P.wspressed, which is used where it lies in memory: where each
// profile begins in P.h3m, and of each profile its forms (formats/profiles/pressed_forms.h).
// Little-endian:
//
//   8 bytes           "WSPRESS" and the version, 3
//   u64 [8]           P when it was pressed: bytes, time of change in seconds and in nanoseconds, XXH3-64 of its content; then what tells without
//                     reading it that it is still the same: time of the last change of its inode, likewise, device and inode
//   u64 [8]           the same of P.h3m
//   u64 [3]           where the forms for later stages begin, where the index begins, profiles
//   zeros up to byte 4096
//   forms for the first filters, one profile after the other, each at a multiple of 64 bytes; then those for later stages, likewise
//   for each profile: u64 where it begins in P.h3m, u64 bytes there, u64 [3] XXH3-64 of these bytes and of its two forms,
//             u32 nodes, u32 bytes of the name, u32 of the accession, u32 1 where it has forms, else 0
//   names and accessions, one after the other
//   u64               XXH3-64 of the first 4096 bytes and all from the index on, without this
//
// A checksum of a form is compared when the form is read, and forms that nobody asks for stay
// unread. Profiles without statistics, or that cannot be entered, have no forms; they are read from
// P.h3m.
//
// P.wspressed is used together with P and P.h3m while P has the size, time and content that are
// noted, and with P.h3m alone, where P is not there, while that one has. Content is compared by its
// checksum where the inode was changed since; the file was copied then, or its time set back.
// Without P.h3m it is not used. Then profiles are read from P, or from P.h3m where there is no P,
// whichever program pressed it. (HMMER uses what was pressed of another P, too.) An own file that
// is damaged is an error.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/io/atomic_file.h"
#include "formats/io/mapped_file.h"
#include "formats/profiles/pressed_forms.h"
#include "libcore/base/status.h"
#include "libcore/profile/profile_hmm.h"

namespace warpseq {

/// HMMER's four files, in the order in which hmmpress names them, and warpseq's own.
struct PressedFiles {
    std::filesystem::path models, index, filters, profiles, own;
    explicit PressedFiles(const std::filesystem::path& file);
};

/// Returns which of these files exist, together with `file`'s index by hmmfetch (.ssi) if it
/// exists.
std::vector<std::filesystem::path> files_beside_profiles(const std::filesystem::path& file);

class PressedProfiles {
   public:
    /// Opens what is pressed of `file`; nothing where there is nothing that may be used.
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

    bool has_forms(std::size_t profile) const { return entries_[profile].has_forms; }
    /// With name and accession. Refers to the mapped file, and keeps it. Thread-safe.
    Result<FirstForm> first_form(std::size_t profile) const;
    /// Thread-safe.
    Result<Plan7Profile> later_form(std::size_t profile) const;
    /// Pages of these profiles' forms stop counting as memory of the process; they can be read
    /// again. Thread-safe.
    void release_forms(std::size_t first, std::size_t count) const;
    /// An error where a page of the forms could not be read, which then held zeros. Called before
    /// what was made of them is used. Thread-safe.
    Status check_forms() const;

   private:
    struct Entry {
        std::uint64_t offset, bytes, checksum;
        std::uint64_t first_at, first_checksum, later_at, later_checksum;  // in the own file
        std::uint32_t nodes, name_bytes, accession_bytes;
        bool has_forms;
        std::uint64_t name_at;  // in the own file
    };
    std::string_view text(std::uint64_t at, std::uint32_t bytes) const {
        return {reinterpret_cast<const char*>(map_->bytes().data()) + at, bytes};
    }
    Status read_index();
    Status damaged(std::size_t profile, const std::filesystem::path& file) const;

    PressedFiles files_{""};
    std::shared_ptr<const int> models_;  // a descriptor: pages of a map would count as memory of the process
    std::uint64_t models_bytes_ = 0, later_begin_ = 0, later_end_ = 0;
    std::shared_ptr<const MappedFile> map_;
    std::vector<Entry> entries_;
};

/// Makes the files, one profile after the other, in finish(). HMMER's that exist are replaced or
/// written into; warpseq's own is replaced. It is not made where a file that is not warpseq's has
/// its name, or where the folder is closed.
class ProfilePresser {
   public:
    /// `file` is P, which stays as it is until finish(), or that fails.
    static Result<ProfilePresser> create(const std::filesystem::path& file,
                                         ExistingFile existing = ExistingFile::kReplace);
    ~ProfilePresser();
    ProfilePresser(ProfilePresser&&) noexcept;

    Status add(const ProfileHmm& hmm);
    /// Of what was added: a name, or an accession, that is there twice, the first one in the order
    /// of bytes; empty: none.
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

/// Where the profiles of `file` are read from, if not from pressed files that PressedProfiles
/// opens: `file`, or its .h3m where there is no `file`.
std::filesystem::path profile_file_of(const std::filesystem::path& file);

}  // namespace warpseq

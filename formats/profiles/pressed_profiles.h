// Reads and writes pressed profiles: the files that hmmpress makes from a file P of profiles. With
// them a program opens many profiles at once and finds them by name.
//
// Four files have HMMER's formats. They have the same bytes as those that hmmpress of HMMER 3.3.2
// makes from P on x86-64.
//
//   P.h3m         the profiles in the binary format (formats/profiles/hmm_binary.h).
//   P.h3i         an index of names and accessions (formats/profiles/ssi_index.h).
//   P.h3f, P.h3p  the profiles as HMMER's stages need them
//                 (formats/profiles/striped_profiles.h).
//
// The fifth file, P.wspressed, is warpseq's own and is used in place in mapped memory. It has each
// profile's place in P.h3m and its forms (formats/profiles/pressed_forms.h). Numbers are
// little-endian.
//
//   8 bytes       "WSPRESS" and the version, 3.
//   state of P when it was pressed:
//     u64         size in bytes.
//     u64 [2]     time of the last change: seconds, nanoseconds.
//     u64         XXH3-64 of the content.
//     u64 [2]     time of the inode's last change: seconds, nanoseconds.
//     u64 [2]     device; inode.
//   u64 [8]       state of P.h3m, likewise.
//   u64 [3]       where the later forms begin; where the index begins; number of profiles.
//   zeros up to byte 4096.
//   first forms of the profiles, one after the other, each at a multiple of 64 bytes.
//   later forms, likewise.
//   index, one entry per profile:
//     u64 [2]     where the profile begins in P.h3m; its bytes there.
//     u64 [3]     XXH3-64 of these bytes, of the first form and of the later form.
//     u32 [3]     nodes; bytes of the name; bytes of the accession.
//     u32         1 if the profile has forms, else 0.
//   names and accessions, one after the other.
//   u64           XXH3-64 of the first 4096 bytes and of all bytes from the index up to here.
//
// Reading a form checks its checksum. Forms that are not needed are not read. A profile without
// statistics, or one that cannot be entered, has no forms and is read from P.h3m.
//
// P.wspressed is used in two cases. If P exists, P must have the noted size, time and content, and
// P.h3m must have its noted size. If P does not exist, P.h3m must have its noted size, time and
// content. The checksum of the content is compared only if the inode has changed, as it does when a
// file is copied or its time is set back.
//
// Without P.h3m, P.wspressed is not used. When it is not used, profiles are read from P. If P does
// not exist, they are read from P.h3m, even if another program made it. (HMMER also uses files that
// were pressed from another P.) A damaged P.wspressed is an error.
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

/// The paths of the pressed files of a file of profiles: HMMER's four, in the order in which
/// hmmpress names them, and warpseq's own.
struct PressedFiles {
    std::filesystem::path models, index, filters, profiles, own;
    explicit PressedFiles(const std::filesystem::path& file);
};

/// Returns the existing files among the pressed files of `file` and its index by hmmfetch (.ssi).
std::vector<std::filesystem::path> files_beside_profiles(const std::filesystem::path& file);

/// The pressed profiles of a file, opened for reading.
class PressedProfiles {
   public:
    /// Opens the pressed profiles of `file`. Returns nothing if there are none that may be used.
    static Result<std::optional<PressedProfiles>> open(const std::filesystem::path& file);

    std::size_t size() const { return entries_.size(); }
    /// Returns the number of nodes of a profile. Profiles are numbered from 0 in the order of the
    /// file.
    int nodes(std::size_t profile) const { return static_cast<int>(entries_[profile].nodes); }
    std::string_view name(std::size_t profile) const {
        return text(entries_[profile].name_at, entries_[profile].name_bytes);
    }
    std::string_view accession(std::size_t profile) const {
        return text(entries_[profile].name_at + entries_[profile].name_bytes, entries_[profile].accession_bytes);
    }
    /// Reads a whole profile from P.h3m into `hmm`. Thread-safe.
    Status read(std::size_t profile, ProfileHmm& hmm) const;

    bool has_forms(std::size_t profile) const { return entries_[profile].has_forms; }
    /// Returns the first form of a profile that has forms, with name and accession. It refers to
    /// the mapped file and keeps it mapped. Thread-safe.
    Result<FirstForm> first_form(std::size_t profile) const;
    /// Returns the later form of a profile that has forms. Thread-safe.
    Result<Plan7Profile> later_form(std::size_t profile) const;
    /// Releases the memory pages that hold the forms of `count` profiles from `first` on. They no
    /// longer count as memory of the process. The forms can be read again. Thread-safe.
    void release_forms(std::size_t first, std::size_t count) const;
    /// Returns an error if a page of P.wspressed could not be read. Such a page reads as zeros.
    /// The caller calls this before it uses results that were computed from forms. Thread-safe.
    Status check_forms() const;

   private:
    struct Entry {
        std::uint64_t offset, bytes, checksum;
        std::uint64_t first_at, first_checksum, later_at, later_checksum;  // the forms in P.wspressed
        std::uint32_t nodes, name_bytes, accession_bytes;
        bool has_forms;
        std::uint64_t name_at;  // offset in P.wspressed
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

/// A writer of pressed profiles, which takes one profile after the other. The files appear in
/// finish(). The argument `existing` of create() applies to HMMER's four files if they exist. An
/// existing P.wspressed is replaced. P.wspressed is not made if a file that is not warpseq's has
/// its name, or if it cannot be created in the folder.
class ProfilePresser {
   public:
    /// Starts pressing `file`, which must be a regular file. finish() fails if `file` changes until
    /// then.
    static Result<ProfilePresser> create(const std::filesystem::path& file,
                                         ExistingFile existing = ExistingFile::kReplace);
    ~ProfilePresser();
    ProfilePresser(ProfilePresser&&) noexcept;

    Status add(const ProfileHmm& hmm);
    /// Returns a name that two of the added profiles have, the first one in the order of bytes.
    /// Empty if there is none.
    std::string name_twice() const;
    /// Returns an accession that two of the added profiles have, the first one in the order of
    /// bytes. Empty if there is none.
    std::string accession_twice() const;
    std::uint64_t profiles() const;
    std::uint64_t accessions() const;  // number of profiles that have an accession
    /// Writes what remains and gives the files their names.
    Status finish();

   private:
    struct State;
    explicit ProfilePresser(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

/// Returns the file from which the profiles of `file` are read if PressedProfiles::open() returns
/// nothing. This is `file`, or its .h3m if `file` does not exist.
std::filesystem::path profile_file_of(const std::filesystem::path& file);

}  // namespace warpseq

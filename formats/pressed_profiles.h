// Pressed profiles: what hmmpress makes of a file P of profiles, so that many of them are opened at once and found by name.
//
//   P.h3m   the profiles in HMMER's binary form (formats/hmm_binary.h), which HMMER's own programs read, too
//   P.h3i   the index: where each profile begins, its checksum, its nodes, its name and accession
//   P.h3f, P.h3p   a mark each. HMMER keeps profiles configured for its own vectors there; here they are configured as they are read, which
//                  takes less time than reading them would. Programs that look whether the four files are there find them.
//
// The index, little-endian:
//
//   8 bytes   "WSPRESS" and the version, 1
//   u64 [5]   bytes of P, its time of change in seconds and in nanoseconds, bytes of P.h3m, profiles
//   for each profile: u64 where it begins in P.h3m, u64 bytes, u64 their XXH3-64, u32 nodes, u32 bytes of the name, u32 of the accession, u32 0
//   names and accessions, one after the other
//   u64       XXH3-64 of all before it
//
// A pressed file is used while P is as it was when it was pressed, in size and time, or is not there any more; P itself is read where it has
// changed. (HMMER uses what was pressed of another P, too.) What HMMER's hmmpress has pressed is known by its index, which is another one;
// then P is read, or P.h3m where there is no P. An index or a profile that is damaged is an error.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/mapped_file.h"
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

   private:
    struct Entry {
        std::uint64_t offset, bytes, checksum;
        std::uint32_t nodes, name_bytes, accession_bytes;
        std::uint64_t name_at;  // in the index
    };
    std::string_view text(std::uint64_t at, std::uint32_t bytes) const {
        return {reinterpret_cast<const char*>(index_.bytes().data()) + at, bytes};
    }
    Status read_index(const std::filesystem::path& file);

    std::filesystem::path models_file_;
    std::shared_ptr<const int> models_;  // a descriptor: pages of a map would count as memory of the process
    std::uint64_t models_bytes_ = 0;
    MappedFile index_;
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

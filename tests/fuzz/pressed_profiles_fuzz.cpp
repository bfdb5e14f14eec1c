// Fuzz target: hostile pressed files. Opening and reading must not crash, and what is read must be
// consistent.
//
// The input begins with a u16: the number of further bytes that are the own file, without the zeros
// of its first page. The rest is P.h3m. What the own file says of P.h3m is made true, and the
// checksum of its index is corrected. For every second input, those of profiles and forms are
// corrected, too, so that the code after them is reached.
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "formats/io/checksum.h"
#include "formats/profiles/pressed_profiles.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/support/scratch_folder.h"

namespace {

constexpr std::size_t kHeaderBytes = 160, kRecordBytes = 56, kPageBytes = 4096;
constexpr std::size_t kModelsAt = 72, kLaterBeginAt = 136, kIndexBeginAt = 144, kProfilesAt = 152;

std::uint64_t number_at(const std::string& bytes, std::size_t at) {
    std::uint64_t number = 0;
    if (at + sizeof number <= bytes.size()) std::memcpy(&number, bytes.data() + at, sizeof number);
    return number;
}

void set_number(std::string& bytes, std::size_t at, std::uint64_t number) {
    std::memcpy(bytes.data() + at, &number, sizeof number);
}

/// Makes the own file describe P.h3m correctly.
void set_state(std::string& own, const std::filesystem::path& models) {
    struct stat info {};
    if (stat(models.c_str(), &info) != 0) return;
    const std::array<std::uint64_t, 8> state = {
        static_cast<std::uint64_t>(info.st_size),         static_cast<std::uint64_t>(info.st_mtim.tv_sec),
        static_cast<std::uint64_t>(info.st_mtim.tv_nsec), 0,
        static_cast<std::uint64_t>(info.st_ctim.tv_sec),  static_cast<std::uint64_t>(info.st_ctim.tv_nsec),
        static_cast<std::uint64_t>(info.st_dev),          static_cast<std::uint64_t>(info.st_ino)};
    for (std::size_t i = 0; i < state.size(); ++i) set_number(own, kModelsAt + i * sizeof state[0], state[i]);
}

void set_checksum(std::string& own, std::size_t at, const std::string& of, std::uint64_t from, std::uint64_t count) {
    if (from > of.size() || count > of.size() - from) return;
    set_number(own, at, warpseq::checksum_of(of.data() + from, count));
}

void set_checksums(std::string& own, const std::string& models, bool of_profiles) {
    using namespace warpseq;
    const std::uint64_t profiles = number_at(own, kProfilesAt), index = number_at(own, kIndexBeginAt);
    if (index > own.size()) return;
    std::uint64_t first_at = kPageBytes, later_at = number_at(own, kLaterBeginAt);
    for (std::uint64_t p = 0; of_profiles && p < profiles && index + (p + 1) * kRecordBytes <= own.size(); ++p) {
        const std::size_t at = index + p * kRecordBytes;
        std::array<std::uint32_t, 4> sizes{};
        std::memcpy(sizes.data(), own.data() + at + 40, sizeof sizes);
        set_checksum(own, at + 16, models, number_at(own, at), number_at(own, at + 8));
        if (sizes[3] != 1) continue;
        set_checksum(own, at + 24, own, first_at, first_form_bytes(sizes[0]));
        set_checksum(own, at + 32, own, later_at, later_form_bytes(sizes[0]));
        first_at += first_form_bytes(sizes[0]);
        later_at += later_form_bytes(sizes[0]);
    }
    if (own.size() - index < sizeof(std::uint64_t)) return;
    const std::size_t end = own.size() - sizeof(std::uint64_t);
    const std::string checked = own.substr(0, kPageBytes) + own.substr(index, end - index);
    set_checksum(own, end, checked, 0, checked.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace warpseq;
    using namespace warpseq::fuzz;
    if (size < 2) return 0;
    static const warpseq::testing::ScratchFolder kFolder;
    const std::string rest(reinterpret_cast<const char*>(data) + 2, size - 2);
    std::string own = rest.substr(0, data[0] + std::size_t{256} * data[1]);
    const std::string models = rest.substr(own.size());
    if (own.size() >= kHeaderBytes) own.insert(kHeaderBytes, kPageBytes - kHeaderBytes, '\0');
    const std::filesystem::path models_file = kFolder.write("p.hmm.h3m", models);
    if (own.size() >= kPageBytes) {
        set_state(own, models_file);
        set_checksums(own, models, data[0] % 2 == 0);
    }
    kFolder.write("p.hmm.wspressed", own);
    auto pressed = PressedProfiles::open(kFolder.path("p.hmm"));
    if (!pressed.ok() || !*pressed) return 0;
    for (std::size_t p = 0; p < (*pressed)->size(); ++p) {
        ProfileHmm hmm;
        const Status read = (*pressed)->read(p, hmm);
        require(read.ok() || !read.message().empty(), "an error says something");
        if (read.ok()) {
            require(hmm.length == (*pressed)->nodes(p) && hmm.name == (*pressed)->name(p),
                    "it is the profile of the index");
            require(hmm.match.size() == static_cast<std::size_t>(hmm.length) + 1, "there is a row for every node");
        }
        if (!(*pressed)->has_forms(p)) continue;
        const auto nodes = static_cast<std::size_t>((*pressed)->nodes(p));
        const auto filter = (*pressed)->first_form(p);
        if (filter.ok()) {
            require(filter->msv.match_costs.size() == nodes * kResidueTableSize,
                    "there is a cost for every node and code");
            require(filter->head.statistics.has_value(), "there are statistics");
        }
        const auto configured = (*pressed)->later_form(p);
        if (!configured.ok()) continue;
        require(configured->match.size() == nodes * kResidueTableSize, "there is a score for every node and code");
        // Compute the next forms of the profile.
        require(quantise_viterbi(*configured).match.size() == configured->match.size(), "it is quantised");
        require(forward_odds(*configured).transitions.enter.size() == nodes, "it has odds");
    }
    (*pressed)->release_forms(0, (*pressed)->size());
    return 0;
}

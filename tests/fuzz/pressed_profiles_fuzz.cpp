// Fuzz target: hostile pressed files. Whatever the bytes, opening and reading must not crash, and what is read has to hold together.
//
// The input begins with three u16: how much of the rest is the index, then P.h3m, then P.h3f behind its first page; what is left is P.h3p
// behind its first page. Pages are those that belong to the index. For every second input checksums are set right, of profiles, of forms
// and of the index, so that what follows them is reached.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "formats/checksum.h"
#include "formats/pressed_profiles.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/support/scratch_folder.h"

namespace {

constexpr std::size_t kHeaderBytes = 64, kRecordBytes = 56, kPageBytes = 4096;

std::uint64_t number_at(const std::string& bytes, std::size_t at) {
    std::uint64_t number = 0;
    if (at + sizeof number <= bytes.size()) std::memcpy(&number, bytes.data() + at, sizeof number);
    return number;
}

void set_checksum(std::string& index, std::size_t at, const std::string& of, std::uint64_t from, std::uint64_t count) {
    if (from > of.size() || count > of.size() - from) return;
    const std::uint64_t checksum = warpseq::checksum_of(of.data() + from, count);
    std::memcpy(index.data() + at, &checksum, sizeof checksum);
}

void set_checksums(std::string& index, const std::string& models, const std::string& first, const std::string& later) {
    using namespace warpseq;
    const std::uint64_t profiles = number_at(index, 56);
    std::uint64_t first_at = 0, later_at = 0;
    for (std::uint64_t p = 0; p < profiles && kHeaderBytes + (p + 1) * kRecordBytes <= index.size(); ++p) {
        const std::size_t at = kHeaderBytes + p * kRecordBytes;
        std::array<std::uint32_t, 4> sizes{};
        std::memcpy(sizes.data(), index.data() + at + 40, sizeof sizes);
        set_checksum(index, at + 16, models, number_at(index, at), number_at(index, at + 8));
        if (sizes[3] != 1) continue;
        set_checksum(index, at + 24, first, first_at, first_form_bytes(sizes[0]));
        set_checksum(index, at + 32, later, later_at, later_form_bytes(sizes[0]));
        first_at += first_form_bytes(sizes[0]);
        later_at += later_form_bytes(sizes[0]);
    }
    if (index.size() < sizeof(std::uint64_t)) return;
    set_checksum(index, index.size() - sizeof(std::uint64_t), index, 0, index.size() - sizeof(std::uint64_t));
}

std::string page(const char* mark, std::uint64_t profiles, std::uint64_t bytes) {
    std::string page(mark, 8);
    page.append(reinterpret_cast<const char*>(&profiles), sizeof profiles);
    page.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
    page.resize(kPageBytes, '\0');
    return page;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace warpseq;
    using namespace warpseq::fuzz;
    if (size < 6) return 0;
    static const warpseq::testing::ScratchFolder kFolder;
    std::string rest(reinterpret_cast<const char*>(data) + 6, size - 6);
    std::array<std::string, 4> files;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const std::size_t bytes = i < 3 ? data[2 * i] + std::size_t{256} * data[2 * i + 1] : rest.size();
        files[i] = rest.substr(0, bytes);
        rest.erase(0, files[i].size());
    }
    auto& [index, models, first, later] = files;
    if (data[0] % 2 == 0) set_checksums(index, models, first, later);
    kFolder.write("p.hmm.h3i", index);
    kFolder.write("p.hmm.h3m", models);
    kFolder.write("p.hmm.h3f", page("WSPRESF\2", number_at(index, 56), number_at(index, 40)) + first);
    kFolder.write("p.hmm.h3p", page("WSPRESP\2", number_at(index, 56), number_at(index, 48)) + later);
    auto pressed = PressedProfiles::open(kFolder.path("p.hmm"));
    if (!pressed.ok() || !*pressed) return 0;
    const bool has_forms = (*pressed)->open_forms().ok();
    for (std::size_t p = 0; p < (*pressed)->size(); ++p) {
        ProfileHmm hmm;
        const Status read = (*pressed)->read(p, hmm);
        require(read.ok() || !read.message().empty(), "an error says something");
        if (read.ok()) {
            require(hmm.length == (*pressed)->nodes(p) && hmm.name == (*pressed)->name(p),
                    "it is the profile of the index");
            require(hmm.match.size() == static_cast<std::size_t>(hmm.length) + 1, "there is a row for every node");
        }
        if (!has_forms || !(*pressed)->has_forms(p)) continue;
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
        // What is made of it next.
        require(quantise_viterbi(*configured).match.size() == configured->match.size(), "it is quantised");
        require(forward_odds(*configured).transitions.enter.size() == nodes, "it has odds");
    }
    (*pressed)->release_forms(0, (*pressed)->size());
    return 0;
}

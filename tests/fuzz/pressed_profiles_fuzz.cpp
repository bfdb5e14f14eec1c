// Fuzz target: a hostile index beside profiles in binary form. Whatever the bytes, opening and reading must not crash, and what is read
// has to hold together. The first two bytes say how much of the rest is the index; its checksum is set right for every second input, so
// that what follows it is reached.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "formats/checksum.h"
#include "formats/pressed_profiles.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/support/scratch_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace warpseq;
    using namespace warpseq::fuzz;
    if (size < 2) return 0;
    static const warpseq::testing::ScratchFolder kFolder;
    const std::string bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
    const std::size_t index_bytes = std::min<std::size_t>(bytes.size(), data[0] + std::size_t{256} * data[1]);
    std::string index = bytes.substr(0, index_bytes);
    if (data[0] % 2 == 0 && index.size() >= sizeof(std::uint64_t)) {
        const std::size_t content = index.size() - sizeof(std::uint64_t);
        const std::uint64_t checksum = checksum_of(index.data(), content);
        std::memcpy(index.data() + content, &checksum, sizeof checksum);
    }
    kFolder.write("p.hmm.h3i", index);
    kFolder.write("p.hmm.h3m", bytes.substr(index_bytes));
    const auto pressed = PressedProfiles::open(kFolder.path("p.hmm"));
    if (!pressed.ok() || !*pressed) return 0;
    for (std::size_t p = 0; p < (*pressed)->size(); ++p) {
        ProfileHmm hmm;
        const Status read = (*pressed)->read(p, hmm);
        require(read.ok() || !read.message().empty(), "an error says something");
        if (!read.ok()) continue;
        require(hmm.length == (*pressed)->nodes(p) && hmm.name == (*pressed)->name(p),
                "it is the profile of the index");
        require(hmm.match.size() == static_cast<std::size_t>(hmm.length) + 1, "there is a row for every node");
    }
    return 0;
}

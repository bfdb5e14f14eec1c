// Fuzz target: hostile profile files, plain and compressed. Whatever the bytes, the reader must not
// crash, what it accepts must hold together, and how many bytes it gets at a time must not change
// what it reads or says.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "formats/profiles/hmm_file.h"
#include "tests/fuzz/fuzz_support.h"

namespace {

using namespace warpseq;
using namespace warpseq::fuzz;

struct Reading {
    std::vector<ProfileHmm> profiles;
    std::string error;
};

template <typename Numbers>
void require_probabilities(const std::vector<Numbers>& rows, std::size_t count) {
    require(rows.size() == count, "there is a row for every node");
    for (const Numbers& row : rows) {
        for (const float p : row) require(p >= 0 && p < 1.01f, "probabilities are from 0 to 1");
    }
}

void require_sound(const ProfileHmm& hmm) {
    require(!hmm.name.empty() && hmm.length >= 1 && hmm.length <= kLongestProfileNodes,
            "a profile has a name and nodes");
    const auto nodes = static_cast<std::size_t>(hmm.length);
    require_probabilities(hmm.match, nodes + 1);
    require_probabilities(hmm.insert, nodes + 1);
    require_probabilities(hmm.transitions, nodes + 1);
    require(hmm.consensus.size() == nodes, "there is a consensus");
    for (const std::string* const letters : {&hmm.reference, &hmm.mask, &hmm.structure}) {
        require(letters->empty() || letters->size() == nodes, "annotation is for every node");
    }
    require(hmm.map.empty() || hmm.map.size() == nodes, "the map is for every node");
    if (hmm.statistics) {
        require(
            hmm.statistics->msv_lambda > 0 && hmm.statistics->viterbi_lambda > 0 && hmm.statistics->forward_lambda > 0,
            "lambda is above 0");
    }
}

Reading read(const std::string& file, std::size_t block_bytes) {
    Reading reading;
    HmmFileReader reader(file, block_bytes);
    for (;;) {
        ProfileHmm hmm;
        const Result<bool> got = reader.next(hmm);
        if (!got.ok()) {
            reading.error = got.status().message();
            require(!reading.error.empty(), "an error says something");
            break;
        }
        if (!*got) break;
        require_sound(hmm);
        reading.profiles.push_back(std::move(hmm));
    }
    require(reader.profiles_read() == reading.profiles.size(), "profiles are counted");
    require(!reading.error.empty() || !reading.profiles.empty(), "a file without a profile is an error");
    return reading;
}

bool same(const ProfileHmm& a, const ProfileHmm& b) {
    return a.name == b.name && a.accession == b.accession && a.description == b.description && a.match == b.match &&
           a.insert == b.insert && a.transitions == b.transitions && a.consensus == b.consensus &&
           a.reference == b.reference && a.mask == b.mask && a.structure == b.structure && a.map == b.map;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const MemoryFile input(text_of(data, size));
    const std::string file = input.path();
    const Reading whole = read(file, kDefaultBlockBytes);
    const Reading pieces = read(file, 1 + size % 7);
    // How much of damaged compressed data comes out before the error depends on how much is asked
    // for.
    const auto damaged = [](const Reading& reading) {
        return reading.error.find("of the compressed file") != std::string::npos;
    };
    if (!damaged(whole) && !damaged(pieces)) {
        require(whole.error == pieces.error && whole.profiles.size() == pieces.profiles.size(),
                "the block size changes nothing");
        for (std::size_t i = 0; i < whole.profiles.size(); ++i) {
            require(same(whole.profiles[i], pieces.profiles[i]), "the block size changes no profile");
        }
    }
    return 0;
}

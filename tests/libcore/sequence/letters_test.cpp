#include "libcore/sequence/letters.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace warpseq;

TEST_CASE("letters alone are encoded, and any other byte is found") {
    for (int byte = 0; byte < 256; ++byte) {
        const std::string letters = "ACDEFGHIk*" + std::string(1, static_cast<char>(byte)) + "VX";
        std::vector<ResidueCode> codes(letters.size());
        const bool is_letter = kSymbolTable[static_cast<std::size_t>(byte)] < kResidueCodes;
        CHECK(encode_letters(letters, codes.data()) == is_letter);
        if (is_letter) CHECK(codes == encode_residues(letters));
    }
    CHECK(encode_letters("", nullptr));
}

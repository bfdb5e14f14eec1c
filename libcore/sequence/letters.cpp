#include "libcore/sequence/letters.h"

#include <cstddef>
#include <cstdint>

namespace warpseq {

bool encode_letters(std::string_view letters, ResidueCode* codes) {
    static_assert(kResidueCodes <= 32 && kSymbolGap >= 32 && kSymbolSpace >= 32 && kSymbolBad >= 32);
    std::uint8_t bits = 0;
    for (std::size_t i = 0; i < letters.size(); ++i) {
        codes[i] = kSymbolTable[static_cast<unsigned char>(letters[i])];
        bits |= codes[i];
    }
    return bits < 32;
}

}  // namespace warpseq

#include "engines/hmm/posterior_letter.h"

namespace warpseq {

char posterior_letter(float probability) {
    return probability + 0.05 >= 1.0 ? '*' : static_cast<char>('0' + static_cast<int>((probability + 0.05) * 10.0));
}

float posterior_of(char letter) {
    switch (letter) {
        case '0': return 0.01F;
        case '*': return 1.0F;
        case '.': return 0.0F;
        default: return static_cast<float>((letter - '0') / 10.0);
    }
}

}  // namespace warpseq

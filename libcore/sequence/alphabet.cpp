#include "libcore/sequence/alphabet.h"

namespace warpseq {

namespace {

constexpr std::array<std::uint8_t, 256> make_symbol_table() {
    std::array<std::uint8_t, 256> table{};
    for (auto& entry : table) entry = kSymbolBad;
    for (int code = 0; code < kResidueCodes; ++code) {
        const char letter = kResidueLetters[static_cast<std::size_t>(code)];
        table[static_cast<unsigned char>(letter)] = static_cast<std::uint8_t>(code);
        if (letter >= 'A' && letter <= 'Z') {
            table[static_cast<unsigned char>(letter - 'A' + 'a')] = static_cast<std::uint8_t>(code);
        }
    }
    for (const char gap : {'-', '.'}) table[static_cast<unsigned char>(gap)] = kSymbolGap;
    for (const char space : {' ', '\t', '\v', '\f', '\r', '\n'})
        table[static_cast<unsigned char>(space)] = kSymbolSpace;
    return table;
}

}  // namespace

constinit const std::array<std::uint8_t, 256> kSymbolTable = make_symbol_table();

std::string decode_residues(std::span<const ResidueCode> residues) {
    std::string letters(residues.size(), '?');
    for (std::size_t i = 0; i < residues.size(); ++i) letters[i] = residue_letter(residues[i]);
    return letters;
}

std::vector<ResidueCode> encode_residues(std::string_view letters) {
    std::vector<ResidueCode> residues(letters.size());
    for (std::size_t i = 0; i < letters.size(); ++i) {
        const std::uint8_t symbol = kSymbolTable[static_cast<unsigned char>(letters[i])];
        residues[i] = symbol < kResidueCodes ? symbol : kCodeX;
    }
    return residues;
}

}  // namespace warpseq

#include "libcore/scoring/profile_matrices.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>

#include "libcore/scoring/builtin_matrices.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

namespace {

// The lower triangle of each matrix, with rows and columns in this order. clang-format would give
// every score a line.
constexpr std::string_view kLetters = "ARNDCQEGHILKMFPSTWYV";
using Triangle = std::array<std::int8_t, kAminoAcids*(kAminoAcids + 1) / 2>;

// clang-format off
constexpr Triangle kBlosum80 = {{
    7,  // A
    -3, 9,  // R
    -3, -1, 9,  // N
    -3, -3, 2, 10,  // D
    -1, -6, -5, -7, 13,  // C
    -2, 1, 0, -1, -5, 9,  // Q
    -2, -1, -1, 2, -7, 3, 8,  // E
    0, -4, -1, -3, -6, -4, -4, 9,  // G
    -3, 0, 1, -2, -7, 1, 0, -4, 12,  // H
    -3, -5, -6, -7, -2, -5, -6, -7, -6, 7,  // I
    -3, -4, -6, -7, -3, -4, -6, -7, -5, 2, 6,  // L
    -1, 3, 0, -2, -6, 2, 1, -3, -1, -5, -4, 8,  // K
    -2, -3, -4, -6, -3, -1, -4, -5, -4, 2, 3, -3, 9,  // M
    -4, -5, -6, -6, -4, -5, -6, -6, -2, -1, 0, -5, 0, 10,  // F
    -1, -3, -4, -3, -6, -3, -2, -5, -4, -5, -5, -2, -4, -6, 12,  // P
    2, -2, 1, -1, -2, -1, -1, -1, -2, -4, -4, -1, -3, -4, -2, 7,  // S
    0, -2, 0, -2, -2, -1, -2, -3, -3, -2, -3, -1, -1, -4, -3, 2, 8,  // T
    -5, -5, -7, -8, -5, -4, -6, -6, -4, -5, -4, -6, -3, 0, -7, -6, -5, 16,  // W
    -4, -4, -4, -6, -5, -3, -5, -6, 3, -3, -2, -4, -3, 4, -6, -3, -3, 3, 11,  // Y
    -1, -4, -5, -6, -2, -4, -4, -6, -5, 4, 1, -4, 1, -2, -4, -3, 0, -5, -3, 7,  // V
}};

constexpr Triangle kPam120 = {{
    3,  // A
    -3, 6,  // R
    -1, -1, 4,  // N
    0, -3, 2, 5,  // D
    -3, -4, -5, -7, 9,  // C
    -1, 1, 0, 1, -7, 6,  // Q
    0, -3, 1, 3, -7, 2, 5,  // E
    1, -4, 0, 0, -4, -3, -1, 5,  // G
    -3, 1, 2, 0, -4, 3, -1, -4, 7,  // H
    -1, -2, -2, -3, -3, -3, -3, -4, -4, 6,  // I
    -3, -4, -4, -5, -7, -2, -4, -5, -3, 1, 5,  // L
    -2, 2, 1, -1, -7, 0, -1, -3, -2, -3, -4, 5,  // K
    -2, -1, -3, -4, -6, -1, -3, -4, -4, 1, 3, 0, 8,  // M
    -4, -5, -4, -7, -6, -6, -7, -5, -3, 0, 0, -7, -1, 8,  // F
    1, -1, -2, -3, -4, 0, -2, -2, -1, -3, -3, -2, -3, -5, 6,  // P
    1, -1, 1, 0, 0, -2, -1, 1, -2, -2, -4, -1, -2, -3, 1, 3,  // S
    1, -2, 0, -1, -3, -2, -2, -1, -3, 0, -3, -1, -1, -4, -1, 2, 4,  // T
    -7, 1, -4, -8, -8, -6, -8, -8, -3, -6, -3, -5, -6, -1, -7, -2, -6, 12,  // W
    -4, -5, -2, -5, -1, -5, -5, -6, -1, -2, -2, -5, -4, 4, -6, -3, -3, -2, 8,  // Y
    0, -3, -3, -3, -3, -3, -3, -2, -3, 3, 1, -4, 1, -3, -2, -2, 0, -8, -3, 5,  // V
}};

constexpr Triangle kPam240 = {{
    2,  // A
    -2, 6,  // R
    0, 0, 2,  // N
    0, -1, 2, 4,  // D
    -2, -4, -4, -5, 12,  // C
    0, 1, 1, 2, -6, 4,  // Q
    0, -1, 1, 4, -6, 3, 4,  // E
    1, -3, 0, 1, -4, -1, 0, 5,  // G
    -1, 2, 2, 1, -4, 3, 1, -2, 7,  // H
    -1, -2, -2, -2, -2, -2, -2, -3, -3, 5,  // I
    -2, -3, -3, -4, -6, -2, -3, -4, -2, 2, 6,  // L
    -1, 3, 1, 0, -6, 1, 0, -2, 0, -2, -3, 5,  // K
    -1, 0, -2, -3, -5, -1, -2, -3, -2, 2, 4, 0, 7,  // M
    -4, -5, -4, -6, -5, -5, -6, -5, -2, 1, 2, -5, 0, 9,  // F
    1, 0, -1, -1, -3, 0, -1, -1, 0, -2, -3, -1, -2, -5, 6,  // P
    1, 0, 1, 0, 0, -1, 0, 1, -1, -1, -3, 0, -2, -3, 1, 2,  // S
    1, -1, 0, 0, -2, -1, 0, 0, -1, 0, -2, 0, -1, -3, 0, 1, 3,  // T
    -6, 2, -4, -7, -8, -5, -7, -7, -3, -5, -2, -4, -4, 0, -6, -3, -5, 17,  // W
    -4, -4, -2, -4, 0, -4, -4, -5, 0, -1, -1, -5, -3, 7, -5, -3, -3, 0, 10,  // Y
    0, -3, -2, -2, -2, -2, -2, -1, -2, 4, 2, -3, 2, -1, -1, -1, 0, -6, -3, 4,  // V
}};

// clang-format on

struct Entry {
    std::string_view name;
    const Triangle* scores;
};
/// These matrices take precedence over built-in ones of the same name.
constexpr Entry kEntries[] = {{"BLOSUM80", &kBlosum80}, {"PAM120", &kPam120}, {"PAM240", &kPam240}};

SubstitutionMatrix expand(const Entry& entry) {
    SubstitutionMatrix::Table table{};
    std::size_t next = 0;
    for (std::size_t row = 0; row < kLetters.size(); ++row) {
        const ResidueCode a = kSymbolTable[static_cast<unsigned char>(kLetters[row])];
        for (std::size_t column = 0; column <= row; ++column) {
            const ResidueCode b = kSymbolTable[static_cast<unsigned char>(kLetters[column])];
            table[a][b] = table[b][a] = (*entry.scores)[next++];
        }
    }
    return {std::string(entry.name), table};
}

}  // namespace

std::optional<SubstitutionMatrix> profile_matrix(std::string_view name) {
    for (const Entry& entry : kEntries) {
        const bool same = std::ranges::equal(
            name, entry.name, [](char a, char b) { return std::toupper(static_cast<unsigned char>(a)) == b; });
        if (same) return expand(entry);
    }
    return builtin_matrix(name);
}

bool is_hmmer_matrix(std::string_view name) {
    constexpr std::string_view kNames[] = {"PAM30",    "PAM70",    "PAM120",   "PAM240",  "BLOSUM45",
                                           "BLOSUM50", "BLOSUM62", "BLOSUM80", "BLOSUM90"};
    return std::ranges::find(kNames, name) != std::end(kNames);
}

std::vector<std::string_view> profile_matrix_names() {
    std::vector<std::string_view> names = builtin_matrix_names();
    for (const Entry& entry : kEntries) {
        if (std::ranges::find(names, entry.name) == names.end()) names.push_back(entry.name);
    }
    return names;
}

}  // namespace warpseq

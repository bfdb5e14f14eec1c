#include "libcore/profile/aligned_rows.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace warpseq {
namespace {

constexpr ResidueCode kBadCode = 255;

const std::array<ResidueCode, 256>& codes_of_letters() {
    static constexpr auto kTable = [] {
        std::array<ResidueCode, 256> table{};
        table.fill(kBadCode);
        for (std::size_t code = 0; code < kResidueLetters.size(); ++code) {
            const char letter = kResidueLetters[code];
            table[static_cast<unsigned char>(letter)] = static_cast<ResidueCode>(code);
            if (letter >= 'A' && letter <= 'Z') {
                table[static_cast<unsigned char>(letter - 'A' + 'a')] = static_cast<ResidueCode>(code);
            }
        }
        for (const char gap : {'-', '.', '_'}) table[static_cast<unsigned char>(gap)] = kGapCode;
        table['~'] = kMissingCode;
        return table;
    }();
    return kTable;
}

/// Returns Easel's number of a code: amino acids first, then the gap, then the other letters.
constexpr std::uint32_t easel_number(ResidueCode code) {
    constexpr std::uint32_t kEaselGap = 20;
    if (code < kAminoAcids || code == kMissingCode) return code;
    return code == kGapCode ? kEaselGap : code + std::uint32_t{1};
}

}  // namespace

Result<AlignedRows> AlignedRows::from(const MultipleAlignment& alignment) {
    AlignedRows rows;
    rows.count_ = alignment.rows.size();
    rows.columns_ = alignment.columns();
    if (rows.count_ == 0) return Status::invalid_input("an alignment has no sequences");
    if (rows.columns_ == 0) return Status::invalid_input("an alignment has no columns");
    rows.codes_.reserve(rows.count_ * rows.columns_);
    const std::array<ResidueCode, 256>& codes = codes_of_letters();
    for (const MultipleAlignment::Row& row : alignment.rows) {
        if (row.residues.size() != rows.columns_) {
            return Status::invalid_input("the aligned sequence \"" + row.name + "\" has " +
                                         std::to_string(row.residues.size()) + " columns, the first one has " +
                                         std::to_string(rows.columns_));
        }
        for (const char letter : row.residues) {
            const ResidueCode code = codes[static_cast<unsigned char>(letter)];
            if (code == kBadCode) {
                return Status::invalid_input("the aligned sequence \"" + row.name +
                                             "\" has a letter that is neither a residue nor a gap");
            }
            rows.codes_.push_back(code);
        }
    }
    return rows;
}

std::uint32_t AlignedRows::checksum() const {
    std::uint32_t sum = 0;
    for (const ResidueCode code : codes_) {
        sum += easel_number(code);
        sum += sum << 10;
        sum ^= sum >> 6;
    }
    sum += sum << 3;
    sum ^= sum >> 11;
    sum += sum << 15;
    return sum;
}

std::size_t AlignedRows::row_with_inner_missing_data() const {
    const auto is_missing = [](ResidueCode code) { return code == kMissingCode; };
    for (std::size_t row = 0; row < count_; ++row) {
        const std::span<const ResidueCode> codes = (*this)[row];
        const auto begin = std::find_if_not(codes.begin(), codes.end(), is_missing);
        const auto end = std::find_if(begin, codes.end(), is_missing);
        if (std::find_if_not(end, codes.end(), is_missing) != codes.end()) return row;
    }
    return count_;
}

void AlignedRows::mark_fragments(float most_filled) {
    const double most_residues = static_cast<double>(most_filled) * static_cast<double>(columns_);
    for (std::size_t row = 0; row < count_; ++row) {
        const std::span<ResidueCode> codes = (*this)[row];
        const auto residues = std::count_if(codes.begin(), codes.end(), is_residue);
        if (static_cast<double>(residues) > most_residues) continue;
        const auto first = std::find_if(codes.begin(), codes.end(), is_residue);
        const auto last = std::find_if(codes.rbegin(), codes.rend(), is_residue);
        std::fill(codes.begin(), first, kMissingCode);
        std::fill(codes.rbegin(), last, kMissingCode);
    }
}

void AlignedRows::mask_columns(std::string_view mask) {
    for (std::size_t row = 0; row < count_; ++row) {
        const std::span<ResidueCode> codes = (*this)[row];
        for (std::size_t column = 0; column < std::min(columns_, mask.size()); ++column) {
            ResidueCode& code = codes[column];
            if (mask[column] == 'm' && code != kGapCode && code != kMissingCode) code = kCodeX;
        }
    }
}

}  // namespace warpseq

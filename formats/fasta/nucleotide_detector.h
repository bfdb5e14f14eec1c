// NucleotideDetector finds out whether sequences are nucleotides, given by mistake where proteins
// are expected.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "libcore/base/number_format.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// Counts records that look like nucleotides: at least nine tenths of their first 60 residues are
/// A, C, G, T, U or N. Records of fewer than 20 residues are not counted.
class NucleotideDetector {
   public:
    void add(std::span<const ResidueCode> residues) {
        const auto head = residues.first(std::min<std::size_t>(residues.size(), 60));
        if (head.size() < 20) return;
        const auto bases = std::ranges::count_if(head, [](ResidueCode code) { return kIsBase[code]; });
        ++judged_;
        if (static_cast<std::size_t>(bases) * 10 >= head.size() * 9) ++suspicious_;
    }
    void add(const NucleotideDetector& other) {
        judged_ += other.judged_;
        suspicious_ += other.suspicious_;
    }
    /// Whether more than half of the counted records look like nucleotides.
    bool likely() const { return suspicious_ * 2 > judged_; }
    /// Returns an answer to a file of queries whose sequences look like nucleotides. Returns
    /// nothing for other files, and if the answer was taken before.
    std::optional<std::string> take_answer(const std::string& file) {
        if (is_answered_ || !likely()) return std::nullopt;
        is_answered_ = true;
        return file + ": these are nucleotides; translate them first, or use blastx (" + found() +
               " and would be searched as proteins)";
    }
    /// Returns a text such as "3 of 4 sequences look like nucleotides".
    std::string found() const {
        return format_count(suspicious_) + " of " + format_count(judged_) +
               (judged_ == 1 ? " sequence looks" : " sequences look") + " like nucleotides";
    }

   private:
    static constexpr std::array<bool, kResidueCodes> kIsBase = [] {
        std::array<bool, kResidueCodes> table{};
        for (std::size_t code = 0; code < table.size(); ++code)
            table[code] = std::string_view("ACGTUN").find(kResidueLetters[code]) != std::string_view::npos;
        return table;
    }();
    std::uint64_t judged_ = 0, suspicious_ = 0;
    bool is_answered_ = false;
};

}  // namespace warpseq

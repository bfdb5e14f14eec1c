// PairDotPlot: a drawing of the paths of alignments, as SVG. The target runs from left to right and
// the query from top to bottom. Each alignment is a line. Several pairs share the drawing, where
// sequences stand one after the other along its sides, in the order of their files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reports/pair/pair_report.h"

namespace warpseq {

/// The drawing. Alignments are added one by one.
class PairDotPlot {
   public:
    /// Makes room for all sequences in the pairs of `input`, which must outlive the drawing.
    explicit PairDotPlot(const PairInput& input);

    /// Adds the path of an alignment. Adds nothing for a pair without an alignment. Points of a
    /// path are at least a quarter of a pixel apart, so that a path of any length has at most about
    /// 8,000 of them.
    void add(const PairResult& result);
    /// Returns the whole drawing.
    std::string svg() const;

   private:
    /// The sequences along one side.
    struct Side {
        std::vector<std::uint64_t> begins;  // residues before each sequence, by its index in the input
        std::vector<std::size_t> used;      // indices of the sequences with a place, in order
        std::uint64_t residues = 0;
        double pixels = 0;
    };
    static Side lay_out(const std::vector<PairSequence>& sequences, const std::vector<bool>& used);
    void add_scale(const Side& side, const std::vector<PairSequence>& sequences, bool across, std::string& out) const;

    const PairInput& input_;
    Side across_, down_;
    std::string paths_;
};

}  // namespace warpseq

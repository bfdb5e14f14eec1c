// A drawing of where alignments run, as SVG: the target from left to right, the query from top to
// bottom, a line for each alignment. Several pairs share the drawing: sequences stand one after the
// other along its sides, in the order of their files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reports/pair/pair_report.h"

namespace warpseq {

class PairDotPlot {
   public:
    /// Makes room for the sequences that `input` has pairs of.
    explicit PairDotPlot(const PairInput& input);

    /// Adds a path; a pair without an alignment adds nothing. Points are a quarter of a pixel apart
    /// at least, so that a path has at most some 8,000 of them, however long it is.
    void add(const PairResult& result);
    /// The whole drawing.
    std::string svg() const;

   private:
    /// Sequences along one side.
    struct Side {
        std::vector<std::uint64_t> begins;  // residues before each sequence, by its index in the input
        std::vector<std::size_t> used;      // those with a place, in order
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

// A multiple sequence alignment as text: what files of alignments hold, what profiles are built
// from, and what searches give out.
//
// Letters are those of the file, in their case. Which of them are gaps, inserts or missing data is
// for whoever reads them to say; in Stockholm '-', '.' and '_' are gaps and '~' is missing data.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpseq {

struct MultipleAlignment {
    struct Row {
        std::string name = {}, accession = {}, description = {};  // the last two empty: none
        std::string residues = {};                                // one letter or gap per column
        std::string posteriors = {};                              // PP: one letter per column; empty: none
        std::string structure = {};                               // SS: likewise
        std::string surface = {};                                 // SA: likewise
        std::optional<double> weight = {};                        // WT
    };
    /// Score cutoffs in bits, of a sequence and of a domain; the second may be missing.
    struct Cutoffs {
        std::optional<float> sequence_bits = {}, domain_bits = {};
    };
    std::string name = {}, accession = {}, description = {}, author = {};  // empty: none
    std::vector<Row> rows = {};
    // One letter per column; empty: none.
    std::string posterior_consensus = {}, reference = {};  // PP_cons, RF
    std::string mask = {}, structure = {}, surface = {};   // MM, SS_cons, SA_cons
    Cutoffs gathering = {}, trusted = {}, noise = {};      // GA, TC, NC

    std::size_t columns() const { return rows.empty() ? reference.size() : rows.front().residues.size(); }
};

}  // namespace warpseq

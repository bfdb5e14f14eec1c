// A multiple sequence alignment as text. Alignment files hold it, profiles are built from it, and
// searches write it.
//
// Letters are those of the file, in their case. The reader of an alignment decides which of them
// are gaps, inserts or missing data. In Stockholm '-', '.' and '_' are gaps and '~' is missing
// data.
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
        std::string posteriors = {};                              // PP, one letter per column; empty: none
        std::string structure = {};                               // SS, one letter per column; empty: none
        std::string surface = {};                                 // SA, one letter per column; empty: none
        std::optional<double> weight = {};                        // WT
    };
    /// Score cutoffs in bits, for a sequence and for a domain. The second may be missing.
    struct Cutoffs {
        std::optional<float> sequence_bits = {}, domain_bits = {};
    };
    std::string name = {}, accession = {}, description = {}, author = {};  // empty: none
    bool shows_empty_name = false;                                         // whether formats show even an empty name
    std::vector<Row> rows = {};
    // Lines of annotation with one letter per column; empty: none.
    std::string posterior_consensus = {}, reference = {};  // PP_cons, RF
    std::string mask = {}, structure = {}, surface = {};   // MM, SS_cons, SA_cons
    Cutoffs gathering = {}, trusted = {}, noise = {};      // GA, TC, NC

    std::size_t columns() const { return rows.empty() ? reference.size() : rows.front().residues.size(); }
};

}  // namespace warpseq

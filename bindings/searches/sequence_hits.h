// The hits of a query of a search by sequence, whatever engine has found them, as bindings show
// them. Positions count from 1, and ends are included. All text is UTF-8. Bytes that are not UTF-8
// become U+FFFD.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libcore/base/status.h"
#include "libcore/scoring/alignment.h"
#include "libcore/scoring/scoring.h"
#include "libcore/sequence/alphabet.h"
#include "libcore/statistics/composition_adjustment.h"
#include "reports/alignment_text.h"
#include "reports/taxon_names.h"

namespace warpseq {

/// The search that a query's hits come from, and its numbers for this query.
struct SearchFacts {
    std::string engine = {};     // "sw" or "blastp"
    std::string databases = {};  // names of the databases
    std::string reference = {};  // the paper to cite; empty if there is none
    std::string matrix = {};
    int gap_open = 0, gap_extend = 0;
    double evalue = 0;        // the limit on E-values
    std::string filter = {};  // blastp's word for what masks queries; empty in other searches
    int composition = 0;      // mode of composition-based statistics
    std::uint64_t sequences = 0, residues = 0;
    std::optional<std::uint64_t> search_space = {}, length_adjustment = {};  // numbers of blastp
    std::optional<double> lambda = {}, k = {}, h = {};                       // nothing if no statistics are known
    std::string message = {};                                                // blastp's message about the query
};

/// The names of a query or of a target.
struct SequenceNames {
    std::string name = {};
    std::string accession = {}, accession_version = {};  // without and with the version
    std::string description = {}, gi = {};               // empty if there is none
};

/// A target.
struct FoundTarget {
    SequenceNames names = {};
    std::vector<SequenceNames> all_names = {};  // of all its definition lines
    std::vector<std::uint64_t> taxids = {};     // the known ones, ascending
    std::uint64_t residues = 0;
    std::uint64_t position = 0;  // in the order of all databases and their inputs, from 0
};

/// An alignment of the query with a target, as it refers to the hits.
struct FoundHsp {
    Alignment alignment = {};
    std::span<const ResidueCode> query = {}, aligned_target = {};  // as in count_alignment()
    std::uint64_t query_residues = 0;                              // length of the whole query
    std::optional<double> evalue = {}, bits = {};                  // nothing if no statistics are known
    std::optional<CompositionAdjuster::Rule> rule = {};            // how scores were adjusted to compositions
    const SubstitutionMatrix* matrix = nullptr;                    // for positives, as tables have them

    AlignmentCounts counts() const { return count_alignment(alignment, query, aligned_target, *matrix); }
    AlignmentText text() const { return draw_alignment(alignment, query, aligned_target, *matrix); }
};

class SequenceHits;

/// A writer of the reports of one search. begin() is called first, then add() for each query, then
/// end(). Each of them may leave text for take().
class SequenceWriter {
   public:
    virtual ~SequenceWriter() = default;
    virtual void begin() = 0;
    /// Adds the hits of a query of the same search. Hits of another engine are a usage error.
    virtual Status add(const SequenceHits& hits) = 0;
    virtual void end() = 0;
    /// Returns the text since the last call.
    std::string take() {
        std::string text = std::move(text_);
        text_.clear();
        return text;
    }

   protected:
    std::string text_;  // the string of all calls of a report's writer
};

/// The hits, best first. Immutable and thread-safe.
class SequenceHits {
   public:
    explicit SequenceHits(std::uint64_t number) : number_(number) {}
    virtual ~SequenceHits() = default;

    /// Returns the number of the query in its search, from 1.
    std::uint64_t number() const { return number_; }

    virtual SearchFacts facts() const = 0;
    virtual SequenceNames query_names() const = 0;
    virtual std::uint64_t query_residues() const = 0;
    virtual std::size_t size() const = 0;
    virtual FoundTarget target(std::size_t hit) const = 0;
    /// Returns the names of a target's taxa, as tables have them.
    virtual TaxonNames taxa(std::size_t hit) const = 0;
    virtual std::size_t hsp_count(std::size_t hit) const = 0;
    virtual FoundHsp hsp(std::size_t hit, std::size_t index) const = 0;
    /// Returns the lowest E-value of a target, or nothing if no statistics are known.
    virtual std::optional<double> evalue(std::size_t hit) const = 0;
    /// Returns the number of query residues that at least one of a target's alignments covers.
    virtual std::uint64_t covered_residues(std::size_t hit) const = 0;

    /// Returns the writer of a format of --outfmt, or of the one among the search's options if
    /// there is no format here. `header` asks for a first row with the names of the columns. `file`
    /// is the report's file, which formats that write more files need. Wrong formats are usage
    /// errors.
    virtual Result<std::unique_ptr<SequenceWriter>> writer(const std::optional<std::string>& format, bool header,
                                                           const std::optional<std::filesystem::path>& file) const = 0;

   private:
    std::uint64_t number_;
};

}  // namespace warpseq

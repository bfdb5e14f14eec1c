#include "engines/hmm/hmm_alignment.h"

#include <algorithm>
#include <cctype>
#include <new>
#include <string>
#include <vector>

#include "engines/hmm/posterior_letter.h"
#include "formats/fasta/hmmer_fasta.h"
#include "libcore/base/ascii.h"

namespace warpseq {

namespace {

/// The source of a row: a domain or a sequence.
struct Member {
    std::span<const TraceStep> trace;
    std::span<const ResidueCode> residues;  // the first is number first_residue
    std::int64_t first_residue = 1;
    const AlignedSequence* sequence = nullptr;  // none: a domain

    bool has_posteriors() const { return sequence == nullptr || sequence->has_posteriors; }
    bool has_flanks() const { return sequence != nullptr && !sequence->flank_posteriors.empty() && !trace.empty(); }
    std::size_t residues_before() const {
        return has_flanks() ? static_cast<std::size_t>(trace.front().residue - first_residue) : 0;
    }
    std::size_t residues_behind() const {
        return has_flanks() ? residues.size() - static_cast<std::size_t>(trace.back().residue - first_residue + 1) : 0;
    }
};

struct DomainRow {
    const HmmHit* hit;
    const HmmDomain* domain;
};

std::vector<DomainRow> included_domains(const HmmReport& report) {
    std::vector<DomainRow> rows;
    for (const HmmHit& hit : report.hits) {
        if (!hit.included) continue;
        for (const HmmDomain& domain : hit.domains)
            if (domain.included) rows.push_back({&hit, &domain});
    }
    return rows;
}

Member member_of(const HmmDomain& domain) { return {domain.trace, domain.aligned_residues, domain.alignment_from}; }
Member member_of(const AlignedSequence& sequence) { return {sequence.trace, sequence.residues, 1, &sequence}; }

/// The places of an alignment's columns. The column of node k (1..M), from 0, is followed by those
/// of node k's inserts. The columns of node 0's inserts begin the alignment.
class Columns {
   public:
    /// `trim` makes no columns before the first node and behind the last.
    Columns(int nodes, bool trim) : trim_(trim), longest_(static_cast<std::size_t>(nodes) + 1, 0), inserts_(longest_) {}

    void add(const Member& member) {
        std::ranges::fill(inserts_, std::size_t{0});
        for (const TraceStep& step : member.trace)
            if (step.state == TraceState::kInsert) ++inserts_[static_cast<std::size_t>(step.node)];
        inserts_.front() += member.residues_before();
        inserts_.back() += member.residues_behind();
        for (std::size_t k = 0; k < longest_.size(); ++k) longest_[k] = std::max(longest_[k], inserts_[k]);
    }

    void finish() {
        if (trim_) longest_.front() = longest_.back() = 0;
        columns_.assign(longest_.size() + 1, longest_.front());
        for (std::size_t k = 1; k < longest_.size(); ++k) columns_[k + 1] = columns_[k] + 1 + longest_[k];
    }

    std::size_t nodes() const { return longest_.size() - 1; }
    std::size_t count() const { return columns_.back(); }
    std::size_t of(std::size_t node) const { return columns_[node]; }
    std::size_t inserts_begin(std::size_t node) const { return node == 0 ? 0 : columns_[node] + 1; }
    std::size_t inserts_end(std::size_t node) const { return columns_[node + 1]; }
    bool are_left_out(std::size_t node) const { return trim_ && (node == 0 || node == nodes()); }

   private:
    bool trim_;
    std::vector<std::size_t> longest_, inserts_, columns_;
};

/// Maker of one row: puts residues and posterior letters into the columns of the alignment.
class RowMaker {
   public:
    RowMaker(const Columns& columns, const Member& member) : columns_(columns), member_(member) {
        residues_.assign(columns.count(), '.');
        for (std::size_t k = 1; k <= columns.nodes(); ++k) residues_[columns.of(k)] = '-';
        if (member.has_posteriors()) posteriors_.assign(columns.count(), '.');
        if (member.trace.empty()) return;
        mark_missing_before();
        add_flank(0, member.first_residue, member.residues_before());
        for (const TraceStep& step : member.trace) add(step);
        if (member.residues_behind() > 0) {
            add_flank(columns.nodes(), member.trace.back().residue + 1, member.residues_behind());
        }
        add_insert(member.sequence != nullptr && member.sequence->cut_behind);
        mark_missing_behind();
    }

    std::string take_residues() { return std::move(residues_); }
    std::string take_posteriors() { return std::move(posteriors_); }

   private:
    void add(const TraceStep& step) {
        const auto node = static_cast<std::size_t>(step.node);
        if (!insert_.empty() && (step.state != TraceState::kInsert || node != insert_node_)) add_insert();
        if (step.state == TraceState::kInsert) {
            insert_node_ = node;
            insert_.push_back({step.residue, step.posterior});
            return;
        }
        end_ = columns_.of(node) + 1;
        if (step.state == TraceState::kMatch)
            put({step.residue, step.posterior}, columns_.of(node), true);
        else
            residues_[columns_.of(node)] = '-';
    }

    struct Residue {
        std::int64_t number;
        float posterior;
    };

    void add_flank(std::size_t node, std::int64_t first, std::size_t count) {
        if (count == 0) return;
        if (node != insert_node_) add_insert();
        insert_node_ = node;
        for (std::size_t i = 0; i < count; ++i) {
            const std::int64_t number = first + static_cast<std::int64_t>(i);
            insert_.push_back({number, member_.sequence->flank_posteriors[static_cast<std::size_t>(number - 1)]});
        }
    }

    void put(Residue residue, std::size_t column, bool match) {
        const auto letter = static_cast<unsigned char>(shown_letter(code(residue)));
        residues_[column] = static_cast<char>(match ? std::toupper(letter) : std::tolower(letter));
        if (!posteriors_.empty()) posteriors_[column] = posterior_letter(residue.posterior);
    }

    /// Places the collected insert. A stop counts as no residue when the insert is halved.
    void add_insert(bool is_cut_here = false) {
        if (insert_.empty()) return;
        const std::size_t begin = columns_.inserts_begin(insert_node_), end = columns_.inserts_end(insert_node_);
        if (!columns_.are_left_out(insert_node_)) {
            std::size_t left = 0;
            for (const Residue& residue : insert_) left += code(residue) >= kCodeStop ? 0U : 1U;
            left = insert_node_ == 0 ? 0 : left / 2;
            // Missing data behind a fragment fills up the columns.
            if (insert_node_ == columns_.nodes() || is_cut_here) left = insert_.size();
            for (std::size_t i = 0; i < left; ++i) put(insert_[i], begin + i, false);
            // Letters that are shown as gaps (formats/fasta/hmmer_fasta.h) take no column among the
            // residues that move to the right, so those close up. Nothing moves in a single column.
            std::size_t column = end;
            for (std::size_t i = insert_.size(); i-- > left;)
                if (end - begin == 1 || code(insert_[i]) != kShownGap) put(insert_[i], --column, false);
            end_ = begin + insert_.size();
        }
        insert_.clear();
    }

    void mark_missing_before() {
        if (member_.sequence == nullptr || !member_.sequence->cut_before) return;
        const TraceStep& first = member_.trace.front();
        const std::size_t end = first.node == 0 ? 0 : columns_.of(static_cast<std::size_t>(first.node)) + 1;
        std::fill_n(residues_.begin(), end, '~');
    }

    void mark_missing_behind() {
        if (member_.sequence == nullptr || !member_.sequence->cut_behind) return;
        std::fill(residues_.begin() + static_cast<std::ptrdiff_t>(end_), residues_.end(), '~');
    }

    ResidueCode code(const Residue& residue) const {
        return member_.residues[static_cast<std::size_t>(residue.number - member_.first_residue)];
    }

    const Columns& columns_;
    const Member& member_;
    std::string residues_, posteriors_;
    std::vector<Residue> insert_;
    std::size_t insert_node_ = 0;
    std::size_t end_ = 0;  // behind the last column that has been filled, before inserts are moved
};

/// The mean posterior probability of each column's matches.
class PosteriorMeans {
   public:
    explicit PosteriorMeans(std::size_t nodes) : totals_(nodes + 1, 0), residues_(nodes + 1, 0) {}

    /// Adds a row. For a domain the value of its letter counts.
    void add(const Member& member) {
        if (!member.has_posteriors()) return;
        any_ = true;
        for (const TraceStep& step : member.trace) {
            if (step.state != TraceState::kMatch) continue;
            const auto node = static_cast<std::size_t>(step.node);
            totals_[node] +=
                member.sequence == nullptr ? posterior_of(posterior_letter(step.posterior)) : step.posterior;
            ++residues_[node];
        }
    }

    /// Returns the PP_cons line; empty if no row has posterior probabilities.
    std::string line(const Columns& columns) const {
        if (!any_) return {};
        std::string line(columns.count(), '.');
        for (std::size_t k = 1; k < totals_.size(); ++k) {
            if (residues_[k] > 0) line[columns.of(k)] = posterior_letter(static_cast<float>(totals_[k] / residues_[k]));
        }
        return line;
    }

   private:
    std::vector<double> totals_;
    std::vector<int> residues_;
    bool any_ = false;
};

MultipleAlignment::Row row_of(const AlignedSequence& sequence) {
    MultipleAlignment::Row row;
    row.name = sequence.name;
    row.accession = sequence.accession;
    row.description = sequence.description;
    return row;
}

MultipleAlignment::Row row_of(const DomainRow& domain) {
    const HmmHit& hit = *domain.hit;
    MultipleAlignment::Row row;
    row.name = hit.target_name + "/" + std::to_string(domain.domain->alignment_from) + "-" +
               std::to_string(domain.domain->alignment_to);
    row.accession = hit.target_accession;
    row.description = "[subseq from] " + (hit.target_description.empty() ? hit.target_name : hit.target_description);
    return row;
}

/// Rows that one thread makes at a time.
constexpr std::size_t kRowsPerTask = 32;

/// Maker of an alignment: adds rows in the order of calls, after all members are known.
class AlignmentMaker {
   public:
    AlignmentMaker(const ProfileHmm& hmm, bool trim)
        : columns_(hmm.length, trim), means_(static_cast<std::size_t>(hmm.length)) {}

    void measure(const Member& member) { columns_.add(member); }

    void begin() {
        columns_.finish();
        alignment_.reference.assign(columns_.count(), '.');
        for (std::size_t k = 1; k <= columns_.nodes(); ++k) alignment_.reference[columns_.of(k)] = 'x';
    }

    void expect(std::size_t rows) { alignment_.rows.reserve(rows); }

    void add(const Member& member, MultipleAlignment::Row row) {
        RowMaker maker(columns_, member);
        row.residues = maker.take_residues();
        row.posteriors = maker.take_posteriors();
        means_.add(member);
        alignment_.rows.push_back(std::move(row));
    }

    /// Adds many rows: `member` and `row` of each number below `count`.
    template <typename MemberOf, typename RowOf>
    void add_all(std::size_t count, const ThreadPool& pool, const MemberOf& member, const RowOf& row) {
        const std::size_t first = alignment_.rows.size(), tasks = (count + kRowsPerTask - 1) / kRowsPerTask;
        alignment_.rows.resize(first + count);
        // One more task adds up the means, whose terms have a fixed order.
        const Status status = pool.with_stop({}).parallel_for(tasks + 1, [&](std::uint64_t task, unsigned) {
            if (task == 0) {
                for (std::size_t i = 0; i < count; ++i) means_.add(member(i));
                return;
            }
            for (std::size_t i = (task - 1) * kRowsPerTask; i < std::min<std::size_t>(count, task * kRowsPerTask);
                 ++i) {
                const Member each = member(i);
                RowMaker maker(columns_, each);
                MultipleAlignment::Row made = row(i);
                made.residues = maker.take_residues();
                made.posteriors = maker.take_posteriors();
                alignment_.rows[first + i] = std::move(made);
            }
        });
        if (!status.ok()) throw std::bad_alloc();  // nothing else goes wrong in it
    }

    MultipleAlignment take() {
        alignment_.posterior_consensus = means_.line(columns_);
        return std::move(alignment_);
    }

    const Columns& columns() const { return columns_; }

   private:
    Columns columns_;
    PosteriorMeans means_;
    MultipleAlignment alignment_;
};

}  // namespace

std::optional<MultipleAlignment> align_domains(const ProfileHmm& hmm, const HmmReport& report,
                                               std::span<const AlignedSequence> leading, const ThreadPool* pool) {
    const std::vector<DomainRow> domains = included_domains(report);
    if (domains.empty() && leading.empty()) return std::nullopt;
    AlignmentMaker maker(hmm, false);
    for (const AlignedSequence& sequence : leading) maker.measure(member_of(sequence));
    for (const DomainRow& domain : domains) maker.measure(member_of(*domain.domain));
    maker.begin();
    for (const AlignedSequence& sequence : leading) maker.add(member_of(sequence), row_of(sequence));
    if (pool != nullptr) {
        maker.add_all(
            domains.size(), *pool, [&](std::size_t i) { return member_of(*domains[i].domain); },
            [&](std::size_t i) { return row_of(domains[i]); });
    } else {
        for (const DomainRow& domain : domains) maker.add(member_of(*domain.domain), row_of(domain));
    }
    MultipleAlignment alignment = maker.take();
    alignment.name = without_trailing_space(hmm.name);  // as HMMER cuts names of models
    alignment.shows_empty_name = true;                  // a name may be white space alone
    alignment.accession = hmm.accession;
    alignment.description = hmm.description;
    return alignment;
}

std::vector<TraceStep> matches_throughout(std::size_t residues) {
    std::vector<TraceStep> trace;
    for (std::size_t i = 1; i <= residues; ++i)
        trace.push_back({TraceState::kMatch, static_cast<std::int32_t>(i), static_cast<std::int64_t>(i), 0});
    return trace;
}

MultipleAlignment align_sequences(const ProfileHmm& hmm, std::vector<AlignedSequence> sequences, bool trim) {
    AlignmentMaker maker(hmm, trim);
    for (const AlignedSequence& sequence : sequences) maker.measure(member_of(sequence));
    maker.begin();
    maker.expect(sequences.size());
    for (AlignedSequence& each : sequences) {
        const AlignedSequence sequence = std::move(each);
        maker.add(member_of(sequence), row_of(sequence));
    }
    const Columns columns = maker.columns();
    MultipleAlignment alignment = maker.take();
    if (!hmm.mask.empty()) {
        // HMMER leaves the last node out.
        alignment.mask.assign(columns.count(), '.');
        for (std::size_t k = 1; k < columns.nodes(); ++k) alignment.mask[columns.of(k)] = hmm.mask[k - 1];
    }
    return alignment;
}

}  // namespace warpseq

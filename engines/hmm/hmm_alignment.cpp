#include "engines/hmm/hmm_alignment.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "engines/hmm/posterior_letter.h"

namespace warpseq {

namespace {

struct Member {
    const HmmHit* hit;
    const HmmDomain* domain;
};

std::vector<Member> included_domains(const HmmReport& report) {
    std::vector<Member> members;
    for (const HmmHit& hit : report.hits) {
        if (!hit.included) continue;
        for (const HmmDomain& domain : hit.domains)
            if (domain.included) members.push_back({&hit, &domain});
    }
    return members;
}

/// Columns of the alignment: that of node k at [k], from 0; inserts of node k follow up to the column of node k + 1.
/// Index 0 is unused; [M + 1] is the number of columns.
std::vector<std::size_t> columns_of_nodes(int nodes, const std::vector<Member>& members) {
    const auto count = static_cast<std::size_t>(nodes);
    std::vector<std::size_t> longest(count + 1, 0), inserts(count + 1, 0);
    for (const Member& member : members) {
        std::ranges::fill(inserts, std::size_t{0});
        for (const TraceStep& step : member.domain->trace)
            if (step.state == TraceState::kInsert) ++inserts[static_cast<std::size_t>(step.node)];
        for (std::size_t k = 0; k <= count; ++k) longest[k] = std::max(longest[k], inserts[k]);
    }
    std::vector<std::size_t> columns(count + 2, 0);
    for (std::size_t k = 1; k <= count; ++k) columns[k + 1] = columns[k] + 1 + longest[k];
    return columns;
}

/// One row: residues and posterior letters put into the columns of the alignment.
class RowMaker {
   public:
    RowMaker(const std::vector<std::size_t>& columns, const HmmDomain& domain)
        : columns_(columns), domain_(domain), residues_(columns.back(), '.'), posteriors_(columns.back(), '.') {
        for (std::size_t k = 1; k + 1 < columns.size(); ++k) residues_[columns[k]] = '-';
        for (const TraceStep& step : domain.trace) add(step);
        add_insert();
    }

    std::string take_residues() { return std::move(residues_); }
    std::string take_posteriors() { return std::move(posteriors_); }

   private:
    void add(const TraceStep& step) {
        if (step.state == TraceState::kInsert) {
            insert_.push_back(&step);
            return;
        }
        add_insert();
        if (step.state == TraceState::kMatch) put(step, columns_[static_cast<std::size_t>(step.node)]);
    }

    void put(const TraceStep& step, std::size_t column) {
        const auto letter = static_cast<unsigned char>(residue_letter(residue(step)));
        residues_[column] =
            static_cast<char>(step.state == TraceState::kMatch ? std::toupper(letter) : std::tolower(letter));
        posteriors_[column] = posterior_letter(step.posterior);
    }

    /// Places the collected insert: a stop counts as no residue when the insert is halved.
    void add_insert() {
        if (insert_.empty()) return;
        const auto node = static_cast<std::size_t>(insert_.front()->node);
        const std::size_t begin = columns_[node] + 1, end = columns_[node + 1];
        std::size_t left = 0;
        for (const TraceStep* step : insert_) left += residue(*step) == kCodeStop ? 0U : 1U;
        left /= 2;
        for (std::size_t i = 0; i < insert_.size(); ++i)
            put(*insert_[i], i < left ? begin + i : end - insert_.size() + i);
        insert_.clear();
    }

    ResidueCode residue(const TraceStep& step) const {
        return domain_.aligned_residues[static_cast<std::size_t>(step.residue - domain_.alignment_from)];
    }

    const std::vector<std::size_t>& columns_;
    const HmmDomain& domain_;
    std::string residues_, posteriors_;
    std::vector<const TraceStep*> insert_;
};

std::string posterior_consensus(const std::vector<std::size_t>& columns,
                                const std::vector<MultipleAlignment::Row>& rows) {
    std::string consensus(columns.back(), '.');
    for (std::size_t k = 1; k + 1 < columns.size(); ++k) {
        double total = 0;
        int residues = 0;
        for (const MultipleAlignment::Row& row : rows) {
            const char letter = row.posteriors[columns[k]];
            if (letter == '.') continue;
            total += posterior_of(letter);
            ++residues;
        }
        if (residues > 0) consensus[columns[k]] = posterior_letter(static_cast<float>(total / residues));
    }
    return consensus;
}

}  // namespace

std::optional<MultipleAlignment> align_domains(const ProfileHmm& hmm, const HmmReport& report) {
    const std::vector<Member> members = included_domains(report);
    if (members.empty()) return std::nullopt;
    const std::vector<std::size_t> columns = columns_of_nodes(hmm.length, members);

    MultipleAlignment alignment;
    alignment.name = hmm.name;
    alignment.accession = hmm.accession;
    alignment.description = hmm.description;
    alignment.reference.assign(columns.back(), '.');
    for (std::size_t k = 1; k + 1 < columns.size(); ++k) alignment.reference[columns[k]] = 'x';
    for (const auto& [hit, domain] : members) {
        RowMaker maker(columns, *domain);
        MultipleAlignment::Row row;
        row.name = hit->target_name + "/" + std::to_string(domain->alignment_from) + "-" +
                   std::to_string(domain->alignment_to);
        row.accession = hit->target_accession;
        row.description =
            "[subseq from] " + (hit->target_description.empty() ? hit->target_name : hit->target_description);
        row.residues = maker.take_residues();
        row.posteriors = maker.take_posteriors();
        alignment.rows.push_back(std::move(row));
    }
    alignment.posterior_consensus = posterior_consensus(columns, alignment.rows);
    return alignment;
}

}  // namespace warpseq

#include "options/search/listed_targets.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <memory>
#include <string>
#include <string_view>

#include "engines/targets/headers.h"
#include "formats/fasta/name_matcher.h"
#include "formats/wsdb/name_candidates.h"
#include "libcore/base/stop_scope.h"

namespace warpseq {
namespace {

/// Least number of sequences for each name. With fewer it is as fast to read the headers in their
/// order.
constexpr std::uint64_t kSequencesPerName = 8;

/// The forms of the names that an index may have, and the name of each form.
struct Forms {
    std::vector<std::string> texts;
    std::vector<std::size_t> name_of;  // index of the name, by text
};

Forms forms_of(const std::vector<std::string>& names) {
    Forms forms;
    for (std::size_t n = 0; n < names.size(); ++n) {
        std::string capitals = names[n], small = names[n];
        for (char& c : capitals) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        const bool has_other_capitals = capitals != names[n], has_other_small = small != names[n];
        forms.texts.push_back(names[n]);
        if (has_other_capitals) forms.texts.push_back(std::move(capitals));
        if (has_other_small) forms.texts.push_back(std::move(small));
        forms.name_of.resize(forms.texts.size(), n);
    }
    return forms;
}

}  // namespace

Result<bool> keep_listed(const DatabaseSet& databases, const TargetChoice& choice, const DeflineChoice& lines,
                         const ThreadPool& pool, std::vector<TargetMembers>& members) {
    const std::vector<std::string>& names = lines.listed_names();
    const bool are_left_out = choice.sequences->are_left_out;
    if (names.size() > databases.stored_sequence_count() / kSequencesPerName) return false;
    const Forms forms = forms_of(names);
    const std::vector<std::string_view> texts(forms.texts.begin(), forms.texts.end());
    WARPSEQ_TRY(StopScope::check());
    const NameMatcher matcher(texts);
    WARPSEQ_TRY(StopScope::check());
    const auto is_found = std::make_unique<std::atomic<bool>[]>(matcher.groups());
    std::vector<TargetMembers> kept;
    const auto of_taxa = [&](const WsdbReader& reader, std::uint32_t d, std::uint64_t rank, std::string_view header) {
        const auto& facts = databases.blast_facts(d);
        return choice.taxa ? marked_header(reader, rank, header, facts && facts->has_taxids) : std::string(header);
    };
    for (std::uint32_t d = 0; d < databases.size(); ++d) {
        const WsdbReader& reader = databases.reader(d);
        const TaxidsOfDatabase taxids = choice.taxids_of(reader, d);
        kept.push_back(are_left_out ? members[d] : TargetMembers(reader.sequence_count()));
        const auto candidates = find_candidates(matcher.index_hashes(), reader, pool);
        if (!candidates.ok()) return candidates.status();
        std::vector<std::vector<std::uint64_t>> decided(pool.threads());
        WARPSEQ_TRY(for_each_header(
            *candidates, reader, pool, [&](std::uint64_t rank, std::string_view header, unsigned thread) -> Status {
                matcher.match(header, [&](std::size_t group) { is_found[group] = true; });
                if (members[d].has(rank) &&
                    lines.has_any_line(of_taxa(reader, d, rank, header), taxids) != are_left_out)
                    decided[thread].push_back(rank);
                return {};
            }));
        for (const auto& some : decided) {
            for (const std::uint64_t rank : some) are_left_out ? kept[d].remove(rank) : kept[d].add(rank);
        }
    }
    std::vector<bool> is_named(names.size());
    for (std::size_t text = 0; text < texts.size(); ++text) {
        if (is_found[matcher.group_of(text)]) is_named[forms.name_of[text]] = true;
    }
    if (std::ranges::find(is_named, false) != is_named.end()) return false;
    members = std::move(kept);
    return true;
}

}  // namespace warpseq

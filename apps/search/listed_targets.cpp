#include "apps/search/listed_targets.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "engines/targets/headers.h"
#include "formats/name_candidates.h"
#include "formats/sequence_names.h"

namespace warpseq {
namespace {

/// So many sequences are there for each name at least: else headers are read as fast in their order.
constexpr std::uint64_t kSequencesPerName = 8;

/// The forms of the names that an index may have, and whose they are.
struct Forms {
    std::vector<std::string> texts;
    std::vector<std::size_t> name_of;  // by text
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
    const auto is_found = std::make_unique<std::atomic<bool>[]>(names.size());
    std::vector<TargetMembers> kept;
    const auto of_taxa = [&](const WsdbReader& reader, std::uint32_t d, std::uint64_t rank, const std::string& header) {
        const auto& facts = databases.blast_facts(d);
        return choice.taxa ? marked_header(reader, rank, header, facts && facts->has_taxids) : header;
    };
    for (std::uint32_t d = 0; d < databases.size(); ++d) {
        const WsdbReader& reader = databases.reader(d);
        const TaxidsOfDatabase taxids = choice.taxids_of(reader, d);
        kept.push_back(are_left_out ? members[d] : TargetMembers(reader.sequence_count()));
        const auto candidates = find_name_candidates(texts, reader, pool);
        if (!candidates.ok()) return candidates.status();
        constexpr std::size_t kPiece = 256;
        std::vector<HeaderBuffer> buffers(pool.threads());
        std::mutex mutex;
        WARPSEQ_TRY(pool.parallel_for(
            (candidates->size() + kPiece - 1) / kPiece, [&](std::uint64_t piece, unsigned thread) -> Status {
                std::vector<std::uint64_t> decided;
                const std::size_t end = std::min(candidates->size(), static_cast<std::size_t>(piece + 1) * kPiece);
                for (std::size_t c = static_cast<std::size_t>(piece) * kPiece; c < end; ++c) {
                    const auto& [rank, text] = (*candidates)[c];
                    const auto header = reader.header(rank, buffers[thread]);
                    if (!header.ok()) return header.status();
                    if (match_name(*header, texts[text]) != NameMatch::kNone) is_found[forms.name_of[text]] = true;
                    if (members[d].has(rank) &&
                        lines.has_any_line(of_taxa(reader, d, rank, *header), taxids) != are_left_out)
                        decided.push_back(rank);
                }
                const std::lock_guard lock(mutex);
                for (const std::uint64_t rank : decided) are_left_out ? kept[d].remove(rank) : kept[d].add(rank);
                return {};
            }));
    }
    for (std::size_t n = 0; n < names.size(); ++n) {
        if (!is_found[n]) return false;
    }
    members = std::move(kept);
    return true;
}

}  // namespace warpseq

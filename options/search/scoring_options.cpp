#include "options/search/scoring_options.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>

#include "formats/profiles/matrix_file.h"
#include "libcore/scoring/builtin_matrices.h"
#include "options/arguments.h"
#include "options/option_set.h"

namespace warpseq {

void add_gap_options(OptionSet& options, const std::string& defaults) {
    options.add_options("Scoring")  //
        ("gap-open", "cost of opening a gap; a gap of k residues costs open + k * extend; default: " + defaults,
         text_value(), "COST")  //
        ("gap-extend", "cost of each residue of a gap; default: " + defaults, text_value(), "COST");
}

Result<GapCosts> read_gap_costs(const OptionValues& parsed, GapCosts defaults) {
    GapCosts gaps = defaults;
    for (const auto& [option, cost] : {std::pair("gap-open", &gaps.open), std::pair("gap-extend", &gaps.extend)}) {
        if (parsed.count(option) == 0) continue;
        const auto given = parse_whole_number(parsed.text(option), "--" + std::string(option), 0, kHighestGapCost);
        if (!given.ok()) return given.status();
        *cost = static_cast<int>(*given);
    }
    return gaps;
}

Result<SubstitutionMatrix> find_protein_matrix(const std::string& name) {
    if (auto matrix = builtin_matrix(name)) return *std::move(matrix);
    if (std::error_code error; !std::filesystem::exists(name, error)) {
        std::string known;
        for (const std::string_view each : builtin_matrix_names())
            known += (known.empty() ? "" : ", ") + std::string(each);
        return Status::usage("--matrix " + name + ": neither a file nor one of " + known);
    }
    return read_matrix_file(name);
}

Result<CompositionMode> read_composition_mode(const OptionValues& parsed, const std::string& option) {
    const auto text = parsed.text(option);
    struct Name {
        CompositionMode mode;
        std::string_view letters;
    };
    constexpr Name kNames[] = {{CompositionMode::kNone, "0Ff"},
                               {CompositionMode::kScaled, "1"},
                               {CompositionMode::kConditional, "2TtDd"},
                               {CompositionMode::kOptimized, "3"}};
    const auto name = std::ranges::find_if(kNames, [&](const Name& entry) {
        return text.size() == 1 && entry.letters.find(text[0]) != std::string_view::npos;
    });
    if (name == std::end(kNames))
        return Status::usage("--" + parsed.name_given(option) + " " + text + ": expected 0, 1, 2 or 3");
    return name->mode;
}

}  // namespace warpseq

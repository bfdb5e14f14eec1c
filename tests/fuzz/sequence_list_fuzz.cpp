// Fuzz target: hostile lists of identifiers and of taxonomy IDs, as searches and dbconv read them.
// They are text, or come from NCBI's blastdb_aliastool. An accepted list names something, and finds
// what it names.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/fasta/record_selection.h"
#include "options/search/defline_choice.h"
#include "tests/fuzz/fuzz_support.h"

namespace {

using namespace warpseq;
using namespace warpseq::fuzz;

/// Whether a header can hold it: no control character, blank or line end.
bool is_plain(std::string_view name) {
    return std::ranges::none_of(name, [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; });
}

void read_for_search(const std::string& file) {
    for (const bool are_left_out : {false, true}) {
        const SequenceList list{"--seqidlist", file, are_left_out};
        const auto choice = DeflineChoice::read(list, std::nullopt);
        require_message(choice.status());
        if (!choice.ok()) continue;
        const auto& names = (*choice)->listed_names();
        require(!names.empty(), "a list that is read names something");
        for (std::size_t n = 0; n < names.size() && n < 100; ++n) {
            require(!names[n].empty(), "names are not empty");
            if (!is_plain(names[n])) continue;
            require((*choice)->has_any_line(names[n] + " text", {}) != are_left_out, "what is named is found");
            const std::string merged = "other_than_all_names one\x01" + names[n] + " two";
            const std::string chosen = (*choice)->chosen_lines(merged, {});
            require(chosen.size() <= merged.size(), "lines are chosen of those that there are");
        }
    }
}

void read_for_conversion(const std::string& file) {
    RecordSelection selection;
    const Status status = selection.read_list(file);
    require_message(status);
    if (!status.ok()) return;
    require(selection.has_list() && !selection.names().empty(), "a list that is read names something");
    require(selection.not_found().size() == selection.names().size(), "nothing is found at first");
    for (const std::string_view name : selection.names())
        require(selection.wants(std::string(name) + " text", 3), "what is named is wanted");
    require(selection.not_found().empty(), "all is found");
}

void read_taxa(const std::string& file) {
    const auto taxids = read_taxids(file);
    require_message(taxids.status());
    if (!taxids.ok()) return;
    require(std::ranges::is_sorted(*taxids), "taxonomy IDs are in order");
    require(std::ranges::adjacent_find(*taxids) == taxids->end(), "each once");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const MemoryFile input(text_of(data, size));
    read_for_search(input.path());
    read_for_conversion(input.path());
    read_taxa(input.path());
    return 0;
}

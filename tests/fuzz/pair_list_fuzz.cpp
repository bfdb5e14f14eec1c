// Fuzz target: hostile lists for `search pair --pairs`. A list that is accepted names sequences
// that there are.
#include "engines/pair/pair_input.h"
#include "tests/fuzz/fuzz_support.h"

using namespace warpseq;
using namespace warpseq::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const MemoryFile queries(">a\nMKVL\n>b two\nWWYF\n>b\nMMMM\n"), targets(">a\nMKVL\n>sp|P1|X\nACDE\n");
    const MemoryFile list(text_of(data, size));
    PairInputSettings settings;
    settings.query_file = queries.path();
    settings.target_file = targets.path();
    settings.pairs_file = list.path();
    const auto input = read_pair_input(settings);
    if (!input.ok()) {
        require_message(input.status());
        return 0;
    }
    require(input->pair_count() > 0, "a list that is accepted has a pair");
    for (std::uint64_t i = 0; i < input->pair_count(); ++i) {
        const auto [query, target] = input->pair(i);
        require(query < input->queries.size() && target < input->targets.size(),
                "pairs are of sequences that there are");
    }
    return 0;
}

// Fuzz target: hostile command lines, a word a line. Whatever they say, they are read, or refused
// with a message. The first byte chooses the engine.
#include <string>
#include <vector>

#include "options/arguments.h"
#include "options/blastp/blastp_options.h"
#include "options/hmm/hmm_options.h"
#include "options/option_set.h"
#include "options/pair/pair_options.h"
#include "reports/blast/blastp_report.h"
#include "reports/pair/pair_report.h"
#include "reports/report.h"
#include "tests/fuzz/fuzz_support.h"

using namespace warpseq;
using namespace warpseq::fuzz;

namespace {

template <typename T>
void check(const Result<T>& result) {
    if (!result.ok()) require_message(result.status());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const unsigned engine = data[0] % 3;
    std::vector<std::string> words{"search"};
    for (std::size_t i = 1, begin = 1; i <= size; ++i) {
        if (i < size && data[i] != '\n') continue;
        // An argument cannot hold a NUL byte.
        words.emplace_back(std::string(text_of(data + begin, i - begin)).c_str());
        begin = i + 1;
    }
    std::vector<const char*> arguments;
    for (const std::string& word : words) arguments.push_back(word.c_str());
    const int count = static_cast<int>(arguments.size());
    OptionSet options = engine == 0 ? make_hmm_options() : engine == 1 ? make_blastp_options() : make_pair_options();
    const auto parsed = options.parse(count, arguments.data());
    if (!parsed.ok()) {
        require_message(parsed.status());
        require(parsed.status().exit_status() == 2, "a wrong command line has exit status 2");
        return 0;
    }
    if (engine == 0) {
        check(read_hmm_options(*parsed));
    } else if (engine == 1) {
        const auto read = read_blastp_options(*parsed);
        check(read);
        if (read.ok()) check(make_blastp_report(read->outfmt, read->common.output_file));
    } else {
        const auto read = read_pair_options(*parsed);
        check(read);
        if (!read.ok()) return 0;
        check(make_pair_report(read->outfmt, read->score_only));
        check(make_report_writer(read->outfmt));
        check(pair_scoring_scheme(*read, Alphabet::kProtein));
        check(pair_scoring_scheme(*read, Alphabet::kNucleotide));
    }
    return 0;
}

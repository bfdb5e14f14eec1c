// parasail_scan QUERY.fasta DB.fasta FUNCTION OPEN EXTEND THREADS
//
// Measures how long parasail's Smith-Waterman takes for one query against all proteins of a FASTA,
// in memory, with several threads. compare_sw.py compares `search sw` with it. FUNCTION is
// parasail's name without "parasail_" (sw_striped_profile_sat, sw_scan_profile_sat). Prints the
// seconds and, for a check, the sum of all scores.
#include <parasail.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "formats/fasta/fasta.h"
#include "libcore/base/thread_pool.h"

namespace {

using namespace warpseq;

Result<std::vector<std::string>> read_letters(const char* file) {
    FastaReader reader({file});
    std::vector<std::string> sequences;
    for (FastaRecord record;;) {
        const Result<bool> got = reader.next(record);
        if (!got.ok()) return got.status();
        if (!*got) return sequences;
        if (!record.residues.empty()) sequences.push_back(decode_residues(record.residues));
    }
}

int number(const std::string& text) {
    int value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 7) {
        std::fputs("parasail_scan QUERY.fasta DB.fasta FUNCTION OPEN EXTEND THREADS\n", stderr);
        return 2;
    }
    const auto queries = read_letters(argv[1]);
    auto targets = read_letters(argv[2]);
    const std::string function_name = argv[3];
    parasail_pfunction_t* const function = parasail_lookup_pfunction(function_name.c_str());
    const int open = number(argv[4]), extend = number(argv[5]), threads = number(argv[6]);
    if (!queries.ok() || !targets.ok() || queries->size() != 1 || function == nullptr || threads < 1) {
        std::fputs("parasail_scan: one query, a FASTA, a function that parasail knows and threads are needed\n",
                   stderr);
        return 1;
    }
    // Take the longest first, as a database does, so that no thread has a long one left at the end.
    std::sort(targets->begin(), targets->end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });

    ThreadPool pool(static_cast<unsigned>(threads));
    constexpr std::uint64_t kTargetsAtOnce = 32;
    std::atomic<std::int64_t> sum{0};
    const auto start = std::chrono::steady_clock::now();
    const std::string& query = queries->front();
    parasail_profile_t* const profile =
        parasail_profile_create_sat(query.c_str(), static_cast<int>(query.size()), parasail_matrix_lookup("blosum62"));
    const std::uint64_t groups = (targets->size() + kTargetsAtOnce - 1) / kTargetsAtOnce;
    const Status scanned = pool.parallel_for(groups, [&](std::uint64_t group, unsigned) {
        std::int64_t scores = 0;
        const std::uint64_t stop = std::min<std::uint64_t>(targets->size(), (group + 1) * kTargetsAtOnce);
        for (std::uint64_t t = group * kTargetsAtOnce; t < stop; ++t) {
            const std::string& target = (*targets)[t];
            parasail_result_t* const result =
                function(profile, target.c_str(), static_cast<int>(target.size()), open, extend);
            scores += parasail_result_get_score(result);
            parasail_result_free(result);
        }
        sum += scores;
    });
    if (!scanned.ok()) {
        std::fprintf(stderr, "%s\n", scanned.message().c_str());
        return 1;
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    parasail_profile_free(profile);
    std::printf("%.6f seconds, sum of scores %lld\n", seconds, static_cast<long long>(sum.load()));
    return 0;
}

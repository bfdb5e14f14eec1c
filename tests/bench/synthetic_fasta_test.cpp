// The synthetic database maker. Its output has the promised figures, and is the same however it is
// made.
#include "bench/synthetic_fasta.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "formats/fasta/fasta.h"
#include "tests/support/scratch_folder.h"

namespace warpseq {
namespace {

std::string make(const SyntheticOptions& options, unsigned threads, SyntheticCounts* counts = nullptr) {
    ThreadPool pool(threads);
    std::string text;
    const Result<SyntheticCounts> made = write_synthetic_fasta(options, pool, [&](std::string_view piece) {
        text += piece;
        return Status();
    });
    REQUIRE_MESSAGE(made.ok(), made.status().message());
    if (counts != nullptr) *counts = *made;
    return text;
}

std::vector<FastaRecord> records_of(const std::string& text) {
    const testing::ScratchFolder scratch;
    FastaReader reader({scratch.write("made.fa", text)});
    std::vector<FastaRecord> records;
    for (FastaRecord record;;) {
        const Result<bool> got = reader.next(record);
        REQUIRE_MESSAGE(got.ok(), got.status().message());
        if (!*got) return records;
        records.push_back(record);
    }
}

SyntheticOptions some_options(std::uint64_t residues) {
    SyntheticOptions options;
    options.residues = residues;
    options.queries = {{"first", encode_residues(std::string(50, 'W') + std::string(150, 'A'))},
                       {"second", encode_residues("MKVLAWGGHH")}};
    options.identities = {1, 0.7, 0.25, 0};
    options.homologs = 3;
    return options;
}

TEST_CASE("the same seed gives the same bytes for any number of threads, another seed others") {
    SyntheticOptions options = some_options(13'000'001);
    const std::string one = make(options, 1);
    for (const unsigned threads : {2u, 3u, 7u}) CHECK((make(options, threads) == one));
    options.seed = 2;
    CHECK((make(options, 2) != one));
}

TEST_CASE("exactly the residues that were asked for") {
    for (const std::uint64_t residues : {1u, 2u, 3u, 100u, 1000u, 4'194'304u, 4'194'305u, 9'000'000u}) {
        CAPTURE(residues);
        SyntheticOptions options;
        options.residues = residues;
        SyntheticCounts counts;
        const std::vector<FastaRecord> records = records_of(make(options, 2, &counts));
        std::uint64_t sum = 0;
        for (const FastaRecord& record : records) sum += record.residues.size();
        CHECK(sum == residues);
        CHECK(counts.residues == residues);
        CHECK(counts.sequences == records.size());
    }
}

TEST_CASE("composition and lengths are Swiss-Prot's") {
    SyntheticOptions options;
    options.residues = 20'000'000;
    const std::vector<FastaRecord> records = records_of(make(options, 2));
    std::array<double, kResidueCodes> share{};
    std::vector<std::size_t> lengths;
    for (const FastaRecord& record : records) {
        lengths.push_back(record.residues.size());
        for (const ResidueCode code : record.residues) share[code] += 1.0 / static_cast<double>(options.residues);
    }
    // Counted in the 516,371 sequences of Swiss-Prot in Debian's metastudent-data.
    const std::map<char, double> kCounted{{'A', .0829}, {'R', .0553}, {'N', .0405}, {'D', .0545}, {'C', .0137},
                                          {'Q', .0393}, {'E', .0673}, {'G', .0711}, {'H', .0227}, {'I', .0596},
                                          {'L', .0967}, {'K', .0583}, {'M', .0242}, {'F', .0387}, {'P', .0471},
                                          {'S', .0656}, {'T', .0535}, {'W', .0109}, {'Y', .0292}, {'V', .0690}};
    for (const auto& entry : kCounted) {
        const char letter = entry.first;
        const double counted = entry.second;
        CAPTURE(letter);
        CHECK(std::abs(share[encode_residues(std::string(1, letter))[0]] - counted) < 0.001);
    }
    std::sort(lengths.begin(), lengths.end());
    const double mean = static_cast<double>(options.residues) / static_cast<double>(lengths.size());
    CHECK(std::abs(mean - kMeanResidues) < 0.02 * kMeanResidues);
    CHECK(std::abs(static_cast<double>(lengths[lengths.size() / 2]) - kMedianResidues) < 0.02 * kMedianResidues);
}

TEST_CASE("the longest sequence is bounded") {
    SyntheticOptions options;
    options.residues = 2'000'000;
    options.longest_residues = 400;
    std::size_t longest = 0;
    for (const FastaRecord& record : records_of(make(options, 2))) longest = std::max(longest, record.residues.size());
    CHECK(longest <= 401);  // the last sequence of a piece may take a single residue more
    CHECK(longest > 380);
}

TEST_CASE("homologs have the identity that their header states, and are spread over the file") {
    const SyntheticOptions options = some_options(9'000'000);
    SyntheticCounts counts;
    const std::vector<FastaRecord> records = records_of(make(options, 2, &counts));
    CHECK(counts.homologs == 24);
    std::map<std::string, int> found;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < records.size(); ++i) {
        const std::string& header = records[i].header;
        for (const SyntheticQuery& query : options.queries) {
            if (header.find("homolog_of=" + query.name + " ") == std::string::npos) continue;
            REQUIRE(records[i].residues.size() == query.residues.size());
            std::size_t matches = 0;
            for (std::size_t at = 0; at < query.residues.size(); ++at)
                matches += query.residues[at] == records[i].residues[at];
            CHECK(header.ends_with("matches=" + std::to_string(matches) + "/" + std::to_string(query.residues.size())));
            ++found[header.substr(header.find("homolog_of="))];
            places.push_back(i);
        }
    }
    CHECK(found["homolog_of=first identity=1.00 matches=200/200"] == 3);
    CHECK(found["homolog_of=first identity=0.70 matches=140/200"] == 3);
    CHECK(found["homolog_of=first identity=0.25 matches=50/200"] == 3);
    CHECK(found["homolog_of=first identity=0.00 matches=0/200"] == 3);
    CHECK(found["homolog_of=second identity=0.25 matches=3/10"] == 3);
    CHECK(found["homolog_of=second identity=0.70 matches=7/10"] == 3);
    REQUIRE(places.size() == 24);
    CHECK(places.front() < records.size() / 2);
    CHECK(places.back() > records.size() / 2);
}

TEST_CASE("impossible wishes and a full disk are errors") {
    ThreadPool pool(2);
    const auto refused = [&](const SyntheticOptions& options) {
        return write_synthetic_fasta(options, pool, [](std::string_view) { return Status(); }).status().code() ==
               StatusCode::kUsage;
    };
    CHECK(refused(SyntheticOptions{}));
    CHECK(refused(some_options(100)));
    SyntheticOptions options = some_options(1'000'000);
    options.identities = {1.5};
    CHECK(refused(options));
    options = some_options(1'000'000);
    options.longest_residues = 1;
    CHECK(refused(options));

    int calls = 0;
    const Result<SyntheticCounts> made = write_synthetic_fasta(some_options(50'000'000), pool, [&](std::string_view) {
        return ++calls == 2 ? Status::io("disk full") : Status();
    });
    CHECK(made.status().message() == "disk full");
    CHECK(calls == 2);
}

}  // namespace
}  // namespace warpseq

// Fuzz target: alignments of any letters under any settings. The first line chooses the settings,
// and each further one is a row. `>` begins a row of annotation. For every input there is a profile
// that is consistent and can be read again, or an error that says why not.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

#include "formats/profiles/hmm_file.h"
#include "formats/profiles/hmm_writer.h"
#include "libcore/profile/profile_builder.h"
#include "tests/fuzz/fuzz_support.h"

namespace {

using namespace warpseq;
using namespace warpseq::fuzz;

/// A byte of the first line for each setting. A missing byte means the default.
ProfileBuildSettings settings_of(const std::string& line) {
    std::size_t at = 0;
    const auto choice = [&](unsigned choices) {
        return at < line.size() ? static_cast<unsigned char>(line[at++]) % choices : 0;
    };
    const auto fraction = [&](double standard) { return at < line.size() ? choice(256) / 255.0 : standard; };
    ProfileBuildSettings settings;
    settings.architecture = static_cast<ModelArchitecture>(choice(2));
    settings.weighting = static_cast<RelativeWeighting>(choice(5));
    settings.effective_number = static_cast<EffectiveNumber>(choice(5));
    settings.prior = static_cast<PriorChoice>(choice(3));
    settings.least_residues = static_cast<float>(fraction(0.5));
    settings.most_fragment_fill = static_cast<float>(fraction(0.5));
    settings.weighting_identity = fraction(0.62);
    settings.cluster_identity = fraction(0.62);
    settings.node_entropy_bits = 0.001 + 2 * fraction(0.3);
    settings.effective_sequences = std::pow(10.0, 40 * fraction(0));
    if (choice(2) != 0) settings.longest_insert = 5;
    if (choice(2) != 0) settings.gap_open = fraction(0) / 2.1;
    if (choice(2) != 0) settings.gap_extend = fraction(0) / 1.1;
    settings.keep_row_traces = true;
    return settings;
}

MultipleAlignment alignment_of(std::istream& lines) {
    MultipleAlignment alignment;
    alignment.name = "fuzz";
    std::string line;
    for (int annotations = 0; std::getline(lines, line);) {
        if (!line.starts_with('>')) {
            alignment.rows.push_back({.name = "s", .residues = line});
            if (line.size() % 5 == 4) alignment.rows.back().weight = std::ldexp(1.0, static_cast<int>(line[0]));
            continue;
        }
        std::string* const places[] = {&alignment.reference, &alignment.mask, &alignment.structure};
        if (annotations < 3) *places[annotations++] = line.substr(1);
    }
    // Readers ensure this.
    for (std::string* letters : {&alignment.reference, &alignment.mask, &alignment.structure}) {
        for (char& letter : *letters)
            if (letter <= ' ' || letter > '~') letter = '.';
        if (!letters->empty()) letters->resize(alignment.columns(), '.');
    }
    return alignment;
}

void require_sound(const ProfileHmm& hmm, std::size_t columns) {
    const auto nodes = static_cast<std::size_t>(hmm.length);
    require(hmm.length >= 1 && nodes <= columns, "nodes are columns");
    require(hmm.match.size() == nodes + 1 && hmm.map.size() == nodes && hmm.consensus.size() == nodes,
            "there is everything for each node");
    for (std::size_t node = 1; node <= nodes; ++node) {
        double sum = 0;
        for (const float p : hmm.match[node]) {
            require(p >= 0 && p <= 1.0001f, "probabilities are from 0 to 1");
            sum += static_cast<double>(p);
        }
        require(std::fabs(sum - 1) < 0.001, "probabilities add up to 1");
    }
}

/// Numbers below the normal floats have too few digits to be read back as printed.
bool has_subnormals(const ProfileHmm& hmm) {
    const auto any = [](const auto& nodes) {
        return std::any_of(nodes.begin(), nodes.end(), [](const auto& numbers) {
            return std::any_of(numbers.begin(), numbers.end(),
                               [](float p) { return std::fpclassify(p) == FP_SUBNORMAL; });
        });
    };
    return any(hmm.match) || any(hmm.insert) || any(hmm.transitions);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::istringstream lines{std::string(text_of(data, size))};
    std::string first;
    std::getline(lines, first);
    const ProfileBuildSettings settings = settings_of(first);
    const MultipleAlignment alignment = alignment_of(lines);
    Result<BuiltProfile> built = build_profile(alignment, settings);
    if (!built.ok()) {
        require(!built.status().message().empty(), "an error says something");
        return 0;
    }
    require_sound(built->hmm, alignment.columns());
    require(built->weights.size() == alignment.rows.size() && built->row_traces.size() == alignment.rows.size(),
            "there is a weight and a path for each row");
    finish_profile(built->hmm, settings);

    std::string text;
    append_hmm(built->hmm, text);
    const MemoryFile file(text);
    HmmFileReader reader(file.path());
    ProfileHmm again;
    const Result<bool> read = reader.next(again);
    // HMMER writes this without a prior, where fragments enter an insert that none is seen to
    // leave.
    if (!std::isfinite(built->hmm.composition[0])) {
        require(!read.ok() && read.status().message().find("COMPO") != std::string::npos, "no composition is refused");
        return 0;
    }
    require(read.ok() && *read, "what is written can be read");
    std::string same;
    append_hmm(again, same);
    require(same == text || !built->hmm.mask.empty() || has_subnormals(built->hmm), "and is the same");
    return 0;
}

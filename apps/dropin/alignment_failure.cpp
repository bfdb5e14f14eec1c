#include "apps/dropin/alignment_failure.h"

namespace warpseq {
namespace {

// Easel's numbers of these errors. The programs return them as exit statuses.
constexpr int kEnd = 3, kNotFound = 6, kMalformed = 7, kNoFormat = 25, kNoAlphabet = 26;

std::string source(const std::string& what, const std::string& file) {
    return "   while reading " + what + (what.empty() ? "" : " ") +
           (file == "-" ? "from an input stream (not a file)" : "file " + file) + "\n";
}

std::string opening_failed(const std::string& why) { return "Alignment input open failed.\n   " + why + "\n"; }

}  // namespace

std::optional<HmmerFailure> alignment_failure(const AlignmentReader& reader, const std::string& file) {
    const AlignmentFault& fault = reader.fault();
    switch (fault.kind) {
        case AlignmentFault::Kind::kNotOpened: return HmmerFailure{opening_failed(fault.what), kNotFound};
        case AlignmentFault::Kind::kNoFormat:
            return HmmerFailure{opening_failed(fault.what) + source("", file), kNoFormat};
        case AlignmentFault::Kind::kMalformed:
            return HmmerFailure{"Alignment input parse error:\n   " + fault.what + "\n" +
                                    source(std::string(alignment_format_title(reader.format())), file) +
                                    "   at or near line " + std::to_string(fault.line) + "\n",
                                kMalformed};
        case AlignmentFault::Kind::kEmpty:
            return HmmerFailure{"Alignment input appears empty?\n" +
                                    source(std::string(alignment_format_title(reader.format())), file) +
                                    "   at or near byte 0\n",
                                kEnd};
        case AlignmentFault::Kind::kNone:
        case AlignmentFault::Kind::kDamaged: break;
    }
    return std::nullopt;
}

HmmerFailure unknown_letters(const AlignmentReader& reader, const std::string& file) {
    return {opening_failed("couldn't guess alphabet (maybe try --dna/--rna/--amino if available)") + source("", file) +
                "   while parsing for " + std::string(alignment_format_title(reader.format())) + " format\n",
            kNoAlphabet};
}

}  // namespace warpseq

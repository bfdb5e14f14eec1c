#include "apps/common/advice.h"

namespace warpseq {

std::string_view advice_text(Advice advice) {
    switch (advice) {
        case Advice::kNone: return "";
        case Advice::kAlignMore: return " (--all-pairs and --pairs align more)";
        case Advice::kAlphabet: return " (--dna or --protein)";
        case Advice::kNucleotides: return " (--dna if they are not)";
        case Advice::kProteins: return " (--protein if they are not)";
        case Advice::kAlignments: return " (leave --score-only out)";
        case Advice::kCpu: return " (--device cpu)";
        case Advice::kFewerThreads: return " (--threads)";
        case Advice::kMemory: return "; give a larger --memory";
        case Advice::kOtherOutput: return "";
        case Advice::kOutputFile: return " (--out)";
        case Advice::kProfileQueries: return " (search hmm --query)";
        case Advice::kQueryRange: return "";
        case Advice::kReplace: return "; --force replaces it";
        case Advice::kSkipInvalid: return " (dbconv --skip-invalid)";
        case Advice::kSmallerChunks: return " (--chunk-size)";
        case Advice::kTargetRange: return "";
        case Advice::kTaxids: return "";
    }
    return "";
}

}  // namespace warpseq

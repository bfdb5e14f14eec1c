#include "apps/warpseq/citation.h"

#include <string_view>

#include "libcore/base/version.h"

namespace warpseq {
namespace {

struct Paper {
    std::string_view engines;  // names on the command line; adjacent entries with equal names form one list
    std::string_view citation, doi;
};

constexpr Paper kPapers[] = {
    {"search sw",
     "Smith TF, Waterman MS (1981) Identification of common molecular subsequences.\n  J Mol Biol 147:195-197",
     "10.1016/0022-2836(81)90087-5"},
    {"search sw", "Gotoh O (1982) An improved algorithm for matching biological sequences.\n  J Mol Biol 162:705-708",
     "10.1016/0022-2836(82)90398-9"},
    {"search hmm, hmmsearch, phmmer", "Eddy SR (2011) Accelerated profile HMM searches.\n  PLoS Comput Biol 7:e1002195",
     "10.1371/journal.pcbi.1002195"},
    {"search blastp, blastp",
     "Altschul SF, Madden TL, Schaffer AA, Zhang J, Zhang Z, Miller W, Lipman DJ (1997)\n"
     "  Gapped BLAST and PSI-BLAST: a new generation of protein database search\n"
     "  programs. Nucleic Acids Res 25:3389-3402",
     "10.1093/nar/25.17.3389"},
    {"search blastp, blastp",
     "Camacho C, Coulouris G, Avagyan V, Ma N, Papadopoulos J, Bealer K, Madden TL (2009)\n"
     "  BLAST+: architecture and applications. BMC Bioinformatics 10:421",
     "10.1186/1471-2105-10-421"},
    {"composition-based statistics, of blastp and of search sw --comp-stats",
     "Altschul SF, Wootton JC, Gertz EM, Agarwala R, Morgulis A, Schaffer AA, Yu YK (2005)\n"
     "  Protein database searches using compositionally adjusted substitution\n"
     "  matrices. FEBS J 272:5101-5109",
     "10.1111/j.1742-4658.2005.04945.x"},
    {"search pair", "Myers EW, Miller W (1988) Optimal alignments in linear space.\n  Comput Appl Biosci 4:11-17",
     "10.1093/bioinformatics/4.1.11"},
};

}  // namespace

std::string citation_text() {
    std::string text = "warpseq " + std::string(program_version()) +
                       ": protein sequence search on CPUs and GPUs. Computer program.\n"
                       "\n"
                       "Name the program and its version, and cite the methods that you used:\n";
    std::string_view engines;
    for (const Paper& paper : kPapers) {
        if (paper.engines != engines) text += "\n" + std::string(paper.engines) + "\n";
        engines = paper.engines;
        text += "  " + std::string(paper.citation) + ". doi:" + std::string(paper.doi) + "\n";
    }
    return text;
}

}  // namespace warpseq

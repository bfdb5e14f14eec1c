#include "engines/hmm/hmm_scan.h"

namespace warpseq {

HmmTimes& HmmTimes::operator+=(const HmmTimes& other) {
    for (double HmmTimes::*seconds :
         {&HmmTimes::prepare_seconds, &HmmTimes::submit_seconds, &HmmTimes::wait_seconds, &HmmTimes::read_seconds,
          &HmmTimes::msv_seconds, &HmmTimes::viterbi_seconds, &HmmTimes::forward_seconds, &HmmTimes::name_seconds})
        this->*seconds += other.*seconds;
    for (std::uint64_t HmmTimes::*cells : {&HmmTimes::msv_cells, &HmmTimes::msv_undecided_cells,
                                           &HmmTimes::viterbi_cells, &HmmTimes::forward_cells, &HmmTimes::out_of_range})
        this->*cells += other.*cells;
    return *this;
}

}  // namespace warpseq

// The hits of a search by sequence as a table.
#pragma once

#include "bindings/python/src/table.h"
#include "bindings/searches/sequence_hits.h"

namespace warpseq::python {

/// Returns a table with a row for each alignment. E-values and scores that are not known are NaN.
Table table_of(const SequenceHits& hits);

}  // namespace warpseq::python

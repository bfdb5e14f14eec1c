// The pieces of a search without databases, such as an alignment of pairs of sequences. Each piece
// is done by one process. One process takes the results of all pieces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "libcore/base/status.h"

namespace warpseq {

/// Bytes that another process or an earlier run has made.
struct DivisionPacket {
    std::string bytes, origin;  // `origin` names the source of the bytes in messages
    bool is_last = true;        // whether these are the last results of a batch
};

/// A dealer of pieces to the processes of a divided search. Pieces are counted from 0.
class PieceDealer {
   public:
    virtual ~PieceDealer() = default;

    /// Returns the number of processes for which the search is cut into pieces. It may be larger
    /// than the number of processes that work for it.
    virtual std::uint64_t processes() const = 0;
    /// Begins the search of `count` pieces. Called once, before the functions below. It takes the
    /// place of Division::begin().
    virtual Status begin(std::uint64_t count) = 0;
    /// Returns the piece that this process does next, or nothing if no piece is left. One thread at
    /// a time may call it.
    virtual Result<std::optional<std::uint64_t>> next() = 0;
    /// Takes the results of a piece, in the order in which pieces were given.
    virtual Status add(std::uint64_t piece, std::string results) = 0;
    /// Waits for the results of a piece and returns them. Any process may have done the piece.
    /// Called in the process that reports, for one piece after the other.
    virtual Result<DivisionPacket> results_of(std::uint64_t piece) = 0;
};

}  // namespace warpseq

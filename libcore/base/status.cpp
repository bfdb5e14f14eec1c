#include "libcore/base/status.h"

#include <exception>
#include <new>
#include <stdexcept>

namespace warpseq {

Status Status::out_of_memory(const char* message) noexcept {
    try {
        return {StatusCode::kOutOfMemory, message};
    } catch (const std::bad_alloc&) {
        return {StatusCode::kOutOfMemory, kOutOfMemoryMessage};
    }
}

Status status_of_exception() noexcept {
    try {
        try {
            throw;
        } catch (const std::bad_alloc&) {
        } catch (const std::length_error&) {  // the size is more than any memory holds
        } catch (const std::exception& error) {
            return Status::unavailable(error.what());
        } catch (...) {
            return Status::unavailable("an error of an unknown kind; please report it");
        }
    } catch (const std::bad_alloc&) {  // there is no memory for the message either
    }
    return Status::out_of_memory();
}

}  // namespace warpseq

// The session behind Python's: databases, devices and threads, and the notes about them.
#pragma once

#include <sys/types.h>

#include <memory>

#include "bindings/python/src/arguments.h"
#include "engines/session.h"

namespace warpseq::python {

struct PySession {
    std::shared_ptr<NoteCollector> notes;  // outlives the session's searches
    std::shared_ptr<const Session> session;
    pid_t process = 0;  // that opened the session
    SessionTargets targets = {};
};

/// Throws unless this process has the threads of a session that the process with this ID opened. A
/// process that was forked since then lacks them.
void check_process(pid_t opener);

/// Returns a search's session and notes, which live as long as any search. Throws if the session
/// has been closed, and as check_process() does.
const PySession& opened(const PySession& session);

}  // namespace warpseq::python

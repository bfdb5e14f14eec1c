#include "libcore/base/stop_scope.h"

#include <utility>

namespace warpseq {
namespace {

// It is a pointer because the destructor of a thread-local object needs memory to be registered,
// and a lack of it ends the process.
thread_local const StopScope* innermost = nullptr;

}  // namespace

StopScope::StopScope(std::stop_token stop) : stop_(std::move(stop)), outer_(std::exchange(innermost, this)) {}

StopScope::~StopScope() { innermost = outer_; }

std::stop_token StopScope::current() { return innermost != nullptr ? innermost->stop_ : std::stop_token(); }

bool StopScope::is_stopped() { return innermost != nullptr && innermost->stop_.stop_requested(); }

}  // namespace warpseq

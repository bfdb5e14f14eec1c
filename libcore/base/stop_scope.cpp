#include "libcore/base/stop_scope.h"

#include <utility>

namespace warpseq {
namespace {

std::stop_token& token_of_thread() {
    thread_local std::stop_token token;
    return token;
}

}  // namespace

StopScope::StopScope(std::stop_token stop) : before_(std::exchange(token_of_thread(), std::move(stop))) {}

StopScope::~StopScope() { token_of_thread() = std::move(before_); }

const std::stop_token& StopScope::current() { return token_of_thread(); }

}  // namespace warpseq

#include "libcore/base/observer.h"

namespace warpseq {

void Progress::update(std::uint64_t) {}
void Progress::restart(const std::string&, std::uint64_t, std::uint64_t) {}
void Progress::finish() {}

std::unique_ptr<Progress> Observer::begin(const std::string&, std::uint64_t) { return std::make_unique<Progress>(); }
void Observer::note(const std::string&) {}

}  // namespace warpseq

#include "engines/hmm/posterior_letter.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

using namespace warpseq;

TEST_CASE("posterior letters: bounds belong to the upper letter, and letters stand for themselves") {
    CHECK(posterior_letter(0.0F) == '0');
    CHECK(posterior_letter(0.0499F) == '0');
    CHECK(posterior_letter(0.0501F) == '1');
    CHECK(posterior_letter(0.5F) == '5');
    CHECK(posterior_letter(0.9499F) == '9');
    CHECK(posterior_letter(0.95F) == '9');  // the float nearest to 0.95 is below it
    CHECK(posterior_letter(std::nextafter(0.95F, 1.0F)) == '*');
    CHECK(posterior_letter(1.0F) == '*');
    for (const char letter : std::string("0123456789*")) CHECK(posterior_letter(posterior_of(letter)) == letter);
    CHECK(posterior_of('.') == 0);
}

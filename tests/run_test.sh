#!/usr/bin/env bash
# Runs one test for ctest, COMMAND with its arguments. Says first how to repeat it alone, which
# ctest shows of a test that fails.
printf 'To repeat this test alone: cd %q &&' "$PWD"
for name in "${!WARPSEQ_@}"; do printf ' %s=%q' "$name" "${!name}"; done
printf ' %q' "$@"
printf '\n\n'
exec "$@"

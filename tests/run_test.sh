#!/usr/bin/env bash
# Runs one test for ctest. The arguments are the test's command. Before it runs, the script prints
# how to repeat the test alone. ctest shows this if the test fails.
printf 'To repeat this test alone: cd %q &&' "$PWD"
for name in "${!WARPSEQ_@}"; do printf ' %s=%q' "$name" "${!name}"; done
printf ' %q' "$@"
printf '\n\n'
exec "$@"

#!/usr/bin/env bash
# Checks that lintian finds no error and no warning in the Debian packages of folder $1 (default:
# out/packages).
set -euo pipefail
folder=${1:-$(dirname "$0")/../../out/packages}
compgen -G "$folder/*.deb" >/dev/null || { echo "$folder: no .deb; make package makes them" >&2; exit 1; }
command -v lintian >/dev/null || { echo "skipped: lintian is not installed"; exit 77; }
failed=0
for deb in "$folder"/*.deb; do
    echo "== lintian $(basename "$deb")"
    lintian --allow-root --fail-on error,warning --show-overrides "$deb" || failed=1
done
exit $failed

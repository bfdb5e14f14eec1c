#!/usr/bin/env bash
# Checks the wheels of folder $1 (default: out/wheels). Installs each one in a new virtual
# environment of every interpreter that is there and takes it, with what it depends on, and searches
# with the program and from Python.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(cd "${1:-$here/../../out/wheels}" && pwd)
profile=$here/../golden/hmm/every-field-3f.hmm
most_bytes=50000000
work=$(mktemp -d "${TMPDIR:-/tmp}/warpseq-wheel-XXXXXX")
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

mapfile -t wheels < <(compgen -G "$folder/*.whl" || true)
[ ${#wheels[@]} -gt 0 ] || fail "$folder: no wheel; make wheel makes one"

# Prints the interpreters that take a wheel, one of each version.
interpreters_for() {
    local python version seen=" "
    for python in /usr/bin/python3.[0-9]* "$HOME"/.pyenv/versions/3.*/bin/python; do
        version=$("$python" -c 'import sys; print(sys.version_info[1])' 2>/dev/null) || continue
        [[ $seen != *" $version "* ]] || continue
        case $1 in
            *-cp311-cp311-*) [ "$version" = 11 ] || continue ;;
            *-cp312-abi3-*) [ "$version" -ge 12 ] || continue ;;
            *) fail "$1: its name fits no interpreter" ;;
        esac
        seen+="$version "
        echo "$python"
    done
}

# Checks what a wheel holds: the Python files, the module with its types and a library, the program.
check_contents() {
    python3 -m zipfile -l "$1" | awk 'NR > 1 && $1 !~ "/$" {print $1}' | sort >"$work/files"
    local file
    for file in warpseq/__init__.py warpseq/_core.pyi warpseq/py.typed 'warpseq-[0-9.]*.data/scripts/warpseq' \
        'warpseq/_core\.[^/]*so' 'warpseq-[0-9.]*.dist-info/licenses/packaging/copyright'; do
        grep -qx "$file" "$work/files" || fail "$1 has no $file"
    done
    local other
    other=$(grep -vE '^warpseq/[^/]*\.(py|pyi|so)$|^warpseq/py\.typed$|^warpseq\.libs/liblmdb-[^/]*$|^warpseq-[0-9.]+\.data/scripts/warpseq$|^warpseq-[0-9.]+\.dist-info/' "$work/files" || true)
    [ -z "$other" ] || fail "$1 also has $other"
    local bytes
    bytes=$(stat -c %s "$1")
    [ "$bytes" -lt $most_bytes ] || fail "$1 has $bytes bytes"
    echo "$bytes bytes, $(wc -l <"$work/files") files"
}

# Searches from Python with the package that is installed, in the folder of the quick start.
search_from_python() {
    "$1" -I - <<'END'
import subprocess
import warpseq

print("warpseq", warpseq.__version__, "in", warpseq.__path__[0])
with warpseq.Session("proteins.wsdb") as session:
    names = [hit.name for hits in session.hmmsearch("profile.hmm") for hit in hits]
    assert names == ["like_profile"], names
    session.phmmer("query.fasta").write("python", format="6")
subprocess.run(["warpseq", "search", "hmm", "-q", "query.fasta", "-d", "proteins.wsdb", "--outfmt", "6", "-o", "program"],
               check=True)
assert b"HBB_HUMAN" in open("python", "rb").read()
assert open("python", "rb").read() == open("program", "rb").read()
END
}

for wheel in "${wheels[@]}"; do
    echo "== $(basename "$wheel")"
    check_contents "$wheel"
    tried=0
    mapfile -t interpreters < <(interpreters_for "$wheel")
    for python in "${interpreters[@]}"; do
        tried=$((tried + 1))
        place=$work/$tried-$(basename "$wheel" .whl)
        echo "== $(basename "$wheel") in $("$python" --version)"
        "$python" -m venv "$place"
        "$place/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: "$wheel"
        [ "$(head -c 4 "$place/bin/warpseq")" = $'\x7fELF' ] || fail "bin/warpseq is no program"
        for binary in "$place/bin/warpseq" "$place"/lib/python3.*/site-packages/warpseq/_core.*so; do
            cmake -D PROGRAM="$binary" -D OWN=/warpseq.libs/liblmdb -P "$here/check_static.cmake" || fail "$binary needs more than the C library"
        done
        PATH=$place/bin:$PATH sh "$here/quick_start.sh" "$place.work" "$profile"
        (cd "$place.work" && PATH=$place/bin:$PATH search_from_python "$place/bin/python")
        "$place/bin/python" -m pip --quiet uninstall --yes warpseq
        rm -rf "$place"
    done
    [ $tried -gt 0 ] || fail "$wheel: no interpreter takes it"
done
echo "every wheel did what it should"

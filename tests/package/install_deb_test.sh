#!/usr/bin/env bash
# Installs the Debian packages of folder $1 (default: out/packages) in a fresh Debian 12, and runs
# the quick start there. The package with kernels for GPUs is installed second, and has to replace
# the other one. Removing the packages must leave nothing behind.
#
# The test needs root, mmdebstrap and Debian's archive (or a mirror: MIRROR=http://...). If one is
# missing, it says that it skips, and its exit status is 77.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(cd "${1:-$here/../../out/packages}" && pwd)
mirror=${MIRROR:-http://deb.debian.org/debian}
skip() { echo "skipped: $1"; exit 77; }

deb=$(compgen -G "$folder/warpseq_*.deb") || { echo "$folder: no package warpseq; make package makes it" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || skip "a fresh Debian root is made by root only"
command -v mmdebstrap >/dev/null || skip "mmdebstrap is not installed"
unshare --mount --pid --fork true 2>/dev/null || skip "no rights to make namespaces"

work=$(mktemp -d "${TMPDIR:-/tmp}/warpseq-deb-XXXXXX")
trap 'rm -rf "$work"' EXIT
root=$work/root
echo "== a fresh Debian 12 from $mirror"
# The archive's lists stay, because apt needs them to fetch the dependencies of our packages.
if ! mmdebstrap --quiet --mode=root --variant=apt --skip=cleanup/apt/lists bookworm "$root" "$mirror" 2>"$work/log"; then
    cat "$work/log" >&2
    skip "no fresh Debian root can be made of $mirror"
fi
cp --remove-destination -L /etc/resolv.conf "$root/etc/"
cp "$folder"/*.deb "$here/quick_start.sh" "$here/../golden/hmm/every-field-3f.hmm" "$root/root/"

# inside COMMAND: runs the command line in the fresh root, with a /proc of its own.
inside() {
    echo "# $1"
    unshare --mount --pid --fork --mount-proc="$root/proc" chroot "$root" /usr/bin/env -i HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        ${http_proxy:+http_proxy="$http_proxy"} \
        PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -euc "cd /root; $1"
}
installed_files() { (cd "$root" && find usr -path '*warpseq*' | sort); }

[ -z "$(installed_files)" ]
inside "apt-get -o Dpkg::Use-Pty=0 install -y --no-install-recommends ./$(basename "$deb")"
inside 'sh quick_start.sh work every-field-3f.hmm'
if cuda=$(compgen -G "$folder/warpseq-cuda_*.deb"); then
    inside "apt-get -o Dpkg::Use-Pty=0 install -y --no-install-recommends ./$(basename "$cuda")"
    inside 'dpkg-query -W -f "\${Package} \${Version} \${db:Status-Status}\n" "warpseq*"'
    inside '[ "$(dpkg-query -S /usr/bin/warpseq)" = "warpseq-cuda: /usr/bin/warpseq" ]'
    inside 'sh quick_start.sh work-cuda every-field-3f.hmm'
else
    echo "skipped: no package warpseq-cuda was made"
fi
inside 'apt-get -o Dpkg::Use-Pty=0 purge -y "warpseq*"'
left=$(installed_files)
[ -z "$left" ] || { printf 'FAILED: left behind:\n%s\n' "$left"; exit 1; }
echo "installed, tried and removed: $(cd "$folder" && ls ./*.deb | tr '\n' ' ')"

#!/usr/bin/env python3
"""Plays random histories of sets and shows that no file is lost that the rules protect.

A history has updates, kills at every call, and old, lost, damaged and forged manifests.

    set_histories.py BIN LIBRARY [--histories 2000] [--seed 1] [--seconds 0]

BIN has dbconv and inspect, LIBRARY is that of tests/support/faulty_files.cpp. After each step:

- A file is gone or changed in two cases only. In the first, the manifest that was there named it as
  the set's own, as that very file, and no file beside it belonged to the set without being named.
  In the second, a killed update had made it, and no manifest has ever named it. All other files are
  unchanged: files that a user made, whatever their names; volumes that an older manifest does not
  know; copies of volumes.
- If the manifest and all files that it names are there, the set holds what it held whenever that
  manifest was in its place.
- A manifest that is damaged, or that has wrong numbers, is refused, and nothing is changed.
"""
import argparse
import ctypes
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

LETTERS = "ACDEFGHIKLMNPQRSTVWY"
OURS = re.compile(r"^s\.(volume-[0-9]+\.wsdb|removed-[0-9]+)$")
UNFINISHED = re.compile(r"^\.s\..*\.part-[0-9a-f]{16}$")


class Wrong(Exception):
    pass


class Signer:
    """Gives forged manifests the right checksum."""

    def __init__(self):
        self.library = ctypes.CDLL("libxxhash.so.0")
        self.library.XXH3_64bits.restype = ctypes.c_uint64
        self.library.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]

    def sign(self, manifest):
        manifest["checksum"] = "0" * 16
        text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
        digest = "%016x" % self.library.XXH3_64bits(text.encode(), len(text.encode()))
        return text.replace('"checksum": "' + "0" * 16, '"checksum": "' + digest)


def content_of(path):
    with open(path, "rb") as handle:
        return handle.read()


def digest_of(path):
    return hashlib.sha256(content_of(path)).hexdigest()


def files_here():
    """Returns the inode and the digest of each file in the current folder, by name."""
    return {name: (os.lstat(name).st_ino, digest_of(name)) for name in os.listdir(".") if os.path.isfile(name)}


def manifest_here():
    try:
        return json.loads(content_of("s.wsdbs"))
    except (OSError, ValueError):
        return None


def names_of(manifest):
    """Returns the files that a manifest names as the set's, and those that it calls obsolete."""
    live, obsolete = [], []
    for volume in manifest.get("volumes", []):
        live.append(volume["file"])
        if "removed" in volume:
            live.append(volume["removed"]["file"])
    for each in manifest.get("obsolete", []):
        obsolete.append(each["file"] if isinstance(each, dict) else each)
    return live, obsolete


class History:
    def __init__(self, seed, programs, library, signer, counts):
        self.rng, self.programs, self.library, self.signer, self.counts = (
            random.Random(seed), programs, library, signer, counts)
        self.next_name = 0
        self.records = []       # what the set holds, as (name, residues), if it is known
        self.held = {}          # maps the text of a manifest to the records of its time
        self.copies = []        # texts of manifests
        self.ever_named = set()  # (name, digest) of files that a manifest in its place named
        self.log = []

    def run(self, *command, **environment):
        self.log.append(" ".join(command) + (f"  {environment}" if environment else ""))
        env = dict(os.environ)
        if environment:
            options = [env[name] for name in ("ASAN_OPTIONS",) if name in env]
            env.update(environment, LD_PRELOAD=self.library, ASAN_OPTIONS=":".join(options + ["verify_asan_link_order=0"]))
        return subprocess.run([self.programs[command[0]], *command[1:]], env=env, capture_output=True, timeout=120)

    def fasta(self, names):
        records = [(name, "".join(self.rng.choices(LETTERS, k=self.rng.randint(0, 40)))) for name in names]
        with open("in.fa", "w") as handle:
            handle.write("".join(f">{name}\n{residues}\n" for name, residues in records))
        return records

    def new_names(self):
        count = self.rng.randint(1, 4)
        self.next_name += count
        return [f"n{self.next_name - i}" for i in range(count)]

    def old_names(self):
        names = sorted({name for name, _ in self.records})
        return self.rng.sample(names, min(len(names), self.rng.randint(1, 3)))

    def read_set(self):
        """Returns the records of the set, or None if it cannot be read."""
        flat = self.run("dbconv", "s.wsdbs", "-o", "../flat.wsdb", "--force", "--quiet")
        if flat.returncode != 0:
            return None
        fasta = self.run("inspect", "fasta", "../flat.wsdb", "--width", "0").stdout.decode()
        records = []
        for record in fasta.split(">")[1:]:
            lines = record.split("\n")
            records.append((lines[0], "".join(lines[1:])))
        return records

    def check_files(self, before, manifest_before, was_unknown, killed_before):
        """Returns the files that are there. Raises Wrong if a protected one is gone or changed."""
        after = files_here()
        manifest = manifest_here()
        live, obsolete = names_of(manifest_before) if manifest_before else ([], [])
        for name, was in before.items():
            if name in ("s.wsdbs", "s.wsdbs.lock", "in.fa", "list") or after.get(name) == was:
                continue
            if UNFINISHED.match(name):
                continue
            if name in after:
                raise Wrong(f"{name} was written to or replaced")
            if name in killed_before and (name, was[1]) not in self.ever_named:
                continue  # made by a killed update, never part of the set
            if not OURS.match(name) or name not in live + obsolete:
                raise Wrong(f"{name} is gone, and the manifest did not name it")
            if was_unknown:
                raise Wrong(f"{name} is gone though the manifest did not know all files of the set")
            if manifest and name in names_of(manifest)[0]:
                raise Wrong(f"{name} is gone, and the manifest needs it")
        return after

    def unknown_of_set(self, manifest, files):
        """Returns files with the set's identity and their own number, unnamed by `manifest`."""
        if not manifest or "set" not in manifest:
            return set()
        live, obsolete = names_of(manifest)
        unknown = set()
        for name in files:
            if not OURS.match(name) or name in live + obsolete:
                continue
            number = int(re.search(r"-([0-9]+)", name).group(1))
            content = content_of(name)
            if name.endswith(".wsdb"):
                mark = re.search(rb'"set":\{"identity":"([0-9a-f]{32})","number":([0-9]+)', content)
            else:
                mark = re.match(rb"warpseq file of a set\nset ([0-9a-f]{32})\nnumber ([0-9]+)\n", content)
            if mark and mark.group(1).decode() == manifest["set"] and int(mark.group(2)) == number:
                unknown.add(name)
        return unknown

    def update(self):
        """Makes an update. It may be killed, or get false errors from the file system."""
        kinds = ["append", "append", "append", "replace"] + (["remove", "compact"] if self.records else [])
        kind = self.rng.choice(kinds)
        expected = list(self.records)
        if kind == "append":
            new = self.fasta(self.new_names() + (self.old_names() if self.rng.random() < 0.2 else []))
            expected += new
            command = ["dbconv", "--append", "s.wsdbs", "in.fa", "--quiet"]
        elif kind == "replace":
            new = self.fasta(self.new_names() + self.old_names())
            names = {name for name, _ in new}
            expected = [record for record in expected if record[0] not in names] + new
            command = ["dbconv", "--replace", "s.wsdbs", "in.fa", "--quiet"]
        elif kind == "remove":
            names = self.old_names()
            with open("list", "w") as handle:
                handle.write("\n".join(names) + "\n")
            expected = [record for record in expected if record[0] not in names]
            command = ["dbconv", "--remove", "list", "s.wsdbs", "--quiet"]
        else:
            command = ["dbconv", "--compact", "s.wsdbs", "--quiet"]
        environment = {}
        if self.rng.random() < 0.45:
            environment["WARPSEQ_KILL_AT"] = str(self.rng.randint(1, 22))
        elif self.rng.random() < 0.2:
            environment["WARPSEQ_LIE_AT"] = str(self.rng.randint(1, 6))
        if environment and self.rng.random() < 0.3:
            environment["WARPSEQ_NO_UNNAMED"] = "1"
        if environment and self.rng.random() < 0.2:
            environment["WARPSEQ_WITHOUT_LINKS"] = self.rng.choice("12")
        before, manifest_before = files_here(), manifest_here()
        text_before = content_of("s.wsdbs") if os.path.exists("s.wsdbs") else b""
        unknown = self.unknown_of_set(manifest_before, before) - self.killed_files
        done = self.run(*command, **environment)
        self.counts["updates"] += 1
        killed = done.returncode == -9
        if killed and os.path.exists("s.wsdbs") and os.path.getsize("s.wsdbs") == 0:
            # An empty file takes the name for a moment on a file system that can neither link nor
            # rename without replacing.
            if environment.get("WARPSEQ_WITHOUT_LINKS") != "2" or text_before:
                raise Wrong("an empty manifest")
            os.remove("s.wsdbs")
        if done.returncode not in (0, 1, -9):
            raise Wrong(f"exit status {done.returncode}: {done.stderr.decode()}")
        self.counts["killed"] += killed
        after = self.check_files(before, manifest_before, unknown, self.killed_files)
        text = content_of("s.wsdbs") if os.path.exists("s.wsdbs") else b""
        if done.returncode == 0 and text == text_before and kind not in ("compact",):
            raise Wrong("exit status 0, and the manifest is the earlier one")
        if killed:
            named = names_of(manifest_here())[0] if text else []
            self.killed_files |= {name for name in after if name not in before and OURS.match(name) and name not in named}
        if text == text_before:
            if done.returncode == 1:
                left = [name for name in after if name not in before and name not in ("in.fa", "list")]
                if left:
                    raise Wrong(f"an update that failed leaves {left}: {done.stderr.decode()}")
                if not environment and expected and not unknown:
                    raise Wrong(f"an update failed: {done.stderr.decode()}")
        elif text and manifest_here()["volumes"]:
            self.records = expected
            self.remember()
        elif not killed and not environment:
            raise Wrong(f"the set is empty: {done.stderr.decode()}")
        self.killed_files &= set(after)

    def remember(self):
        text = content_of("s.wsdbs")
        live, _ = names_of(manifest_here())
        files = files_here()
        self.ever_named |= {(name, files[name][1]) for name in live if name in files}
        if text in self.held and self.held[text] != self.records:
            raise Wrong("one manifest, two contents")
        self.held[text] = list(self.records)

    def check_content(self):
        """Raises Wrong if all files are there and the records are not those of this manifest."""
        if not os.path.exists("s.wsdbs"):
            return
        text = content_of("s.wsdbs")
        manifest = json.loads(text)
        if not manifest["volumes"] or not all(os.path.exists(name) for name in names_of(manifest)[0]):
            return
        records = self.read_set()
        if records is None:
            raise Wrong("a set whose files are all there cannot be read")
        if text in self.held and records != self.held[text]:
            raise Wrong(f"the set holds {records}; {self.held[text]} was expected")

    def bring_back(self, text):
        with open("s.wsdbs", "wb") as handle:
            handle.write(text)
        self.killed_files = set()  # files that no manifest names may be of a later one
        manifest = json.loads(text)
        there = manifest["volumes"] and all(os.path.exists(name) for name in names_of(manifest)[0])
        self.records = list(self.held.get(text, [])) if there else []
        return there

    def refused(self, text, why):
        """Requires that every program refuses the manifest `text` and that no file is changed."""
        good = content_of("s.wsdbs")
        with open("s.wsdbs", "wb") as handle:
            handle.write(text)
        before = files_here()
        self.fasta(self.new_names())
        before.update({name: state for name, state in files_here().items() if name == "in.fa"})
        for command in (["dbconv", "--append", "s.wsdbs", "in.fa"], ["dbconv", "--compact", "s.wsdbs"],
                        ["inspect", "validate", "s.wsdbs"]):
            done = self.run(*command)
            if done.returncode != 1 or b"s.wsdbs" not in done.stderr:
                raise Wrong(f"{why}: exit status {done.returncode}, {done.stderr.decode()}")
            after = files_here()
            after.pop("s.wsdbs.lock", None)
            before.pop("s.wsdbs.lock", None)  # the lock of a killed update is removed
            if after != before:
                raise Wrong(f"{why}: files were changed by {command}")
        self.counts["refused"] += 1
        with open("s.wsdbs", "wb") as handle:
            handle.write(good)

    def lie(self):
        """Tries a forged manifest with the right checksum.

        Files that it may not name stay, whatever it says.
        """
        if not os.path.exists("s.wsdbs") or not self.records:
            return
        manifest = manifest_here()
        live, _ = names_of(manifest)
        numbers = [int(re.search(r"-([0-9]+)", name).group(1)) for name in live]
        kind = self.rng.choice(["number", "huge", "obsolete"])
        if kind == "number":
            manifest["next_number"] = self.rng.randint(1, max(numbers))
            self.refused(self.signer.sign(manifest).encode(), "next_number is too low")
        elif kind == "huge":
            manifest["next_number"] = (1 << 48) - self.rng.randint(0, 512)
            before = files_here()
            good = content_of("s.wsdbs")
            with open("s.wsdbs", "w") as handle:
                handle.write(self.signer.sign(manifest))
            self.fasta(["huge"])
            done = self.run("dbconv", "--append", "s.wsdbs", "in.fa")
            if done.returncode != 1 or b"numbers of its files" not in done.stderr:
                raise Wrong(f"next_number is huge: {done.stderr.decode()}")
            with open("s.wsdbs", "wb") as handle:
                handle.write(good)
            after = files_here()
            for name, state in before.items():
                if name not in ("in.fa", "s.wsdbs", "s.wsdbs.lock") and after.get(name) != state and name not in names_of(manifest)[1]:
                    if not UNFINISHED.match(name) and name not in self.killed_files:
                        raise Wrong(f"next_number is huge: {name} was changed")
            self.counts["refused"] += 1
        else:
            # The manifest calls a file obsolete that is a user's, or that is the set's from another
            # time. The file is not what the manifest says it is.
            names = [name for name in files_here() if OURS.match(name) and name not in live and name not in names_of(manifest)[1]]
            names = [name for name in names if name not in self.killed_files]
            names = [name for name in names if int(re.search(r"-([0-9]+)", name).group(1)) < manifest["next_number"]]
            if not names:
                return
            name = self.rng.choice(names)
            proof = {"xxh3_64": "0" * 16} if "removed" in name else {"content_digest": "0" * 32}
            manifest["obsolete"] = manifest.get("obsolete", []) + [{"file": name, "update": "f" * 16, **proof}]
            text = self.signer.sign(manifest).encode()
            with open("s.wsdbs", "wb") as handle:
                handle.write(text)
            self.held[text] = list(self.records)
            state = files_here()[name]
            new = self.fasta(self.new_names())
            done = self.run("dbconv", "--append", "s.wsdbs", "in.fa", "--quiet")
            if done.returncode == 0:
                self.records += new
                self.remember()
            if files_here().get(name) != state:
                raise Wrong(f"{name} is gone, which a forged manifest calls obsolete")
            self.counts["forged"] += 1

    def step(self):
        what = self.rng.random()
        if what < 0.6:
            self.update()
        elif what < 0.68 and os.path.exists("s.wsdbs"):
            self.copies.append(content_of("s.wsdbs"))
        elif what < 0.78 and self.copies:
            self.counts["old manifests"] += 1
            self.log.append("an old manifest is brought back")
            if not self.bring_back(self.rng.choice(self.copies)):
                # Later updates have removed files that this manifest names. The last manifest that
                # can be read is brought back.
                for text in reversed(list(self.held)):
                    if self.bring_back(text):
                        break
                else:
                    os.remove("s.wsdbs")
                    self.records = []
        elif what < 0.84:
            # A user makes a file with a name like those of the set.
            name = self.rng.choice(["s.volume-%d.wsdb", "s.removed-%d"]) % self.rng.randint(1, 30)
            if not os.path.exists(name):
                self.log.append(f"a person makes {name}")
                volumes = [each for each in os.listdir(".") if re.match(r"^s\.volume-[0-9]+\.wsdb$", each)]
                if volumes and self.rng.random() < 0.5:
                    shutil.copy(self.rng.choice(volumes), name)
                else:
                    with open(name, "w") as handle:
                        handle.write("notes")
        elif what < 0.9 and os.path.exists("s.wsdbs") and self.records:
            text = bytearray(content_of("s.wsdbs"))
            place = self.rng.randrange(len(text))
            text[place] ^= 1 << self.rng.randrange(8)
            self.refused(bytes(text), f"bit flip at {place}")
        elif what < 0.94:
            self.lie()
        elif what < 0.96 and os.path.exists("s.wsdbs"):
            self.log.append("the manifest is lost")
            self.copies.append(content_of("s.wsdbs"))
            os.remove("s.wsdbs")
            self.records = []
            self.killed_files = set()

    def play(self, steps):
        self.killed_files = set()
        for _ in range(steps):
            self.step()
            self.check_content()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin")
    parser.add_argument("library")
    parser.add_argument("--histories", type=int, default=2000)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0, help="stop then, whatever is left; 0: never")
    args = parser.parse_args()
    begun = time.monotonic()
    programs = {name: os.path.join(os.path.abspath(args.bin), name) for name in ("dbconv", "inspect")}
    library = os.path.abspath(args.library)
    try:
        signer = Signer()
    except OSError as error:
        print(f"skipped: no libxxhash for Python here: {error}")
        return 77
    counts = {"updates": 0, "killed": 0, "refused": 0, "forged": 0, "old manifests": 0}
    with tempfile.TemporaryDirectory(prefix="warpseq-histories-") as work:
        played = 0
        for number in range(args.histories):
            if args.seconds and time.monotonic() - begun > args.seconds:
                break
            played += 1
            folder = os.path.join(work, "set")
            shutil.rmtree(folder, ignore_errors=True)
            os.mkdir(folder)
            os.chdir(folder)
            history = History(args.seed * 1_000_003 + number, programs, library, signer, counts)
            try:
                history.play(args.steps)
            except Wrong as wrong:
                print(f"FAILED: history {number} of seed {args.seed}: {wrong}", file=sys.stderr)
                print("\n".join(history.log), file=sys.stderr)
                return 1
        os.chdir("/")
    print(f"{played} histories: " + ", ".join(f"{count} {what}" for what, count in counts.items()))
    # Forged manifests that are accepted are rare.
    seldom = {"forged"} if played < 100 else set()
    if played >= 20 and not all(count for what, count in counts.items() if what not in seldom):
        print("FAILED: something never happened", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

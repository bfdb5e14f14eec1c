#!/usr/bin/env python3
"""Checks that the links of documents lead somewhere: to files that exist, and to headings of them.

    links.py SOURCES BUILD

Checks the documents of the source tree, and again as BUILD installs them. Links to other sites are
not followed.
"""
import os
import re
import subprocess
import sys
import tempfile

LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def anchors(path):
    """Returns the anchors of a document's headings, as GitHub makes them."""
    found = set()
    text = CODE.sub(lambda code: "" if "\n" in code[0] else code[0], text_of(path))
    for heading in re.findall(r"^#+ +(.*)$", text, re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        found.add(re.sub(r"[^\w\- ]", "", words).replace(" ", "-"))
    return found


def faults_of(folder):
    """Returns the number of links in the documents of a folder, and those that are dead."""
    count, faults = 0, []
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in (".git", "build", "out")]
        for name in names:
            if not name.endswith(".md"):
                continue
            document = os.path.join(place, name)
            for link in LINK.findall(CODE.sub("", text_of(document))):
                if re.match(r"[a-z]+:", link):
                    continue
                count += 1
                file, _, anchor = link.partition("#")
                target = os.path.normpath(os.path.join(place, file)) if file else document
                if not os.path.exists(target):
                    faults.append(f"{document}: {link}: there is no such file")
                elif os.path.relpath(target, folder).startswith(".."):
                    faults.append(f"{document}: {link}: outside of the documents")
                elif anchor and anchor not in anchors(target):
                    faults.append(f"{document}: {link}: there is no such heading")
    return count, faults


def main():
    sources, build = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="warpseq-links-") as prefix:
        subprocess.run(["cmake", "--install", build, "--prefix", prefix, "--component", "programs"], check=True,
                       stdout=subprocess.DEVNULL)
        documents = [place for place, _, names in os.walk(prefix) if "README.md" in names and "docs" in os.listdir(place)]
        if len(documents) != 1:
            sys.exit(f"the installation has {len(documents)} folders of documents")
        results = [faults_of(sources), faults_of(documents[0])]
    for count, faults in results:
        if count < 50:
            sys.exit(f"only {count} links were found")
        print(*faults, sep="\n")
    print(f"{results[0][0]} links in the sources, {results[1][0]} in the installation")
    return 1 if any(faults for _, faults in results) else 0


if __name__ == "__main__":
    sys.exit(main())

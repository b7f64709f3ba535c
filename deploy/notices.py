#!/usr/bin/env python3
"""Prints the licences of everything that the program contains, for the package: crates, versions, licences, texts.

    cargo metadata --locked --format-version 1 --filter-platform x86_64-unknown-linux-gnu | deploy/notices.py astragal
"""

import json
import pathlib
import sys

NAMES = ("LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE")


def contained(metadata, root):
    """The packages that a program is made of: what it depends on, other than to build or to test it."""
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    packages = {package["id"]: package for package in metadata["packages"]}
    waiting = [package["id"] for package in metadata["packages"] if package["name"] == root and not package["source"]]
    found = set()
    while waiting:
        here = waiting.pop()
        if here in found:
            continue
        found.add(here)
        for edge in nodes[here]["deps"]:
            if any(kind["kind"] is None for kind in edge["dep_kinds"]):
                waiting.append(edge["pkg"])
    others = (packages[each] for each in found if packages[each]["source"])
    return sorted(others, key=lambda package: (package["name"], package["version"]))


def texts(package):
    """The files with its licences."""
    directory = pathlib.Path(package["manifest_path"]).parent
    files = sorted(file for file in directory.iterdir() if file.is_file() and file.name.upper().startswith(NAMES))
    if package.get("license_file"):
        files.append(directory / package["license_file"])
    return [file.read_text(encoding="utf-8", errors="replace").strip() for file in files if file.exists()]


def main():
    packages = contained(json.load(sys.stdin), sys.argv[1])
    print("This program contains the work of others. Where a licence asks for the source, it is at the address given.\n")
    shown = {}
    for package in packages:
        licence = package["license"] or "see the text"
        source = package["repository"] or f"https://crates.io/crates/{package['name']}"
        print(f"{package['name']} {package['version']}: {licence}; {source}")
        for text in texts(package):
            shown.setdefault(text, []).append(f"{package['name']} {package['version']}")
    root = pathlib.Path(__file__).resolve().parent.parent
    for licence in sorted(root.glob("crates/*/font/OFL.txt")):
        shown[licence.read_text(encoding="utf-8").strip()] = [f"{font.name} of {licence.parts[-3]}" for font in licence.parent.glob("*.ttf")]
    for text, of in shown.items():
        print("\n" + "-" * 100)
        print(", ".join(of) + ":\n")
        print(text)


main()

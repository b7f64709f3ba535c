#!/usr/bin/env bash
# Makes the Debian package; its path is the last line that is printed.
#
#   deploy/package.sh              of a release build, with PostgreSQL
#   deploy/package.sh PROGRAM      of a program that is built already
#   deploy/package.sh PROGRAM 0.2  as this version
set -euo pipefail
cd "$(dirname "$0")/.."

cargo_deb=target/tools/bin/cargo-deb
[ -x "$cargo_deb" ] || cargo install --locked --root target/tools --version 3.8.0 cargo-deb >&2

program=${1:-}
if [ -z "$program" ]; then
  cargo build --release --locked --package astragal --features postgres >&2
  program=target/release/astragal
fi
mkdir -p target/package
cp "$program" target/package/astragal
strip target/package/astragal
rm -rf target/package/man
"$program" man --all target/package/man
"$program" completions bash >target/package/astragal.bash
"$program" completions zsh >target/package/_astragal
"$program" completions fish >target/package/astragal.fish
cargo metadata --locked --format-version 1 --features astragal/postgres --filter-platform "$(rustc -vV | sed -n 's/^host: //p')" |
  python3 deploy/notices.py astragal >target/package/THIRD-PARTY
"$cargo_deb" --quiet --no-build --no-strip ${1:+--fast} --package astragal --output target/package/ ${2:+--deb-version "$2"}

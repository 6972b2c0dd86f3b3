#!/bin/sh
# sh release/compile.sh OUTFILE [OPTION...] compiles the sources into one executable, with further options of "bun build". The
# same sources, and the same name of the outfile, make the same bytes in any folder.
set -eu
outfile=$1
shift
cd "$(dirname "$0")/.."
PATH="$PWD/node_modules/.bin:$PATH"

# Only of this folder's own repository: a copy of the sources may lie within another one's.
commit=unknown
if [ -e .git ] && head=$(git rev-parse HEAD 2>/dev/null) && changes=$(git status --porcelain); then
  commit=$head${changes:+-modified}
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# The two no-autoload flags keep a .env or bunfig.toml in the folder it is started from out of it.
# `bun build` goes on without bytecode when that fails and still exits 0, hence the search through its words.
if ! bun build interfaces/main.ts --compile --minify --bytecode --format=esm --splitting \
  --sourcemap=linked --no-compile-autoload-dotenv --no-compile-autoload-bunfig \
  --define "ALIBI_COMMIT='$commit'" "$@" --outfile "$outfile" >"$log" 2>&1 ||
  grep -q 'Failed to generate bytecode' "$log"; then
  cat "$log" >&2
  exit 1
fi
cat "$log"

# The executable carries its source maps: stack traces name file and line without these.
rm -f "$(dirname "$outfile")"/*.map

#!/bin/sh
# Builds dist/alibi, one self-contained executable: migrations, content, pages and assets are inside it.
set -eu
cd "$(dirname "$0")"
PATH="$PWD/node_modules/.bin:$PATH"

rm -rf dist
mkdir dist
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# The two no-autoload flags keep a .env or bunfig.toml in the folder it is started from out of it.
# `bun build` goes on without bytecode when that fails and still exits 0, hence the search through its words.
if ! bun build interfaces/main.ts --compile --minify --bytecode --format=esm --splitting \
  --sourcemap=linked --no-compile-autoload-dotenv --no-compile-autoload-bunfig \
  --outfile dist/alibi >"$log" 2>&1 || grep -q 'Failed to generate bytecode' "$log"; then
  cat "$log" >&2
  exit 1
fi
cat "$log"

# The executable carries its source maps: stack traces name file and line without these.
rm -f dist/*.map

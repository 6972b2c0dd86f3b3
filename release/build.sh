#!/bin/sh
# Builds dist/alibi, one self-contained executable: migrations, content, pages and assets are inside it.
set -eu
cd "$(dirname "$0")/.."

rm -rf dist
mkdir dist
sh release/compile.sh dist/alibi

#!/bin/sh
# Fills dist/ with what a server needs: the executable for each kind of Linux, the install script, the documents, examples
# for what runs beside it, the help, the bill of materials, licences and checksums. The same commit makes the same bytes.
# With --sign-with KEY the checksums are signed with that SSH key, by release/sign.sh.
set -eu
unset CDPATH

refuse() {
  printf 'release.sh: %s\n' "$2" >&2
  exit "$1"
}

key=
case $# in
  0) ;;
  2)
    [ "$1" = --sign-with ] || refuse 2 "there is no option $1: only --sign-with KEY"
    # Whatever is wrong with the key is said before anything is built, as far as that shows without its passphrase.
    command -v ssh-keygen >/dev/null || refuse 1 'there is no ssh-keygen, which signs: install openssh-client'
    [ -f "$2" ] || refuse 1 "--sign-with: $2 is not a file"
    ssh-keygen -l -f "$2" >/dev/null || refuse 1 "--sign-with: $2 is not a key of SSH"
    key=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
    ;;
  *) refuse 2 'it takes nothing but --sign-with KEY' ;;
esac

cd "$(dirname "$0")/.."
PATH="$PWD/node_modules/.bin:$PATH"
version=$(bun --print 'require("./package.json").version')
LC_ALL=C
export LC_ALL

umask 022
rm -rf dist
mkdir -p dist/runtimes

# The runtimes of the other machines are packages of the lock file, too. Bun checks what it downloads against the digests
# there, but not what its cache has already: BUN_INSTALL_CACHE_DIR=EMPTY-FOLDER makes it download all of it.
cp package.json bun.lock dist/runtimes/
if ! (cd dist/runtimes &&
  bun install --frozen-lockfile --ignore-scripts --os linux --cpu '*' --libc '*') >dist/runtimes/log 2>&1; then
  cat dist/runtimes/log >&2
  echo 'release.sh: the runtimes of the other machines could not be fetched' >&2
  exit 69
fi

release() {
  # The name of the outfile is part of what it holds, so that it gets its own only afterwards.
  sh release/compile.sh dist/alibi --target="bun-linux-$1" \
    --compile-executable-path="dist/runtimes/node_modules/@oven/bun-linux-$2/bin/bun"
  mv dist/alibi "dist/alibi-$version-linux-$1"
}
release x64 x64
release arm64 aarch64
release x64-musl x64-musl
release arm64-musl aarch64-musl
rm -rf dist/runtimes

cp README.md dist/README.md
cp -R docs dist/docs
cp -R operations dist/operations
mv dist/operations/install.sh dist/install.sh
chmod 755 dist/install.sh
bun run release/help-text.ts >dist/help.txt
bun run release/bill-of-materials.ts >dist/sbom.cdx.json
bun run release/licenses.ts >dist/LICENSES.txt

cd dist
sums=$(find . -type f | sed 's|^\./||' | sort | xargs sha256sum)
printf '%s\n' "$sums" >SHA256SUMS
ls -l
[ -z "$key" ] || sh ../release/sign.sh "$key" .

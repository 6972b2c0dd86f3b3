#!/bin/sh
# Installs Alibi as a systemd service on this machine, or upgrades it. It lies beside the executables and their
# SHA256SUMS, and checks them before it runs anything. Run it again for an upgrade: files that are the same stay.
# With a public key it installs only what was released with that key. Get this script, too, from where you trust it, or
# check it first as operations/README.md shows: a forged one would check nothing.
set -eu
unset CDPATH BUN_OPTIONS BUN_BE_BUN

usage='Usage: sh install.sh [--public-key FILE] [--uninstall [--yes]] [--root FOLDER]

Installs the Alibi beside this script as a systemd service, or upgrades it. Needs root.

  --public-key FILE  install only what was signed with the SSH key whose public half is in FILE,
                     or with one of several, a line each
  --uninstall        take the service away, and keep its data
  --yes              do not ask first
  --root FOLDER      work on the system whose root folder is FOLDER, such as an image

Secrets are never given here: they go into files that the last lines name.'

fail() {
  printf 'install.sh: %s\n' "$1" >&2
  exit 1
}

refuse_usage() {
  printf 'install.sh: %s\n\n%s\n' "$1" "$usage" >&2
  exit 2
}

# Whether SHA256SUMS was signed for this purpose with one of the keys in $public_key. The name before each is ours.
check_signature() {
  grep -q 'PRIVATE KEY' "$public_key" &&
    fail "--public-key: $public_key is a private key. It belongs to whoever signs: here goes the .pub beside it"
  [ -f SHA256SUMS.sig ] || fail 'there is no SHA256SUMS.sig beside this script: this release is not signed'
  command -v ssh-keygen >/dev/null || fail 'there is no ssh-keygen, which checks signatures: install openssh-client'
  signers=$(mktemp)
  trap 'rm -f "$signers"' EXIT
  tr -d '\r' <"$public_key" | sed -n 's/^[a-z][^ ]* /alibi namespaces="alibi-release" &/p' >"$signers"
  ssh-keygen -Y verify -f "$signers" -I alibi -n alibi-release -s SHA256SUMS.sig <SHA256SUMS >/dev/null ||
    fail "SHA256SUMS was not signed with a key of $public_key: nothing was run"
}

action=install
root=
yes=
public_key=
while [ $# -gt 0 ]; do
  case $1 in
    --uninstall) action=uninstall ;;
    --yes) yes=yes ;;
    --root)
      [ -n "${2:-}" ] || refuse_usage '--root needs a folder'
      # Absolute, because the executable is started from another folder than this script may have been.
      root=$(cd -- "$2" 2>/dev/null && pwd) || fail "--root: $2 is not a folder"
      shift
      ;;
    --public-key)
      [ -n "${2:-}" ] || refuse_usage '--public-key needs a file'
      [ -f "$2" ] || fail "--public-key: $2 is not a file"
      public_key=$(cd -- "$(dirname -- "$2")" && pwd)/$(basename -- "$2")
      shift
      ;;
    --help | -h)
      printf '%s\n' "$usage"
      exit 0
      ;;
    --*) refuse_usage "there is no option $1" ;;
    *) refuse_usage 'it takes options only, and no secrets' ;;
  esac
  shift
done
[ -z "$yes" ] || [ "$action" = uninstall ] || refuse_usage '--yes goes with --uninstall'

cd -- "$(dirname -- "$0")"

# Which executable is for this machine.
system=$(uname -s)
[ "$system" = Linux ] || fail "Alibi runs on Linux, and this is $system"
machine=$(uname -m)
case $machine in
  x86_64 | amd64) kind=x64 loader=/lib64/ld-linux-x86-64.so.2 ;;
  aarch64 | arm64) kind=arm64 loader=/lib/ld-linux-aarch64.so.1 ;;
  *) fail "there is no Alibi for $machine: it needs x86_64 or aarch64, with 64 bits" ;;
esac
if [ ! -e "$loader" ]; then
  fail "this system has no glibc ($loader), as systemd services of Alibi need. On one with musl and libstdc++, let its service manager start alibi-VERSION-linux-$kind-musl by hand"
fi

set -- alibi-*-linux-"$kind"
[ $# = 1 ] || fail "there is more than one Alibi here: $*"
executable=$1
[ -f "$executable" ] || fail "there is no alibi-VERSION-linux-$kind beside this script"

# Checks that this executable and all other files here, except those for other machines, are as they were released.
[ -f SHA256SUMS ] || fail 'there is no SHA256SUMS beside this script: nothing can be checked'
[ -z "$public_key" ] || check_signature
# Its name is compared and never searched for: as a pattern, that of a forged file could fit the line of another one.
own=$(while IFS= read -r line; do
  [ "${line#*  }" != "$executable" ] || printf '%s\n' "$line"
done <SHA256SUMS)
[ -n "$own" ] || fail "SHA256SUMS does not name $executable"
{ printf '%s\n' "$own" && grep -v '  alibi-' SHA256SUMS; } |
  sha256sum --check --strict --quiet --ignore-missing - >&2 ||
  fail 'what is named above is not as it was released: nothing was run. Copy it here anew'

[ -x "$executable" ] || chmod u+x "$executable"
"./$executable" service "$action" ${root:+--root "$root"} ${yes:+--yes}

[ -z "$public_key" ] || printf 'What was run is signed with a key of %s.\n' "$public_key"
[ "$action" = install ] || exit 0
printf '\nWhat stands before it: operations/Caddyfile or operations/nginx.conf.\n'

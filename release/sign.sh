#!/bin/sh
# sh release/sign.sh KEY FOLDER signs FOLDER/SHA256SUMS with an SSH key, and says how the signature is checked. KEY is the
# file of a private key, or of the public half of one that ssh-agent holds. Whatever fails, no signature is left.
set -eu
unset CDPATH
case $1 in
  /*) key=$1 ;;
  *) key=$PWD/$1 ;;
esac
cd "$2"

fail() {
  rm -f SHA256SUMS.sig
  printf 'release/sign.sh: %s\n' "$1" >&2
  exit 1
}

rm -f SHA256SUMS.sig
ssh-keygen -q -Y sign -f "$key" -n alibi-release SHA256SUMS || fail "$key cannot sign"

# Of a signature alone one cannot tell who made it: this shows that it is of the key that was named.
signers=$(mktemp)
trap 'rm -f "$signers"' EXIT
if ! grep -q 'PRIVATE KEY' "$key"; then
  public=$(head -n 1 "$key")
elif [ -f "$key.pub" ]; then
  public=$(head -n 1 "$key.pub")
else
  public=$(ssh-keygen -y -f "$key") || fail "the public half of $key cannot be read"
fi
printf 'alibi namespaces="alibi-release" %s\n' "$public" >"$signers"
ssh-keygen -q -Y verify -f "$signers" -I alibi -n alibi-release -s SHA256SUMS.sig <SHA256SUMS >/dev/null ||
  fail "what $key has signed is not right by its public half"

cat <<TEXT

SHA256SUMS.sig is the signature of SHA256SUMS. Publish the public half of the key where people know that it is yours, and
apart from the release:

  $public

With it in the file alibi.pub they check a release before they run anything of it:

  echo "alibi \$(cat alibi.pub)" >signers
  ssh-keygen -Y verify -f signers -I alibi -n alibi-release -s SHA256SUMS.sig <SHA256SUMS
  sha256sum --check --ignore-missing SHA256SUMS
  sh install.sh --public-key alibi.pub
TEXT

#!/bin/sh
# A client of Alibi in one file: from an address to an excuse, with curl. With openssl one code is enough.
set -eu

usage() {
  cat <<'TEXT'
usage: sh curl.sh [URL] [EMAIL]

Proves EMAIL (default: you@example.com) to the Alibi at URL (default: http://localhost:3000), pays, gets a token, and
prints excuses and a translation. It asks for the code of the mail, and has to be told when you have paid. In development
it does both itself.
TEXT
}

fail() {
  printf 'curl.sh: %s\n' "$1" >&2
  exit "${2:-1}"
}

case ${1-} in
  -h | --help)
    usage
    exit 0
    ;;
  -*) fail "there is no option $1: see --help" 2 ;;
esac
[ $# -le 2 ] || fail 'it takes a URL and an EMAIL: see --help' 2
alibi=${1:-http://localhost:3000}
email=${2:-you@example.com}
case $alibi in
  http://?* | https://?*) alibi=${alibi%/} ;;
  *) fail "$alibi is not the URL of a service" 2 ;;
esac
command -v curl >/dev/null || fail 'there is no curl'

# The token is only in a file that nobody else may read, and never in the list of processes.
umask 077
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
: >"$work/headers"

# Makes of a text the inside of a string of JSON.
quoted() {
  printf '%s' "$1" | sed 's/[\\"]/\\&/g'
}

# The string of that name in the last answer, or nothing.
field() {
  sed -n 's/.*"'"$1"'":"\([^"\\]*\(\\.[^"\\]*\)*\)".*/\1/p' "$work/answer" | sed 's/\\\(["\\/]\)/\1/g'
}

# Makes a request, with what curl takes beside the path. Bodies come on stdin. `status` and `field` are the answer.
request() {
  path=$1
  shift
  : >"$work/answer"
  status=$(curl -sS --max-time 30 -o "$work/answer" -D "$work/answer-headers" -w '%{http_code}' \
    -H @"$work/headers" "$@" "$alibi$path" 2>"$work/trouble") ||
    fail "$alibi cannot be reached: $(sed 's/^curl: //' "$work/trouble")"
}

# The request itself runs behind a pipe, so that what it sets has to be handed on.
post() {
  path=$1
  printf '%s' "$2" | {
    request "$1" -H 'content-type: application/json' --data-binary @-
    printf '%s' "$status" >"$work/status"
  } || exit
  status=$(cat "$work/status")
}

# Ends with the service's own words, unless the answer is good.
expect_success() {
  [ "$status" = 200 ] && return
  reason=$(field error)
  [ -n "$reason" ] || fail "$alibi answered $path with status $status"
  wait=$(sed -n 's/^[Rr]etry-[Aa]fter: *\([0-9]*\).*/\1/p' "$work/answer-headers")
  fail "$reason${wait:+ (try again in $wait seconds)}"
}

ask() {
  printf '%s ' "$1" >&2
  IFS= read -r reply || fail 'there is nobody who answers'
}

# Has a code mailed and gives it back, with a proof to match if there is one.
prove_address() {
  post /auth/verify-email "{\"email\":\"$(quoted "$email")\"}"
  expect_success
  code=$(field devCode)
  development=$code
  if [ -z "$code" ]; then
    ask "The code that was mailed to $email:"
    code=$reply
  fi
  post /auth/confirm-email "{\"email\":\"$(quoted "$email")\",\"code\":\"$(quoted "$code")\"$1}"
  expect_success
  token=$(field token)
}

# RFC 7636: who has the verifier gets the token after paying, without another code.
verifier=
if command -v openssl >/dev/null; then
  verifier=$(od -An -tx1 -N32 /dev/urandom | tr -d ' \n')
  challenge=$(printf '%s' "$verifier" | openssl dgst -sha256 -binary | openssl base64 | tr '+/' '-_' | tr -d '=\n')
fi
with_verifier=${verifier:+",\"codeVerifier\":\"$verifier\""}

prove_address "${verifier:+",\"codeChallenge\":\"$challenge\""}"
printf '%s is proved.\n' "$email"

if [ -z "$token" ]; then
  post /checkout "{\"email\":\"$(quoted "$email")\"$with_verifier}"
  expect_success
  page=$(field checkoutUrl)
  printf 'The payment page: %s\n' "$page"
  if [ -n "$development" ]; then
    curl -sSL --max-time 30 -o "$work/page" -d action=pay "$page" 2>"$work/trouble" ||
      fail "the payment page cannot be reached: $(sed 's/^curl: //' "$work/trouble")"
    echo 'Paid in the sandbox.'
  fi
  until [ -n "$token" ]; do
    # Requests under /auth/ are few: so it asks a person whether the money is there, not the service in a loop.
    [ -n "$development" ] || ask 'Pay there, and press Enter:'
    if [ -z "$verifier" ]; then
      prove_address ''
      [ -n "$token" ] || echo 'The payment is not there yet.'
    else
      post /auth/token "{\"email\":\"$(quoted "$email")\",\"codeVerifier\":\"$verifier\"}"
      error=$(field error)
      if [ -z "$development" ] &&
        { [ "$error" = 'Premium access required' ] || [ "$error" = 'Payment processing' ]; }; then
        echo 'The payment is not there yet.'
        continue
      fi
      expect_success
      token=$(field token)
    fi
  done
fi
printf 'authorization: Bearer %s\n' "$token" >"$work/headers"

request '/premium-reasons?occasion=late&to=work'
expect_success
printf 'Late at work: %s\n' "$(field reason)"
request '/premium-reasons?lang=sv'
expect_success
printf 'In Swedish: %s\n' "$(field reason)"
request '/i18n?lang=sv'
expect_success
printf '“Give me an excuse” in Swedish: %s\n' "$(field generate)"

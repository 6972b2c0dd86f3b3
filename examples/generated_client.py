"""The whole way with the client that openapi-python-client has made into ./alibi."""

import base64
import hashlib
import secrets

from alibi import AuthenticatedClient, Client
from alibi.api.auth import confirm_email, issue_token, log_out, verify_email
from alibi.api.checkout import start_checkout
from alibi.api.premium import pick_reason, read_strings
from alibi.models import (
    ConfirmEmailBody,
    IssueTokenBody,
    PickReasonOccasion,
    PickReasonTo,
    StartCheckoutBody,
    VerifyEmailBody,
)


def walk(alibi_url, email, ask_code, pay):
    """From an address to an excuse, and out again.

    `ask_code` reads the mail, and is given the code in development; `pay` opens a page and ends at /payment/success.
    Raises RuntimeError with the service's own word where an answer is an error.
    """
    client = Client(alibi_url)
    verifier, challenge = proof_key()

    asked = ok(verify_email.sync_detailed(client=client, body=VerifyEmailBody(email)))
    proof = ConfirmEmailBody(
        email=email, code=ask_code(asked.dev_code or None), code_challenge=challenge
    )
    token = ok(confirm_email.sync_detailed(client=client, body=proof)).token
    if not token:
        checkout = StartCheckoutBody(email=email, code_verifier=verifier)
        pay(ok(start_checkout.sync_detailed(client=client, body=checkout)).checkout_url)
        login = IssueTokenBody(email=email, code_verifier=verifier)
        token = ok(issue_token.sync_detailed(client=client, body=login)).token

    reader = AuthenticatedClient(alibi_url, token=token)
    late = {"occasion": PickReasonOccasion.LATE, "to": PickReasonTo.WORK}
    excuse = ok(pick_reason.sync_detailed(client=reader, **late))
    words = ok(read_strings.sync_detailed(client=reader, lang="sv"))
    ok(log_out.sync_detailed(client=reader))
    return excuse, words, pick_reason.sync_detailed(client=reader)


def ok(answer):
    """What was answered, if it is no error."""
    if answer.status_code == 200:
        return answer.parsed
    raise RuntimeError(getattr(answer.parsed, "error", f"status {answer.status_code}"))


def proof_key():
    """RFC 7636: who has the verifier gets the token after paying, without another code."""
    verifier = secrets.token_urlsafe(32)
    digest = hashlib.sha256(verifier.encode()).digest()
    return verifier, base64.urlsafe_b64encode(digest).decode().rstrip("=")

"""Charges over HTTP as a backend in Python would, by the client that is made of docs/openapi.json.

BILLING_URL and BILLING_KEY say where and as whom, BILLING_USER is a user with 20 credits. It ends with an
AssertionError where the service does not do what the document says.
"""

import os
from uuid import uuid4

from billing_api import AuthenticatedClient
from billing_api.api.account import read_account
from billing_api.api.credits_ import (
    confirm_reservation,
    consume_credits,
    read_balance,
    read_usage,
    release_reservation,
    reserve_credits,
    settle_reservation,
)
from billing_api.models import (
    BalanceResponse,
    ConsumeRequest,
    ConsumeRequestFeature,
    ConsumeResponse,
    MeasuredSettleRequest,
    Problem,
    ProblemCode,
    ReserveRequest,
    ReserveRequestFeature,
    ReserveResponse,
    SettleRequest,
    SettleResponse,
)

USER = os.environ["BILLING_USER"]
client = AuthenticatedClient(base_url=os.environ["BILLING_URL"], token=os.environ["BILLING_KEY"])
as_user = {"client": client, "billing_user": USER}


def consume(feature: str, key: str) -> ConsumeResponse | Problem | None:
    body = ConsumeRequest(feature=ConsumeRequestFeature(feature))
    return consume_credits.sync(body=body, idempotency_key=key, **as_user)


def hold(key: str) -> ReserveResponse | Problem | None:
    body = ReserveRequest(feature=ReserveRequestFeature.DEMO_DEEP, expires_in_seconds=60)
    return reserve_credits.sync(body=body, idempotency_key=key, **as_user)


def balance() -> int:
    answer = read_balance.sync(**as_user)
    assert isinstance(answer, BalanceResponse), answer
    return answer.balance


def refused(answer: object, code: ProblemCode, status: int) -> None:
    assert isinstance(answer, Problem), answer
    assert (answer.code, answer.status) == (code, status), answer


assert balance() == 20
account = read_account.sync(**as_user)
assert (account.uid, account.balance, account.paid) == (USER, 20, False), account

# Once for each key, and the same answer again.
key = str(uuid4())
spent = consume("demo_deep", key)
assert isinstance(spent, ConsumeResponse), spent
assert (spent.cost, spent.balance, spent.replayed) == (5, 15, False), spent
again = consume("demo_deep", key)
assert (again.cost, again.balance, again.replayed) == (5, 15, True), again
refused(consume("demo", key), ProblemCode.IDEMPOTENCY_KEY_REUSED, 422)

# Held, then what was used is taken, whatever is asked later.
held = hold("job")
assert isinstance(held, ReserveResponse), held
assert (held.reservation, held.cost, held.balance) == ("job", 5, 10), held
used = MeasuredSettleRequest(reservation="job", amount=2, label="small-model")
settled = settle_reservation.sync(body=used, **as_user)
assert isinstance(settled, SettleResponse), settled
assert (settled.cost, settled.shortfall, settled.balance, settled.replayed) == (2, 0, 13, False), settled
replayed = settle_reservation.sync(body=MeasuredSettleRequest(reservation="job", amount=5), **as_user)
assert (replayed.cost, replayed.replayed) == (2, True), replayed
refused(release_reservation.sync(body=SettleRequest("job"), **as_user), ProblemCode.RESERVATION_CONFIRMED, 409)

# Taken whole, and let go.
hold("whole")
assert confirm_reservation.sync(body=SettleRequest("whole"), **as_user).cost == 5
hold("unused")
too_much = MeasuredSettleRequest(reservation="unused", amount=6)
refused(settle_reservation.sync(body=too_much, **as_user), ProblemCode.AMOUNT_ABOVE_HOLD, 409)
assert release_reservation.sync(body=SettleRequest("unused"), **as_user).cost == 0
assert balance() == 8

# The rest of the refusals that a backend meets.
consume("demo_deep", str(uuid4()))
refused(consume("demo_deep", str(uuid4())), ProblemCode.CREDITS_EXHAUSTED, 402)
refused(settle_reservation.sync(body=MeasuredSettleRequest("never", amount=1), **as_user), ProblemCode.UNKNOWN_RESERVATION, 404)
refused(read_balance.sync(client=client), ProblemCode.USER_REQUIRED, 400)
stranger = AuthenticatedClient(base_url=os.environ["BILLING_URL"], token="ebk_000000000000_nothing")
refused(read_balance.sync(client=stranger, billing_user=USER), ProblemCode.UNAUTHENTICATED, 401)

usage = read_usage.sync(**as_user)
receipts = [entry.receipt.label for entry in usage.entries if entry.receipt]
assert receipts == ["small-model"], usage

print(f"left: {balance()}")

"""A process that runs an emulator with a live Lambda worker, and ends as it is told: the subject of the lifetime tests.

``python -m tests.e2e.local.parent HOW`` prints one JSON line ``{"session", "run_dir", "worker"}`` when all is up.
``HOW`` is how it ends, or ``stack`` for the whole embedded stack.
"""

from __future__ import annotations

import json
import os
import sys
import time

import psutil
import urllib3

from infra.local.emulator import is_up, start_emulator
from infra.local.errors import ProcessDiedError
from infra.local.guardian import session_members
from infra.local.processes import Guardian, choose_port
from tests.e2e.local import function

FOREVER_SECONDS = 600


def run_stack() -> None:
    """The whole stack, with an order through it so that its functions have workers."""
    # Imported here because it brings Pulumi along, which the other cases have no use for.
    from infra.local.stack import EmbeddedStack

    with EmbeddedStack.start() as stack:
        order = {"sku": "sku-abc", "quantidade": 1, "valorCentavos": 1990, "cartaoToken": "tok-ok", "pedidoId": "p-1"}
        answer = urllib3.request("POST", f"{stack.endpoints()['api']}/pedidos", json=order)
        session = psutil.Process().children()[0].pid  # the guardian's, which leads it
        workers = [process for process in session_members(session) if "awslambdaric" in process.cmdline()]
        say({"session": session, "run_dir": str(stack.run_dir), "worker": workers[0].pid, "status": answer.status})
        stack.wait()


def run_emulator(how: str) -> None:
    with Guardian() as guardian:
        aws = start_emulator(guardian, choose_port(None, option="--porta-aws"))
        function.create(aws, guardian.run_dir)
        worker = function.invoke(aws, action="sleep", seconds=0)["pid"]
        try:
            say({"session": guardian.session, "run_dir": str(guardian.run_dir), "worker": worker})
            end(how, guardian)
        except KeyboardInterrupt:
            say({"still_up": is_up(f"{aws.endpoint}/_ministack/health")})
        except ProcessDiedError as death:
            say({"process": death.process, "exit_code": death.exit_code})


def end(how: str, guardian: Guardian) -> None:
    match how:
        case "return":
            return
        case "raise":
            raise RuntimeError("told to")
        case "exit":
            os._exit(3)
        case "watch":
            guardian.wait(FOREVER_SECONDS)
        case "wait":
            time.sleep(FOREVER_SECONDS)
        case _:
            raise ValueError(how)


def say(what: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    if sys.argv[1] == "stack":
        run_stack()
    else:
        run_emulator(sys.argv[1])

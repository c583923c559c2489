"""Prints the environment of the API on the running embedded stack, for a shell to take over::

    eval "$(python -m infra.local.environment)"
    cd api && chalice local

Then Chalice's own server runs the app from its sources, loaded again on every change, against the stack of
``cesta local``: same tables, same queue, same saga.
"""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

from handlers.domain.environment import API_URL_BASE
from infra.ops.errors import NoEmbeddedStackError
from infra.ops.target import running_embedded

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient

    from infra.ops.target import Target

__all__ = ["api_environment", "main"]

LEFT_OUT = (API_URL_BASE, "AWS_PROFILE", "AWS_SESSION_TOKEN")
"""The links of Chalice's server must lead back to it, and the user's own account has no part in this."""


def api_environment(target: Target) -> dict[str, str]:
    """What the API's function has on the stack, and how the SDK finds the emulator."""
    functions: LambdaClient = target.clients.client("lambda")
    deployed = functions.get_function_configuration(FunctionName=target.names.funcao_api)
    variables = deployed.get("Environment", {}).get("Variables", {}) | target.clients.environment()
    return {name: value for name, value in variables.items() if name not in LEFT_OUT}


def main() -> int:
    """Print shell commands; returns the exit code, 1 where no embedded stack is up."""
    try:
        variables = api_environment(running_embedded())
    except NoEmbeddedStackError as error:
        print(error, file=sys.stderr)  # noqa: T201 - for the person; the shell gets nothing
        return 1
    print(f"unset {' '.join(LEFT_OUT)}")  # noqa: T201 - what the shell evaluates
    for name, value in sorted(variables.items()):
        print(f"export {name}={shlex.quote(value)}")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())

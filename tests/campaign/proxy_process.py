"""The fault proxy's process: ``python proxy_process.py SEED UPSTREAM PORT``.

microburst draws from the interpreter's own ``random``, which its command line cannot seed. Nothing of the project is
imported: the process runs in the stack's directory.
"""

from __future__ import annotations

import logging
import random
import sys
from typing import TYPE_CHECKING

from microburst.cli import main  # pyright: ignore[reportMissingTypeStubs]
from microburst.detection import host  # pyright: ignore[reportMissingTypeStubs]
from microburst.forward import Upstream  # pyright: ignore[reportMissingTypeStubs]

if TYPE_CHECKING:
    from aiohttp import web

_outbound_headers = Upstream._outbound_headers  # pyright: ignore[reportPrivateUsage]


def _with_signed_host(upstream: Upstream, request: web.Request) -> dict[str, str]:
    """The headers that are sent on, with the host the caller signed.

    WHY: microburst puts the upstream's, and an emulator that enforces IAM then refuses the signature. Signing again
    would make every function the same caller.
    """
    return {**_outbound_headers(upstream, request), "host": request.headers["Host"]}


def _no_prefixes() -> dict[str, str]:
    """Endpoint prefixes by which a host name tells its service: ours is always 127.0.0.1.

    WHY: for the real ones microburst reads all of botocore's service models at the first request, four seconds.
    """
    return {}


if __name__ == "__main__":
    seed, upstream, port = sys.argv[1:]
    random.seed(int(seed))
    host._endpoint_prefix_map = _no_prefixes  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]
    Upstream._outbound_headers = _with_signed_host  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]
    # One line a request is more than the run directory should hold; a client that left is what campaigns do.
    logging.getLogger("aiohttp").setLevel(logging.CRITICAL)
    logging.getLogger("microburst").setLevel(logging.WARNING)
    sys.exit(main(["--upstream", upstream, "--port", port, "--no-resign"]))

"""The function the probes invoke: its event says what it does."""

from __future__ import annotations

import io
import zipfile

__all__ = ["HANDLER", "archive"]

HANDLER = "sonda.handler"

_SOURCE = """
import os, time

def handler(event, context):
    if "Records" in event:
        return consume([record["body"] for record in event["Records"]], event["Records"])
    raise_as_told(event)
    if event.get("sair"):
        os._exit(1)
    time.sleep(event.get("dormir", 0))
    if "escrever" in event:
        write(event["escrever"])
    return {"tentativa": event.get("tentativa"), "texto": "x" * event.get("bytes", 0)}

def raise_as_told(event):
    # One name per attempt; an attempt past the list succeeds.
    names = event.get("erros", [])
    attempt = event.get("tentativa", 0)
    if attempt < len(names):
        raise type(names[attempt], (Exception,), {})("de propósito")

def write(key):
    import boto3  # not above: most calls need none, and it is what makes a first call slow
    boto3.client("dynamodb").put_item(TableName=os.environ["TABELA"], Item={"id": {"S": key}})

def consume(bodies, records):
    if any(body.startswith("explode") for body in bodies):
        raise RuntimeError("de propósito")
    if any(body.startswith("vazio") for body in bodies):
        return {"batchItemFailures": [{"itemIdentifier": ""}]}
    failed = [record["messageId"] for record in records if record["body"].startswith("ruim")]
    return {"batchItemFailures": [{"itemIdentifier": name} for name in failed]}
"""


def archive() -> bytes:
    """The function's package, as for Lambda's own Python runtime."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("sonda.py", _SOURCE)
    return buffer.getvalue()

"""The whole system in one process: real handlers, the real machines' definitions, fakes of AWS, a clock of its own.

`World` is the place to begin. Nothing here sleeps, and everything that happens can be repeated from its choices.

Not modelled, so not found here: clocks of two hosts that differ; an index that lags behind its table; DynamoDB's 5xx
after a write; a refused credential, or its rotation; Lambda refusing to start; an execution's limits (25,000 events,
256 KB); a round too long for its function. A late request arrives while the function that sent it could still be
living, but where a test says later (`World.late_seconds`).
"""

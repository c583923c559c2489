"""The Lambda steps of the order saga, one module per step, and the domain they share."""

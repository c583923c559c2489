"""Many orders at once on the embedded stack, and whether every promise held: ``python -m infra.local.load``."""

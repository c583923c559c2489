"""The Pulumi program, the saga compiler, the embedded stack and the `cesta` command."""

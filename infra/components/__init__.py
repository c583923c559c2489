"""The parts of a stack, one component per concern; `infra.__main__` puts them together."""

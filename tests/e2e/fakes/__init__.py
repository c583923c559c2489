"""The fakes against the emulator: what our code was seen to ask is asked of both, and both must answer alike."""

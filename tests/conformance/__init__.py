"""What we rely on in AWS, fact by fact: its source, how it is shown, and where the emulator differs."""

"""The embedded stack's machinery: process lifetime, the emulator and its patches, the Pulumi monitor."""

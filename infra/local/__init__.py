"""The embedded stack: an AWS emulator, the payment gateway simulator and the real Pulumi program deployed on them.

Nothing here is imported by what runs on AWS.
"""

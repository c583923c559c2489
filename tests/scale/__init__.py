"""How far the system goes on AWS: a discrete-event model of a day's orders against AWS's limits.

``python -m tests.scale`` runs it and writes docs/scale.md. The machine in the model is the compiled definition itself;
what the steps write is measured on items made by the handlers. Durations are assumptions, each named in `durations`.
"""

"""The proofs of design §9: each goes through the real front door and ends in assertions on the tables, the gateway's
statement, the queue and the execution's history. The same code runs on the embedded stack and on AWS.
"""

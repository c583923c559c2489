"""The designs the product replaces, deployed on tables of their own: see `lambdas` for what they are.

Where a document leaves something open, the baseline gets the better reading; where it is written so that it could not
run at all, it is mended, in its favour, and the place says so.
"""

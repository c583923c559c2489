"""What the Chalice app is made of; `app` only wires it."""

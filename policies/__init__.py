"""Who may do what: least-privilege documents as pure functions from names to IAM policies."""

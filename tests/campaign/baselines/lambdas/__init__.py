"""What the baselines' Lambda functions run. Goes into their zip as it is, and imports nothing of the project."""

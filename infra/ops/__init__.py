"""What operators use, on the embedded stack and on AWS alike: where an order stopped, and what it holds."""

"""The domain the steps and the API share: errors, statuses, orders, stock, the payment gateway."""

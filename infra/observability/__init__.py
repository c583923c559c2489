"""What is watched and shown, as data: alarms, dashboard, and the metrics both are made of. No Pulumi runs here."""

"""What decides the replies of the simulated models to the wiki's tasks: nothing else is in their identity."""

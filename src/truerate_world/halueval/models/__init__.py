"""What decides the replies of the simulated models to HaluEval's tasks: nothing else is in their identity."""

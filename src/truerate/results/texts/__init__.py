"""The texts beside a committed result: a readable sample of its rows, where the licence of the set allows it."""

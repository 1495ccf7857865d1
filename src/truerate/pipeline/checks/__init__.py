"""What is checked before a build asks, trains or writes anything."""

"""What the verifier is held against, and what more it is asked: further verifiers, citations."""

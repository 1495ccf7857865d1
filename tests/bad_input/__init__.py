"""What a person can get wrong: each ends in one clear line on stderr, exit code 2, no traceback, nothing lost."""

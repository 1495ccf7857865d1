"""What was asked and answered, and who asks now: one SQLite file for all processes of a host.

Another database can stand in its place with these operations and no others. Reading: `find`, `beside`,
`requests`, `query`, `each`. Writing: `do` and `write`, each of which runs one function as one transaction;
these functions are `register`, `expire`, `room`, `commit` and `release` of `leases`, with the sums of
`budget`, and `book_start` and `book_pause` of the rate limiter. Which holder lives is the store's own matter:
here a file's lock says it at once, and a heartbeat where a process hangs.
"""

"""What people say of texts: label files, checked rows, voting, screening, agreement, whom a task is given to."""

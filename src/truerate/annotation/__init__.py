"""What people say of texts: label files, checked rows, voting, screening, agreement, tasks."""

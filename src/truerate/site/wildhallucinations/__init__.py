"""WildHallucinations' pages."""

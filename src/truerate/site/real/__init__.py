"""Real boards: committed results of public sets, as the pages show them. Pure: results in, contexts out."""

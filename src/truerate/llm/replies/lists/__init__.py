"""Read lists and single words: facts by sentence number, names, one word of a closed list."""

"""Read the texts that a prompt asks for, and what replaces one: refusals and abstentions."""

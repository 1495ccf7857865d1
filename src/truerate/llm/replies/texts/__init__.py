"""Readers of the texts that a prompt asks for, and of what stands in the place of one: refusals and abstentions."""

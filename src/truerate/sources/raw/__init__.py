"""Readers of seed data: questions, dialogues, news, pages and instructions in their public formats."""

"""The closed world's chats, its web and how its models speak of what is asked about there."""

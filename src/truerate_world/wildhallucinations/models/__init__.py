"""What decides the replies of the simulated models to the tasks on chats, entities and web pages: nothing else is in their identity."""

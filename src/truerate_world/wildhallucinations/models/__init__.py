"""What decides the replies of the models to the tasks on chats, entities and web pages."""

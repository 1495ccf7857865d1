"""WildHallucinations: entities of real chats, web evidence, atomic facts, WildFactScore (Zhao et al. 2024)."""

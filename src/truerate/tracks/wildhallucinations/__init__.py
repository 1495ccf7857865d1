"""WildHallucinations: entities of chats, web evidence, atomic facts, WildFactScore (Zhao et al. 2024)."""

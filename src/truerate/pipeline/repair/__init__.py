"""What puts a build right that a kill or an edit left half done, and marks boards to be made again."""

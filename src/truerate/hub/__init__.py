"""What a repository of the Hugging Face Hub holds, whether it may be published, and the commit that puts it there."""

"""Publishing to the Hugging Face Hub: the files of a repository, whether they may go out, and the commit."""

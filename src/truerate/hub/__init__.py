"""The way out: what a repository of the Hugging Face Hub holds, whether it may go out, and one commit that
puts it there.
"""

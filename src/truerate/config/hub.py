"""What `truerate publish` may let out of the house, and how large its files are."""

from truerate.config.blocks import Block, Names, Size, Word


class Hub(Block):
    """Publishing to the Hugging Face Hub.

    `licence`: the Hub's id of the data sets' licence, within what their sources allow; null: the strictest of
    these. `allow_emails`, `allow_paths`: addresses (or `*@domain`) and local paths (or `beginning*`) that a
    person found harmless; secrets are never allowed. `rows_per_shard`: at most, in a Parquet file.
    """

    licence: Word | None
    allow_emails: Names
    allow_paths: Names
    rows_per_shard: Size

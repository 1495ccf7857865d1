"""What `truerate publish` may let out of the house, and how large its files are."""

from truerate.config.blocks import Block, Names, Size, Word


class Hub(Block):
    """Publishing to the Hugging Face Hub.

    `licence`: the Hub's id of the licence under which a data set goes out; null: the strictest that its
    sources ask for, config by config. One that the sources do not allow is refused. `allow_emails`,
    `allow_paths`: what a person has looked at and found harmless in the texts: e-mail addresses (or
    `*@domain`) and local paths (or their beginning with `*`); nothing else of these kinds goes out. Secrets
    are never allowed. `rows_per_shard`: of a Parquet file, at most: one of long rows has fewer.
    """

    licence: Word | None
    allow_emails: Names
    allow_paths: Names
    rows_per_shard: Size

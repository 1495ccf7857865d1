"""Capitals: the card that card.yaml holds."""

from truerate.core.card import card_beside

CARD = card_beside(__file__)

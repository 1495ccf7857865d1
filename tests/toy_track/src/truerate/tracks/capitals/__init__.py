"""Capitals: do models name the right one?"""

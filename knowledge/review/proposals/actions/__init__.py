"""Propose, revise and withdraw; approve, reject, request changes, comment."""

"""Accounts in the Django admin, and what every app's admin is made of."""

from accounts.admin import others, people
from accounts.admin.exports import ExportedAdmin
from accounts.admin.shown import ReadOnly, SharedOnly

__all__ = ["ExportedAdmin", "ReadOnly", "SharedOnly", "others", "people"]

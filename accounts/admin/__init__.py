"""Accounts in the Django admin, and what every app's admin is made of."""

from accounts.admin import others, people
from accounts.admin.exports import Exported
from accounts.admin.shown import ReadOnly, SharedOnly

__all__ = ["Exported", "ReadOnly", "SharedOnly", "others", "people"]

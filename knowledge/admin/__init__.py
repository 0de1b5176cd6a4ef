"""What a team knows in the Django admin: importing the parts registers them."""

from knowledge.admin import hidden, insights, records, topics
from knowledge.admin.shown import ShownOnly

__all__ = ["ShownOnly", "hidden", "insights", "records", "topics"]

"""What interrupts a background task that has had its time."""


class TimeUp(KeyboardInterrupt):
    """The task has had its time. No Exception, so that no item's guard takes it for the item's; and one of Ctrl-C's
    kind, on which psycopg cancels the statement that is under way.
    """

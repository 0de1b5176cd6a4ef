"""The queues of the inbox, saved filters, and edits based on a stale view."""

"""What people do with insights: review them in the inbox, settle pairs, merge, move, quarantine and delete."""

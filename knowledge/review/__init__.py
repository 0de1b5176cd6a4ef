"""What people do with insights: the inbox, decisions on pairs, merges, moves, quarantine, deletion."""

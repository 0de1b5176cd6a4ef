"""From when on a passage is worth a lead's look: it helped more than once, and not one person."""

# As often as it takes to promote an insight, and by two people, so that nobody proposes their own words by asking twice
# (product design: three times for two people).
TIMES, PEOPLE = 3, 2

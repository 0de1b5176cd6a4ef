"""Who you are, which teams you are of; and what every app above needs: the log, the guard, Refused."""

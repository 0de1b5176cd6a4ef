"""The agent's side: begin, ask, leave a note; and whatever spans the apps (demo, evaluation, benchmark)."""

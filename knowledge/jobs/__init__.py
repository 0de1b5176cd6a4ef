"""Background jobs: what people start on a page, what beat runs, and the integrity audit."""

"""Jobs started on a page, all sweeps by name, and the audit."""

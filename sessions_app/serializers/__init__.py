"""What goes in and out of the REST API of sessions."""

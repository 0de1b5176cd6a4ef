"""What goes in and out of knowledge's REST."""

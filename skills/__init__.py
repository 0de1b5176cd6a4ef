"""What the team has decided to teach: skills, their versions and triggers."""

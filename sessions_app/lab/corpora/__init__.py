"""Made-up notes, conversations and activity, and labelled transcripts."""

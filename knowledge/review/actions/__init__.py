"""The actions of people on insights and pairs, and how to undo them."""

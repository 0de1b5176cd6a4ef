"""A team as a folder of Markdown: export, import, sync."""

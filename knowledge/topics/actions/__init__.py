"""The nightly regrouping, and what leads do to topics."""

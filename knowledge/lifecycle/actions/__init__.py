"""Rate, use, validate, and the nightly fading."""

"""What in others' words imitates a speaker, a prompt or a line of Loam's: the fence marks it."""

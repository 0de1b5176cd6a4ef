"""The protocols of the models' makers: what a request says, and a scripted reply in their form."""

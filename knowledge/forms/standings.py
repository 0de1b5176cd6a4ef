"""Shapes at the door for a lead who restores a contributor's standing."""

from django import forms


class StandingForm(forms.Form):
    """Whose standing, in which team. `how`: restore it, or withdraw that."""

    team = forms.SlugField(max_length=40)
    username = forms.CharField(max_length=150)
    why = forms.CharField(required=False, max_length=400)
    how = forms.ChoiceField(choices=[("restore", "restore"), ("withdraw", "withdraw")])

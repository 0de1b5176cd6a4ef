"""Forms on the page of a topic."""

from django import forms

from accounts.forms import WatchedForm


class TopicForm(WatchedForm):
    """What is done to a topic. `was`: the name it had when the form was made."""

    why = forms.CharField(required=False, max_length=1_000)
    was = forms.CharField(required=False, max_length=200)


class TopicNameForm(TopicForm):
    label = forms.CharField(max_length=120)


class TopicMergeForm(TopicForm):
    into = forms.UUIDField()

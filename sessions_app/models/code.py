"""The import graph of a repo, as a client uploaded it."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models

from accounts.models import Team, User
from accounts.querysets import TeamScoped
from sessions_app.querysets.sessions import CodeFileQuerySet


class CodeIndex(models.Model):
    """One a team and repo: the graph of one commit. Another commit's takes its place."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="code_indexes")
    repo = models.CharField(max_length=200)
    commit = models.CharField(max_length=80)
    uploaded_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    uploaded_at = models.DateTimeField()

    objects = TeamScoped.as_manager()

    class Meta:
        verbose_name_plural = "code indexes"
        constraints = [models.UniqueConstraint(fields=["team", "repo"], name="code_index_once")]

    def __str__(self) -> str:
        return f"{self.repo}@{self.commit[:12]}"


class CodeFile(models.Model):
    """One file: what it says it imports (`named`), and which files of the repo those are (`imports`)."""

    index = models.ForeignKey(CodeIndex, on_delete=models.CASCADE, related_name="files")
    path = models.CharField(max_length=400)
    named = ArrayField(models.CharField(max_length=400), default=list)
    imports = ArrayField(models.CharField(max_length=400), default=list)

    objects = CodeFileQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["index", "path"], name="code_file_once")]
        indexes = [GinIndex(fields=["imports"], name="code_file_imports")]

    def __str__(self) -> str:
        return self.path

"""All components of templates/components/ in each of their states, for those who change one. Only while DEBUG is on."""

from datetime import timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from accounts.authentication import PageRequest
from accounts.forms import BOX
from knowledge.review.rules.table import RowTable, TableColumn

LOOKS = ("primary", "outline", "ghost", "danger", "error")
TONES = ("info", "success", "warning", "error")
STATUSES = ("promoted", "draft", "deprecated", "archived", "open", "running", "failed", "contested")
TABLE = RowTable(
    title=TableColumn("name", "Name", ("name",)),
    columns=(TableColumn("count", "Insights", ("count",), largest_first=True), TableColumn("seen", "Last used")),
    shown=("count", "seen"),
    order="name",
)
DIFF = "@@ -1,3 +1,3 @@\n Run the migration.\n-Restart the worker.\n+Restart the worker and beat.\n Check /readyz.\n"


class GalleryForm(forms.Form):
    """One field of each kind; bound to nothing, every required one has its fault."""

    title = forms.CharField(help_text="Shown in lists.")
    body = forms.CharField(widget=forms.Textarea(attrs={"rows": 3}), required=False)
    kind = forms.ChoiceField(choices=[("pitfall", "Pitfall"), ("decision", "Decision")])
    scopes = forms.MultipleChoiceField(
        choices=[("read", "read"), ("write", "write")],
        widget=forms.CheckboxSelectMultiple(attrs=BOX),
    )
    agree = forms.BooleanField(label="Include archived insights", required=False)

    def clean(self) -> None:
        raise forms.ValidationError("The form as a whole is invalid.")


@login_required
@require_GET
def gallery(request: PageRequest) -> HttpResponse:
    """The components in each state. Raises Http404 unless DEBUG is on."""
    if not settings.DEBUG:
        raise Http404
    columns = TABLE.columns_of(())
    now = timezone.now()
    context: dict[str, Any] = {
        "looks": LOOKS,
        "tones": TONES,
        "statuses": STATUSES,
        "blank": GalleryForm(auto_id="blank_%s"),
        "filled": GalleryForm({}, auto_id="filled_%s"),
        "form": forms.Form(request.GET),
        "rows": [
            {"name": name, "count": n, "seen": now - timedelta(days=n)} for name, n in (("Importer", 3), ("API", 12))
        ],
        "columns": columns,
        "headings": TABLE.sort_links(columns, "name"),
        "every_column": [(column, True) for column in TABLE.columns],
        "total": "2",
        "noun": "topic",
        "first": 1,
        "last": 2,
        "list_url": request.path,
        "row_template": "components/_gallery_row.html",
        "diff": DIFF,
        "differences": [("Title", "Restart the worker", "Restart the worker and beat"), ("Tags", "", "celery")],
    }
    return render(request, "components/gallery.html", context)

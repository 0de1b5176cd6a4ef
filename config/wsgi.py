"""The WSGI application."""

import os

from django.core.wsgi import get_wsgi_application

from config.checks import refuse_to_start
from config.monitoring.sent_metrics import send_metrics

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = get_wsgi_application()
refuse_to_start()
send_metrics(store=True)

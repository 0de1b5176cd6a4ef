"""How a server of one's own is told where the database is."""

import environ
import pytest
from django.db import connections

from sessions_app.adapters.web import database_url


class TestDatabaseUrl:
    @pytest.mark.parametrize(
        "place",
        [
            {"HOST": "/srv/loam var/postgres/run", "PORT": "5432", "NAME": "loam_x"},
            {"HOST": "db.example", "PORT": 5433, "NAME": "loam"},
            {"HOST": "", "PORT": "", "NAME": "loam"},
        ],
    )
    def test_is_read_back_as_it_was(self, place, monkeypatch):
        there = {**place, "USER": "lo@am", "PASSWORD": "p/w:?#%"}
        wrapper = connections["default"]
        monkeypatch.setattr(wrapper, "settings_dict", {**wrapper.settings_dict, **there})
        read = environ.Env.db_url_config(database_url())
        expected = {**there, "HOST": place["HOST"] or "localhost", "PORT": int(place["PORT"] or 5432)}
        assert {name: read[name] for name in there} == expected

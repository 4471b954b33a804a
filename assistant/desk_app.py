"""Puts our door on the stock admin."""

from django.contrib.admin.apps import AdminConfig


class DeskConfig(AdminConfig):
    """`django.contrib.admin` with `assistant.desk.Desk` as its site."""

    default_site = "assistant.desk.Desk"

"""The worker and its schedule; tasks carry ids only, rows are the queue."""

import os
import warnings
from typing import Any

from celery import Celery
from celery.exceptions import SecurityWarning
from celery.schedules import crontab
from celery.signals import task_postrun, task_prerun

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "assistant.settings")

from django.conf import settings

from assistant import logs

warnings.filterwarnings("ignore", category=SecurityWarning)  # as root too, the queue holds ids in JSON, never code
broker = settings.REDIS_URL.replace("unix://", "redis+socket://", 1)
QUIET = crontab(hour="3", minute="30")
"""When nobody waits for an answer, by the clock of TIME_ZONE."""
app = Celery("kith", broker=broker)
app.conf.update(
    timezone=settings.TIME_ZONE,
    task_ignore_result=True,
    task_acks_late=True,
    task_time_limit=120,
    worker_hijack_root_logger=False,
    worker_prefetch_multiplier=1,
    broker_connection_retry_on_startup=True,
    broker_transport_options={
        "socket_timeout": 5, "visibility_timeout": 3600, "global_keyprefix": settings.QUEUE_PREFIX,
    },
    beat_schedule={
        "remember": {"task": "assistant.tasks.remember", "schedule": 5.0, "options": {"expires": 5}},
        "fold": {"task": "assistant.tasks.fold", "schedule": 10.0, "options": {"expires": 10}},
        "embed": {"task": "assistant.tasks.embed", "schedule": 3.0, "options": {"expires": 3}},
        "bring": {"task": "assistant.tasks.bring", "schedule": 2.0, "options": {"expires": 3}},
        "upkeep": {"task": "assistant.tasks.upkeep", "schedule": QUIET, "options": {"expires": 3600}},
        "recur": {"task": "assistant.tasks.recur", "schedule": QUIET, "options": {"expires": 3600}},
        "let_go": {"task": "assistant.tasks.let_go", "schedule": QUIET, "options": {"expires": 3600}},
        "erase": {"task": "assistant.tasks.erase", "schedule": 15.0, "options": {"expires": 15}},
        "export": {"task": "assistant.tasks.export", "schedule": 5.0, "options": {"expires": 5}},
        "note_heads": {"task": "assistant.tasks.note_heads", "schedule": 3600.0, "options": {"expires": 3600}},
        "recover": {"task": "assistant.tasks.recover", "schedule": 10.0, "options": {"expires": 10}},
    },
)
app.autodiscover_tasks(["assistant"])
app.conf.imports = ("assistant.watching",)


@task_prerun.connect  # type: ignore[untyped-decorator]
def _begun(task_id: str, **more: Any) -> None:
    logs.begin(task=task_id)


@task_postrun.connect  # type: ignore[untyped-decorator]
def _ended(**more: Any) -> None:
    logs.begin()

"""Figures for whoever runs it, in the format of Prometheus: of this process, and of the queues in the database.

No label and no value says anything of a person. Each process has figures of its own; turns are counted where they are
answered, in the web process. Seconds are seconds.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from ipaddress import ip_address

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.gc_collector import GCCollector
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

registry = CollectorRegistry()
for collector in (ProcessCollector, PlatformCollector, GCCollector):
    collector(registry=registry)
turns = Counter("kith_turns", "Turns that ended here, by how.", ["state"], registry=registry)
turn_seconds = Histogram(
    "kith_turn_seconds", "From the question to the end of its answer.", registry=registry,
    buckets=(0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 45, 90),
)  # fmt: skip
prepare_seconds = Histogram(
    "kith_prepare_seconds", "Recall and context of one question, without its vector and without waiting for a thread.",
    registry=registry, buckets=(0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5),
)  # fmt: skip
words_alone = Counter("kith_words_alone", "Questions looked up without vectors: no embedder.", registry=registry)
failures = Counter("kith_model_failures", "Answers that a model did not give, by code.", ["code"], registry=registry)
sockets = Gauge("kith_sockets", "Sockets that are open here.", registry=registry)
requests = Counter("kith_requests", "By method and class of status.", ["method", "status"], registry=registry)
QUEUES = {"to_remember": "kith_turns_to_remember", "to_fold": "kith_conversations_to_fold"}
"""Rows that are queues, and the functions that tell them to a worker."""
MOST = 1000
"""A queue is counted up to so many."""
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def ended(state: str, since: datetime) -> None:
    """A turn that was asked then has ended here."""
    turns.labels(state).inc()
    turn_seconds.observe((timezone.now() - since).total_seconds())


class _Queues(Collector):
    """How much waits for the worker; none of these where the database does not answer."""

    def collect(self) -> Iterable[Metric]:
        found = GaugeMetricFamily("kith_waiting", f"Rows that wait for the worker, up to {MOST}.", labels=["queue"])
        try:
            with connection.cursor() as cursor:
                for queue, function in QUEUES.items():
                    cursor.execute(f"SELECT count(*) FROM {function}(%s)", [MOST])  # noqa: S608
                    found.add_metric([queue], cursor.fetchone()[0])
        except DatabaseError:
            return
        yield found


registry.register(_Queues())


class Counting:
    """Counts requests; the path is not a label, as it names conversations and members."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        answer = self.get_response(request)
        method = request.method if request.method in METHODS else "other"
        requests.labels(method, f"{answer.status_code // 100}xx").inc()
        return answer


def shown(request: HttpRequest) -> HttpResponse:
    """`/metrics`: with `METRICS_TOKEN` as a bearer; without that setting for this machine alone. Else 404."""
    if settings.METRICS_TOKEN:
        allowed = constant_time_compare(request.headers.get("authorization", ""), f"Bearer {settings.METRICS_TOKEN}")
    else:
        allowed = _near(request.META.get("REMOTE_ADDR", "")) and "X-Forwarded-For" not in request.headers
    if not allowed:
        raise Http404
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


def _near(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False

"""Every setting, read from the environment (and `.env`); `.env.example` lists them."""

import os
import secrets
from contextlib import AbstractContextManager
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import environ
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from assistant.embedded import EMBEDDER, POSTGRESQL, VALKEY, Place
from assistant.embedded import lease as embedded_lease

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()
GIVEN = frozenset(os.environ)
"""Names that the environment itself holds, before `.env` is read."""
environ.Env.read_env(BASE_DIR / ".env")

VAR_DIR = (BASE_DIR / env.str("VAR_DIR", "var")).resolve()
PLACE = Place(VAR_DIR)
PORT = env.int("PORT", 8000)
DEMO = env.bool("DEBUG", True)
"""Demo accounts exist only here; outside it none of them can."""
DEBUG = False
"""Django's own pages with code and settings in them are shown to nobody, in a demo either."""
WEB_HOST = env.str("WEB_HOST", "127.0.0.1")
"""The address on which the web server listens."""
if DEMO and WEB_HOST not in ("127.0.0.1", "localhost", "::1"):
    raise ImproperlyConfigured("A demo, whose passwords everybody knows, listens on loopback alone: no WEB_HOST.")
STORE = env.str("DATABASE_URL", "")
EMBEDDED = not STORE
_SERVICES = {POSTGRESQL: ("DATABASE_URL",), VALKEY: ("REDIS_URL",), EMBEDDER: ("EMBEDDING_BASE_URL", "EMBEDDER_SOCKET")}
SERVICES = frozenset(service for service, given in _SERVICES.items() if not any(env.str(name, "") for name in given))
"""What the product itself has to run."""


def _secret_key() -> str:
    given: str = env.str("SECRET_KEY", "")
    if given:
        return given
    kept = VAR_DIR / "secret.key"
    if kept.exists():
        return str(kept.read_text().strip())
    made = secrets.token_urlsafe(48)
    if (VAR_DIR / "kith.json").exists():
        kept.touch(mode=0o600)
        kept.write_text(made)
    return made


SECRET_KEY = _secret_key()
SECRET_KEY_FALLBACKS: list[str] = env.list("SECRET_KEY_FALLBACKS", default=[])
"""Earlier ones: without them, what was forgotten or archived under them opens no more."""


def lease() -> AbstractContextManager[None]:
    """The embedded services that these settings call for."""
    return embedded_lease(PLACE, services=SERVICES, store=STORE)



def _database(role: str, url: str) -> dict[str, Any]:
    # plans of repeated statements are kept: half of the database's time for a turn
    options: dict[str, Any] = {"connect_timeout": 5, "server_side_binding": True, "prepare_threshold": 3}
    if role in ("sweep", "erase"):  # no assistant acts there, so none narrows what is seen
        options["options"] = "-c kith.reads=* -c kith.writes=*"
    if role == "app":
        options["pool"] = {"min_size": 0, "max_size": 24, "timeout": 10, "max_idle": 60}
    if EMBEDDED:
        found = {"NAME": env.str("KITH_DATABASE", "kith"), "USER": f"kith_{role}", "HOST": str(PLACE.postgres)}
    else:
        found = env.db_url(url)
        found["HOST"] = unquote(found["HOST"])  # the folder of a socket
    return found | {
        "ENGINE": "django.db.backends.postgresql",
        "OPTIONS": options,
        "CONN_MAX_AGE": 0,
        "CONN_HEALTH_CHECKS": True,
        "TEST": {"MIGRATE": False},
    }


DATABASES = {"default": _database("app", "DATABASE_URL")}
if EMBEDDED or env.str("DATABASE_ADMIN_URL", ""):
    DATABASES["owner"] = _database("owner", "DATABASE_ADMIN_URL")
for _role in ("sweep", "erase"):
    if EMBEDDED or env.str(f"DATABASE_{_role.upper()}_URL", ""):
        DATABASES[_role] = _database(_role, f"DATABASE_{_role.upper()}_URL")
DATABASE_ROLES = {
    "app": DATABASES["default"]["USER"],
    "sweep": "kith_sweep" if EMBEDDED else urlsplit(env.str("DATABASE_SWEEP_URL", "")).username,
    "erase": "kith_erase" if EMBEDDED else urlsplit(env.str("DATABASE_ERASE_URL", "")).username,
}
DATABASE_ROUTERS = ["assistant.routing.OwnerMigrates"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = env.str("REDIS_URL", f"unix://{PLACE.valkey_socket}")
QUEUE_PREFIX = "kith:queue:"
CACHES = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL,
                      "KEY_PREFIX": "kith", "OPTIONS": {"socket_timeout": 3}}}  # fmt: skip
CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.core.RedisChannelLayer",
        # without socket_timeout=None redis-py 8 kills idle sockets after 5 seconds
        "CONFIG": {"hosts": [{"address": REDIS_URL, "socket_timeout": None}], "prefix": "kith:layer",
                   "capacity": 1000},
    }
}  # fmt: skip

INSTALLED_APPS = [
    "daphne",
    "assistant.desk_app.DeskConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "allauth",
    "allauth.account",
    "django_htmx",
    "ninja",
    "csp",
    "assistant",
    "profiles",
    "memory",
    "assistant.conversation",
]
MIDDLEWARE = [
    "assistant.logs.Numbered",
    "assistant.metrics.Counting",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "profiles.access.ReaderMiddleware",
]
ROOT_URLCONF = "assistant.urls"
ASGI_APPLICATION = "assistant.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF], "img-src": [SELF, "data:"], "object-src": [NONE], "base-uri": [NONE],
        "frame-ancestors": [NONE], "form-action": [SELF],
    }
}  # fmt: skip

AUTH_USER_MODEL = "profiles.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "/accounts/login/"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_LOGOUT_REDIRECT_URL = "/accounts/login/"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_FORMS = {"login": "assistant.entrance.SignInForm"}
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_RATE_LIMITS = {"erasure": "10/m/key"} | ({"login": "300/m/ip"} if DEMO else {})
"""Beside allauth's own: passwords tried to confirm an erasure; sign-ins in demo mode, where all have one address."""


def _archive() -> str:
    url: str = env.str("ARCHIVE_URL", "")
    scheme, _, path = url.partition("://") if "://" in url else ("file", "", url)
    if scheme == "s3" and path.partition("/")[0]:
        if find_spec("boto3") is None:
            raise ImproperlyConfigured("ARCHIVE_URL names a bucket; for that boto3 is needed: the extra `s3`.")
        return url
    if scheme != "file":
        raise ImproperlyConfigured("ARCHIVE_URL names a folder, as a path or file:///…, or s3://bucket/prefix.")
    return f"file://{(BASE_DIR / path).resolve() if path else VAR_DIR / 'archive'}"


ARCHIVE_URL = _archive()
"""What is archived for long lies here, in one encrypted file for each member."""
ARCHIVE_DIR = Path(ARCHIVE_URL.removeprefix("file://")) if ARCHIVE_URL.startswith("file://") else None
ARCHIVE_ENDPOINT_URL: str = env.str("ARCHIVE_ENDPOINT_URL", "")
"""Of a bucket that is not Amazon's; credentials and region are given as boto3 takes them."""

ERASURE_COOLING_DAYS = env.float("ERASURE_COOLING_DAYS", 0 if DEMO else 7)
"""Days between the confirmation of an erasure and its beginning, in which it can be cancelled."""
ERASURE_DUE_DAYS = env.int("ERASURE_DUE_DAYS", 30)
"""Days within which an erasure must be done."""
BACKUP_DAYS = env.int("BACKUP_DAYS", 30)
"""Days after which no backup holds what was erased."""
EXPORT_DIR = VAR_DIR / "exports"
EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
EMAIL_FILE_PATH = VAR_DIR / "mail"

ORIGINS = env.list("ALLOWED_ORIGINS", default=[f"http://127.0.0.1:{PORT}", f"http://localhost:{PORT}"])
ALLOWED_HOSTS = sorted({"127.0.0.1", *(urlsplit(origin).hostname or "" for origin in ORIGINS)})
"""Beside those of the origins the one by which this machine asks whether it is well."""
CSRF_TRUSTED_ORIGINS = ORIGINS
SECURE = bool(ORIGINS) and all(origin.startswith("https://") for origin in ORIGINS)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = SECURE
SECURE_SSL_REDIRECT = SECURE
SECURE_REDIRECT_EXEMPT = [r"^livez$", r"^readyz$", r"^metrics$"]
SECURE_HSTS_SECONDS = 31_536_000 if SECURE else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = SECURE
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if SECURE else None

LANGUAGE_CODE = env.str("LANGUAGE_CODE", "en")
LANGUAGES = [("en", _("English")), ("zh-hans", _("Simplified Chinese"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_SAMESITE = "Lax"
TIME_ZONE = env.str("TIME_ZONE", "Asia/Shanghai")
USE_TZ = True
STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = VAR_DIR / "static"
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEMO

EMBEDDER_SOCKET = env.str("EMBEDDER_SOCKET", "")
"""Of a bundled embedder that somebody else runs."""
EMBEDDING_BASE_URL = env.str("EMBEDDING_BASE_URL", "")
EMBEDDING_API_KEY = env.str("EMBEDDING_API_KEY", "")
EMBEDDING_MODEL = env.str("EMBEDDING_MODEL", "")
EMBEDDING_DIMENSIONS = env.int("EMBEDDING_DIMENSIONS", 0)
EMBEDDING_PRICE = env.float("EMBEDDING_PRICE", 0.0)
RERANK_URL = env.str("RERANK_URL", "")
RERANK_API_KEY = env.str("RERANK_API_KEY", "")
RERANK_MODEL = env.str("RERANK_MODEL", "")
LLM_BASE_URL = env.str("LLM_BASE_URL", "")
LLM_API_KEY = env.str("LLM_API_KEY", "")
LLM_MODEL = env.str("LLM_MODEL", "")
LLM_SMALL_MODEL = env.str("LLM_SMALL_MODEL", "") or LLM_MODEL
LLM_JSON = env.str("LLM_JSON", "auto")
LLM_REWRITES = env.bool("LLM_REWRITES", False)
"""Whether the small model rewords each question before it is looked up; an answer waits for that."""
LLM_TIMEOUT = env.float("LLM_TIMEOUT", 25.0)
"""Seconds of silence after which a call is given up; three tries fit into one turn."""
LLM_TOOLS = env.str("LLM_TOOLS", "auto")
if LLM_TOOLS not in ("auto", "on", "off"):
    raise ImproperlyConfigured("LLM_TOOLS is auto, on or off")
if LLM_JSON not in ("json_schema", "json_object", "prompt", "auto"):
    raise ImproperlyConfigured("LLM_JSON is json_schema, json_object, prompt or auto")
METRICS_TOKEN = env.str("METRICS_TOKEN", "")
"""Whoever sends it as a bearer sees /metrics; without one, this machine alone."""
LLM_TOKENS_A_DAY = env.int("LLM_TOKENS_A_DAY", 1_000_000)
"""Tokens, in and out, that the model may take for one member in 24 hours; 0: as many as they ask for."""
LLM_PRICE_IN = env.float("LLM_PRICE_IN", 0.0)
LLM_PRICE_OUT = env.float("LLM_PRICE_OUT", 0.0)

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": "assistant.logs.Line"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    # below WARNING they print what was said to the model
    "loggers": {name: {"level": "WARNING"} for name in ("openai", "httpx", "httpx2", "httpcore", "httpcore2")}
    | {"assistant": {"level": "INFO"}},
}

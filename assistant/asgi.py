"""HTTP and websockets, one process; only our own origins may open a socket."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "assistant.settings")

from django.core.asgi import get_asgi_application

http = get_asgi_application()

from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import OriginValidator
from channels.sessions import SessionMiddlewareStack
from django.conf import settings
from django.urls import path

from assistant.conversation import parting
from assistant.conversation.consumer import ConversationConsumer

parting.arrange()

sockets = URLRouter([path("ws/conversations/<uuid:conversation>/", ConversationConsumer.as_asgi())])
application = ProtocolTypeRouter(
    {"http": http, "websocket": OriginValidator(SessionMiddlewareStack(sockets), settings.ORIGINS)}
)

"""Every route of the product."""

from django.contrib import admin
from django.urls import include, path

from assistant import health, metrics
from assistant.api import api
from assistant.conversation import assistants, figures, handoff
from assistant.conversation import views as talk
from assistant.conversation import views_staff as asked
from assistant.entrance import SignIn
from assistant.erasing import views as erasing
from assistant.erasing import views_staff as erasing_staff
from assistant.exporting import views as exporting
from memory import views as memory
from memory import views_audit as trail
from memory import views_change as change
from memory import views_imports as imports
from memory import views_knowledge as knowledge
from memory import views_recurring as recurring
from memory import views_review as review
from memory import views_staff as staff
from memory.views_forget import many as forget_many
from memory.views_insights import insights
from profiles import views as people

handler500 = "assistant.outage.failed"
urlpatterns = [
    path("", talk.new, name="home"),
    path("c/<uuid:conversation>/", talk.one, name="conversation"),
    path("c/<uuid:conversation>/remove/", talk.remove, name="remove"),
    path("c/<uuid:conversation>/conversation.md", talk.take, {"shape": "md"}, name="take"),
    path("c/<uuid:conversation>/conversation.json", talk.take, {"shape": "json"}, name="take-json"),
    path("c/<uuid:conversation>/branches/<uuid:turn>/", talk.branch, name="branch"),
    path("c/<uuid:conversation>/turns/<uuid:turn>/", talk.turn_fragment, name="turn"),
    path("c/<uuid:conversation>/turns/<uuid:turn>/why/", talk.why, name="why"),
    path("c/<uuid:conversation>/turns/<uuid:turn>/sources/<uuid:source>/", talk.source, name="source"),
    path("turns/<uuid:turn>/", talk.find, name="find-turn"),
    path("me/memory/", memory.mine, name="mine"),
    path("me/memory/choice/", people.choose, name="choice"),
    path("me/memory/notes/", memory.notes, name="notes"),
    path("me/memory/undo/", change.undo, name="undo"),
    path("me/memory/merge/", change.merge, name="merge"),
    path("me/memory/forget/", forget_many, name="forget-many"),
    path("me/memory/<uuid:memory>/", memory.one, name="memory"),
    path("me/memory/<uuid:memory>/card/", change.card, name="card"),
    path("me/memory/<uuid:memory>/edit/", change.edit, name="edit"),
    path("me/memory/<uuid:memory>/pin/", change.pin, name="pin"),
    path("me/memory/<uuid:memory>/forget/", change.forget, name="forget"),
    path("me/memory/<uuid:memory>/wrong/", change.wrong, name="wrong"),
    path("me/memory/<uuid:memory>/settle/", change.settle, name="settle"),
    path("me/memory/<uuid:memory>/restore/", change.restore, name="restore"),
    path("me/privacy/", erasing.privacy, name="privacy"),
    path("me/privacy/deletion/", erasing.ask, name="deletion"),
    path("me/privacy/deletion/<uuid:wanted>/confirm/", erasing.confirm, name="deletion-confirm"),
    path("me/privacy/deletion/<uuid:wanted>/cancel/", erasing.cancel, name="deletion-cancel"),
    path("me/privacy/export/", exporting.export, name="export"),
    path("me/privacy/zone/", people.zone, name="zone"),
    path("knowledge/<uuid:passage>/", memory.passage, name="passage"),
    path("welcome/", people.welcome, name="welcome"),
    path("join/", people.join, name="join"),
    path("leave/", people.leave, name="leave"),
    path("staff/", staff.index, {"assistants": assistants.named, "handed": handoff.waiting}, name="staff"),
    path("staff/searches/", staff.save, name="searches"),
    path("staff/searches/<uuid:search>/remove/", staff.remove, name="search-remove"),
    path("staff/members/<uuid:member>/", staff.member, name="member"),
    path("staff/members/<uuid:member>/undo/", change.undo, name="member-undo"),
    path("staff/members/<uuid:member>/merge/", change.merge, name="member-merge"),
    path("staff/members/<uuid:member>/forget/", forget_many, name="member-forget-many"),
    path("staff/members/<uuid:member>/memories/<uuid:memory>/card/", change.card, name="member-card"),
    path("staff/members/<uuid:member>/memories/<uuid:memory>/edit/", change.edit, name="member-edit"),
    path("staff/members/<uuid:member>/memories/<uuid:memory>/pin/", change.pin, name="member-pin"),
    path("staff/members/<uuid:member>/memories/<uuid:memory>/forget/", change.forget, name="member-forget"),
    path("staff/members/<uuid:member>/memories/<uuid:memory>/wrong/", change.wrong, name="member-wrong"),
    path("staff/members/<uuid:member>/memories/<uuid:memory>/settle/", change.settle, name="member-settle"),
    path("staff/members/<uuid:member>/memories/<uuid:memory>/restore/", change.restore, name="member-restore"),
    path("staff/review/", review.review, {"handed": handoff.waiting}, name="review"),
    path("staff/review/decide/", review.decide, name="review-decide"),
    path("staff/review/undo/", review.undo, name="review-undo"),
    path("staff/review/<uuid:memory>/", review.thing, name="review-thing"),
    path("staff/review/<uuid:memory>/edit/", review.edit, name="review-edit"),
    path("staff/review/<uuid:memory>/merge/", review.merge, name="review-merge"),
    path("staff/questions/", asked.questions, name="questions"),
    path("staff/questions/<uuid:conversation>/", asked.answer, name="question-answer"),
    path("staff/questions/<uuid:conversation>/close/", asked.close, name="question-close"),
    path("staff/recurring/", recurring.proposals, name="recurring"),
    path("staff/recurring/<uuid:proposal>/", recurring.answer, name="recurring-answer"),
    path("staff/recurring/<uuid:proposal>/dismiss/", recurring.dismiss, name="recurring-dismiss"),
    path("staff/knowledge/", knowledge.room, name="knowledge"),
    path("staff/knowledge/import/", imports.bring, name="knowledge-import"),
    path("staff/knowledge/imports/<uuid:brought>/", imports.one, name="import"),
    path("staff/knowledge/imports/<uuid:brought>/sheets/<uuid:sheet>/", imports.sheet, name="import-sheet"),
    path("staff/knowledge/imports/<uuid:brought>/agree/", imports.agree, name="import-agree"),
    path("staff/knowledge/imports/<uuid:brought>/cancel/", imports.cancel, name="import-cancel"),
    path("staff/knowledge/imports/<uuid:brought>/undo/", imports.undo, name="import-undo"),
    path("staff/knowledge/passages/", knowledge.write, name="knowledge-write"),
    path("staff/knowledge/passages/<uuid:passage>/", knowledge.one, name="knowledge-passage"),
    path("staff/knowledge/passages/<uuid:passage>/verify/", knowledge.verify, name="knowledge-verify"),
    path("staff/knowledge/passages/<uuid:passage>/remove/", knowledge.remove, name="knowledge-remove"),
    path("staff/knowledge/passages/<uuid:passage>/restore/", knowledge.restore, name="knowledge-restore"),
    path("staff/audit/", trail.audit, name="audit"),
    path("staff/audit/export/", trail.export, name="audit-export"),
    path("staff/requests/", erasing_staff.requested, name="staff-requests"),
    path("staff/requests/<uuid:wanted>/<slug:verb>/", erasing_staff.decide, name="staff-request"),
    path("receipts/<uuid:wanted>/<str:secret>/", erasing.the_receipt, name="receipt"),
    path("privacy/key", erasing.key, name="receipt-key"),
    path("staff/insights/", insights, {"measured": figures.measured}, name="insights"),
    path("accounts/login/", SignIn.as_view(), name="account_login"),
    path("accounts/", include("allauth.urls")),
    path("i18n/", include("django.conf.urls.i18n")),
    path("admin/", admin.site.urls),
    path("api/", api.urls),
    path("livez", health.live),
    path("readyz", health.ready),
    path("metrics", metrics.shown),
]

"""What goes through the broker holds nothing of anybody's."""

from assistant import tasks
from assistant.celery import app


def test_no_task_takes_a_text() -> None:
    ours = [task for name, task in app.tasks.items() if name.startswith("assistant.")]
    assert {task.name for task in ours} >= {tasks.remember.name, tasks.recover.name}
    for task in ours:
        assert task.run.__code__.co_argcount == 0, "rows are the queue: nothing of anybody's is in a message"

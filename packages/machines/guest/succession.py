"""Which of the connections of an opener counts: the one that it began last.

An opener has one session at a time, and begins another only when it has given up the one before. Whoever carries the bytes of that one
may deliver them much later, when a network is back, and then they would undo what was done since. Openers do not know of each other,
so each is left alone by the others. An opener tells who it is by the name of its socket: `OPENER.NUMBER`, where the number grows."""
import re

named = re.compile(rb'\0([a-z0-9]{1,64})\.([0-9]{1,18})').fullmatch


class Succession:
    def __init__(self):
        # The number of the last session of each opener, and what ends that session while it is open.
        self._last = {}

    def begin(self, name, connection, start):
        """Calls `start(connection, on_end)`, which returns the session, unless the opener has begun a later one."""
        found = named(name) if isinstance(name, bytes) else None
        if not found:
            start(connection, lambda reason: None)
            return
        opener, number = found[1], int(found[2])
        last, earlier = self._last.get(opener, (-1, None))
        if number <= last:
            connection.close()
            return
        if earlier:
            earlier.end('its opener has begun another')
        self._last[opener] = number, start(connection, lambda reason: self._ended(opener, number))

    def _ended(self, opener, number):
        """The number is kept, because an earlier session may still arrive."""
        if self._last[opener][0] == number:
            self._last[opener] = number, None

"""Finds the descendants of a process through /proc."""
import os


def descendants(ancestor):
    """Returns every running process below this one, in whatever group or session it is."""
    children = {}
    for name in os.listdir('/proc'):
        if not name.isdigit():
            continue
        try:
            with open(f'/proc/{name}/stat', 'rb') as file:
                # The name of the command is in brackets, and may contain anything.
                state, parent = file.read().rpartition(b')')[2].split()[:2]
        except OSError:
            continue  # It has ended in the meantime.
        children.setdefault(int(parent), []).append((int(name), state))
    found, below = [], [ancestor]
    while below:
        for pid, state in children.get(below.pop(), []):
            below.append(pid)
            if state != b'Z':
                found.append(pid)
    return found

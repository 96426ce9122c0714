"""Who descends from whom, as /proc tells it to anybody."""
import os


def descendants(ancestor):
    """Every process below this one that has not ended, whatever group or session it is in."""
    children = {}
    for name in os.listdir('/proc'):
        if not name.isdigit():
            continue
        try:
            with open(f'/proc/{name}/stat', 'rb') as file:
                # The command's name, in brackets, may hold anything.
                state, parent = file.read().rpartition(b')')[2].split()[:2]
        except OSError:
            continue  # It ended meanwhile.
        children.setdefault(int(parent), []).append((int(name), state))
    found, below = [], [ancestor]
    while below:
        for pid, state in children.get(below.pop(), []):
            below.append(pid)
            if state != b'Z':
                found.append(pid)
    return found

"""What the processes of a machine do, by the counters of its own control group, for a host that does not see them."""
import os
import re
import time

GROUPS = '/sys/fs/cgroup/'
# The host accepts no more.
MAX_PROCESSES = 1024


def activity():
    """Raises FileNotFoundError in a machine that does not see its control group."""
    unified = os.path.exists(GROUPS + 'cpu.stat')
    used = counter(GROUPS + 'cpu.stat', 'usage_usec') / 1000 if unified else int(read(GROUPS + 'cpuacct/cpuacct.usage')) / 1e6
    return {
        'ok': True,
        # Without this process, whose work is not that of programs, and grows with every question.
        'cpuMs': max(0, used - time.process_time() * 1000),
        'loads': counter(GROUPS + ('' if unified else 'memory/') + 'memory.stat', 'pgmajfault'),
        'processes': processes(),
        'stolenMs': stolen(),
        'hostLoad': running() / processors(),
    }


def processes():
    return sorted(int(name) for name in os.listdir('/proc') if name.isdecimal())[-MAX_PROCESSES:]


def stolen():
    """In milliseconds per processor. The kernel counts hundredths of seconds of all processors together."""
    return int(read('/proc/stat').split(None, 9)[8]) * 10 / processors()


def running():
    """The number of threads of the host that run or wait for a processor, without the one that asks."""
    return max(0, int(read('/proc/loadavg').split()[3].split('/')[0]) - 1)


def processors():
    return len(os.sched_getaffinity(0))


def counter(path, name):
    return int(re.search(r'^%s (\d+)$' % name, read(path), re.M)[1])


def read(path):
    with open(path) as file:
        return file.read()

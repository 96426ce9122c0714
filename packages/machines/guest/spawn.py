"""Starts a program as a user of the machine, on pipes or on its own terminal."""
import fcntl
import os
import termios


def pipes_of(account):
    """Creates three pipes that belong to the user, so that /dev/stdout and /dev/stderr can be opened by name. They
    are created by that user, because gVisor does not change the owner of a pipe."""
    os.setegid(account.gid)
    os.seteuid(account.uid)
    try:
        return [os.pipe() for _ in range(3)]
    finally:
        os.seteuid(0)
        os.setegid(0)


class Ends:
    """Both sides of the streams of a program: ours by number, and those that become its stdin, stdout and
    stderr."""

    def __init__(self, account, terminal):
        self.master = None
        if terminal:
            self.master, slave = os.openpty()
            os.fchown(slave, account.uid, account.gid)
            self.ours, self._theirs = {0: os.dup(self.master), 1: os.dup(self.master)}, [slave] * 3
            return
        (stdin, ours_in), (ours_out, stdout), (ours_err, stderr) = pipes_of(account)
        self.ours, self._theirs = {0: ours_in, 1: ours_out, 2: ours_err}, [stdin, stdout, stderr]

    def spawn(self, request, account):
        """Returns the process id of the program; the caller has to reap it."""
        # Slow to load, so watching the machine imports it after the desktop is ready.
        import subprocess

        folder = os.path.join(account.home, request.get('cwd') or '')
        stdin, stdout, stderr = self._theirs
        try:
            child = subprocess.Popen(
                [request['executable'], *request.get('args', [])], stdin=stdin, stdout=stdout, stderr=stderr,
                cwd=folder, env=account.environment(request.get('env', {})), start_new_session=True,
                user=account.uid, group=account.gid, extra_groups=account.groups, umask=0o022,
                preexec_fn=None if self.master is None else lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        except OSError as error:
            what = 'the working directory' if error.filename == folder else 'the program'
            raise OSError(error.errno, f'{what} cannot be used: {error.strerror}', error.filename)
        # Prevents the object from reaping the child when it is garbage collected.
        child.returncode = 0
        return child.pid

    def close_theirs(self):
        for end in set(self._theirs):
            os.close(end)

    def close_ours(self):
        for end in self.ours.values():
            os.close(end)
        self.ours = {}
        if self.master is not None:
            os.close(self.master)
            self.master = None

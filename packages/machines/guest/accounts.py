"""Looks up the users of this machine. Nothing is cached, because the guest may change them."""
import os
import pwd


class Account:
    def __init__(self, name):
        entry = pwd.getpwnam(name)
        self.name, self.uid, self.gid, self.home = name, entry.pw_uid, entry.pw_gid, entry.pw_dir
        self.shell = entry.pw_shell or '/bin/sh'
        self.groups = os.getgrouplist(name, entry.pw_gid)

    def environment(self, added):
        environment = dict(os.environ)
        environment.update(HOME=self.home, USER=self.name, LOGNAME=self.name, SHELL=self.shell)
        if self.uid == 1000:
            # Where pip and npm put commands. Root does not look there, because only the user decides what is in it.
            environment['PATH'] = f'{self.home}/.local/bin:' + environment.get('PATH', '/usr/bin:/bin')
            environment.update(XDG_RUNTIME_DIR='/run/user/1000', DBUS_SESSION_BUS_ADDRESS='unix:path=/run/user/1000/bus')
        environment.update(added)
        return environment

    def become(self):
        os.setgroups(self.groups)
        os.setgid(self.gid)
        os.setuid(self.uid)
        os.umask(0o022)
        os.chdir(self.home)

#!/bin/sh
# The floor: one desktop with the same runtime, X server and window manager, and nothing else. No user namespace,
# seccomp filter, limits, network, disk or agent; the image is used read-only. Its keymap is compiled as on any Debian desktop;
# our images contain it.
# Usage: machines-floor.sh IMAGE FOLDER NAME. The socket of the display appears in FOLDER/x11.
set -e
image=$1 folder=$2 name=$3
mkdir -p "$folder/x11"
chmod 1777 "$folder/x11"
cat > "$folder/config.json" <<CONFIG
{
  "ociVersion": "1.0.2",
  "root": { "path": "$image", "readonly": true },
  "process": {
    "terminal": false, "user": { "uid": 1000, "gid": 1000 }, "cwd": "/",
    "env": ["PATH=/usr/bin:/bin", "HOME=/tmp", "DISPLAY=:0"],
    "args": ["sh", "-c", "Xtigervnc :0 -geometry 1280x720 -depth 24 -ac -nolisten tcp -SecurityTypes None -rfbport -1 -rfbunixpath /tmp/.X11-unix/rfb -extension GLX -displayfd 3 3>&1 >/dev/null 2>&1 | { read display; : > /tmp/.X11-unix/ready; exec openbox; }"]
  },
  "mounts": [
    { "destination": "/proc", "type": "proc", "source": "proc" },
    { "destination": "/dev", "type": "tmpfs", "source": "tmpfs" },
    { "destination": "/tmp", "type": "tmpfs", "source": "tmpfs" },
    { "destination": "/tmp/.X11-unix", "type": "bind", "source": "$folder/x11", "options": ["bind"] },
    { "destination": "/usr/bin/xkbcomp", "type": "bind", "source": "$image/usr/lib/sandglass/xkbcomp", "options": ["bind"] }
  ],
  "linux": { "namespaces": [{ "type": "pid" }, { "type": "network" }, { "type": "ipc" }, { "type": "uts" }, { "type": "mount" }] }
}
CONFIG
exec runc --root "$folder/runtime" run --detach --bundle "$folder" "$name" >/dev/null 2>&1 </dev/null

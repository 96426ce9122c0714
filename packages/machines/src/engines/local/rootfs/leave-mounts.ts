/**
 * Precedes a command that has a mount namespace of its own, and with it copies of all mounts. Without the mounts of
 * machines, it does not keep the disks of those in use that are destroyed while it runs.
 */
export const leaveMounts: readonly string[] = [
  'sh',
  '-c',
  `sed -n 's,^\\([^ ]* \\)\\{4\\}\\(/run/sandglass/[^ ]*\\) .*,\\2,p' /proc/self/mountinfo | tac |
    xargs -r -n 1 umount -l -- 2>/dev/null; exec "$@"`,
  'leave',
]

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export const unitName = 'sandglass.service'
export const unitFile = join('/etc/systemd/system', unitName)
export const configurationFile = '/etc/sandglass/sandglass.env'

export interface ServiceUnit {
  /** The folder of the checkout. */
  readonly checkout: string
  /** The Node that runs the service. */
  readonly node: string
}

/** The systemd unit that runs the service of a checkout. docs/deployment.md gives the reasons that it only names. */
export function serviceUnit({ checkout, node }: ServiceUnit): string {
  for (const path of [checkout, node]) requireUsable(path)
  return `# Written by \`sandglass install-service\`, which overwrites changes. Put yours into a drop-in: systemctl edit ${unitName}

[Unit]
Description=Sandglass, a sandbox cloud for computer-use agents
Documentation=file:${escapeSpecifiers(pathToFileURL(join(checkout, 'docs/deployment.md')).pathname)}
Wants=network-online.target
After=network-online.target postgresql.service incus.service
# A database or a network that comes back late must not leave the service stopped.
StartLimitIntervalSec=0

[Service]
Type=exec
WorkingDirectory=${escapeSpecifiers(checkout)}
# The settings. A file that does not exist is not an error.
EnvironmentFile=-${configurationFile}
Environment=${word(`NODE_COMPILE_CACHE=${join(checkout, 'node_modules/.cache/compiled')}`)}
ExecStart=${word(node)} ${word(join(checkout, 'packages/server/src/main.ts'))}
Restart=on-failure
RestartSec=5

# SIGTERM goes to the host process only, which stops the others in order. Machines are in cgroups of their own, outside of
# that of the service, so that they go on while the service stops, restarts or crashes.
KillMode=mixed
# Calls in progress have 15 s, and what the host process does for them another 15 s.
TimeoutStopSec=45
# A worker that takes too much memory is ended by the kernel and replaced by the service. The others go on.
OOMPolicy=continue
# Workers and encoders grow with the number of sandboxes; each machine has a limit of its own.
TasksMax=infinity

# Root stays root: it mounts disks, makes namespaces and cgroups, and changes the firewall. It gives up what none of this
# needs.
CapabilityBoundingSet=~CAP_SYS_BOOT CAP_SYS_TIME CAP_SYSLOG CAP_WAKE_ALARM CAP_BLOCK_SUSPEND CAP_SYS_PACCT
CapabilityBoundingSet=~CAP_AUDIT_CONTROL CAP_AUDIT_READ CAP_MAC_ADMIN CAP_SYS_RAWIO CAP_LINUX_IMMUTABLE
# Left out on purpose, because each would end or break machines:
# - ProtectSystem, ProtectHome, PrivateTmp, PrivateDevices, ProtectKernelTunables and others that give the service mounts of
#   its own: the disks of machines would be mounted where the next start does not find them.
# - NoNewPrivileges, RestrictSUIDSGID, SystemCallFilter, RestrictAddressFamilies, LockPersonality and others that children
#   inherit: sudo, package managers and 32-bit programs in machines would fail. Machines have their own seccomp filter.
# - MemoryDenyWriteExecute: Node compiles code while it runs.
# - RestrictNamespaces, ProtectControlGroups: machines are made of namespaces and cgroups.

[Install]
WantedBy=multi-user.target
`
}

/** In every value, % is the beginning of a specifier such as %h. */
const escapeSpecifiers = (text: string) => text.replaceAll('%', '%%')

/** One word, in values that are split into words. */
const word = (text: string) => (/^[\w./@:+=-]+$/.test(text) ? text : `"${escapeSpecifiers(text)}"`)

/** systemd starts no program whose path has one of these characters, not even in quotes. */
function requireUsable(path: string): void {
  if (/["'\\$\n]/.test(path))
    throw new Error(
      `systemd cannot start a program in ${path}, because of a quote, a backslash or a $ in it. Move the checkout to another folder.`,
    )
}

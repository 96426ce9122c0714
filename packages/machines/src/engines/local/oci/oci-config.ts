import { join } from 'node:path'
import { defaultScreen, type MachineSpec } from '../../../contract/spec.ts'
import type { MachinePaths } from '../machine-paths.ts'
import type { Settings } from '../options.ts'
import { type CgroupLayout, groupOf, resourcesOf } from './cgroups.ts'
import { maxTerminals } from './kernel-limits.ts'
import type { OciConfig, OciMount } from './oci-types.ts'
import { seccompProfile } from './seccomp.ts'
import { shownFiles } from './shown-limits.ts'
import type { UidRange } from './uid-ranges.ts'

/**
 * Enough for sudo, apt and servers on low ports, but no power over the kernel, the network or processes of other
 * users.
 */
const capabilities = [
  'CAP_CHOWN',
  'CAP_DAC_OVERRIDE',
  'CAP_FOWNER',
  'CAP_FSETID',
  'CAP_KILL',
  'CAP_SETGID',
  'CAP_SETUID',
  'CAP_SETPCAP',
  'CAP_SETFCAP',
  'CAP_NET_BIND_SERVICE',
  'CAP_SYS_CHROOT',
  'CAP_AUDIT_WRITE',
]

const maskedPaths = [
  '/proc/acpi',
  '/proc/asound',
  '/proc/config.gz',
  '/proc/kallsyms',
  '/proc/kcore',
  '/proc/keys',
  '/proc/kmsg',
  '/proc/latency_stats',
  '/proc/sched_debug',
  '/proc/scsi',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/proc/vmallocinfo',
  '/proc/interrupts',
  '/proc/iomem',
  '/proc/ioports',
  '/sys/firmware',
  '/sys/kernel',
  '/sys/fs',
  '/sys/block',
  '/sys/dev/block',
  '/sys/class/block',
  '/sys/devices/virtual/powercap',
  '/sys/devices/virtual/block',
  '/sys/module',
]
const readonlyPaths = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger']

const tmpfs = (destination: string, options: readonly string[]): OciMount => ({
  destination,
  type: 'tmpfs',
  source: 'tmpfs',
  options: ['nosuid', 'nodev', ...options],
})
const bind = (source: string, destination: string, options: readonly string[]): OciMount => ({
  destination,
  type: 'bind',
  source,
  options: ['bind', 'nosuid', 'nodev', ...options],
})

function mountsOf(spec: MachineSpec, paths: MachinePaths, guestDir: string, isGvisor: boolean): OciMount[] {
  const sharedMiB = Math.max(64, Math.floor(spec.memoryMiB / 2))
  return [
    { destination: '/proc', type: 'proc', source: 'proc', options: ['nosuid', 'noexec', 'nodev'] },
    {
      destination: '/dev',
      type: 'tmpfs',
      source: 'tmpfs',
      options: ['nosuid', 'strictatime', 'mode=755', 'size=64k'],
    },
    {
      destination: '/dev/pts',
      type: 'devpts',
      source: 'devpts',
      options: [
        'nosuid',
        'noexec',
        'newinstance',
        'ptmxmode=0666',
        'mode=0620',
        'gid=5',
        `max=${maxTerminals}`,
      ],
    },
    tmpfs('/dev/shm', ['mode=1777', `size=${sharedMiB}m`]),
    { destination: '/dev/mqueue', type: 'mqueue', source: 'mqueue', options: ['nosuid', 'noexec', 'nodev'] },
    { destination: '/sys', type: 'sysfs', source: 'sysfs', options: ['nosuid', 'noexec', 'nodev', 'ro'] },
    tmpfs('/run', ['mode=755', `size=${sharedMiB}m`]),
    tmpfs('/run/user/1000', ['mode=700', 'uid=1000', 'gid=1000', `size=${sharedMiB}m`]),
    // gVisor's own files tell the limits of the machine.
    ...(isGvisor ? [] : shownFiles(paths)).map(([file, seenAt]) => bind(file, seenAt, ['noexec', 'ro'])),
    bind(guestDir, '/run/sandglass/guest', ['ro']),
    bind(paths.sockets, '/run/sandglass/sockets', ['noexec', 'rw']),
    bind(paths.x11, '/tmp/.X11-unix', ['noexec', 'rw']),
    // The runtime resolves their paths inside the root, where links of the guest lead nowhere else.
    ...(spec.volumes ?? []).map(({ id, path, readOnly }) =>
      bind(join(paths.volumes, id), path, [readOnly ? 'ro' : 'rw']),
    ),
  ]
}

/** The size of the screen as process 1 expects it. */
export function screenOf({ screen = defaultScreen }: Pick<MachineSpec, 'screen'>): string {
  return `${screen.width}x${screen.height}`
}

/** The kernel allows no longer one. */
export const hostnameOf = (id: string): string => id.slice(0, 63)

export interface ConfigInput {
  readonly settings: Settings
  readonly spec: MachineSpec
  readonly paths: MachinePaths
  /** The name of the container, and of its cgroup. */
  readonly container: string
  /** Whether it waits for a machine, which is told it later. */
  readonly isWaiting: boolean
  readonly range: UidRange
  readonly layout: CgroupLayout
  /** The folder with the guest agent on the host, which is mounted read-only into the machine. */
  readonly guestDir: string
  readonly isGvisor: boolean
  /** The processors of a gVisor machine, as a list for `cpuset.cpus`. */
  readonly cores?: string
  /** The AppArmor profile of its processes, where the host has AppArmor. */
  readonly apparmor?: string | undefined
  /** The file of the machine's network namespace. */
  readonly networkNamespace: string
}

/** gVisor counts by itself what the kernel would count for a user namespace, so it creates its own. */
const namespacesOf = (userNamespace: string | undefined, networkNamespace: string) => [
  { type: 'user', ...(userNamespace !== undefined && { path: userNamespace }) },
  ...['pid', 'mount', 'uts', 'ipc', 'cgroup'].map(type => ({ type })),
  { type: 'network', path: networkNamespace },
]

export function ociConfig(input: ConfigInput): OciConfig {
  const { settings, spec, paths, range, layout, guestDir, isGvisor, cores, apparmor, networkNamespace } =
    input
  const env = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    LANG: 'C.UTF-8',
    DISPLAY: ':0',
    TERM: 'xterm-256color',
    ...spec.env,
  }
  const ids = [{ containerID: 0, hostID: range.base, size: range.size }]
  return {
    ociVersion: '1.0.2',
    hostname: hostnameOf(spec.id),
    root: { path: paths.rootfs, readonly: false },
    process: {
      terminal: false,
      user: { uid: 0, gid: 0 },
      cwd: '/',
      args: ['/run/sandglass/guest/boot', ...(input.isWaiting ? [] : [screenOf(spec)])],
      env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
      // sudo works inside unless the shape forbids it. Isolation comes from the user namespace, the capabilities and
      // the seccomp filter, not from this flag.
      noNewPrivileges: spec.sudo === false,
      // gVisor does not use profiles.
      ...(apparmor !== undefined && !isGvisor && { apparmorProfile: apparmor }),
      // If the host runs out of memory, machines are killed before the service.
      oomScoreAdj: 500,
      // The cgroup limits processes, and counts those of all users together. Only gVisor's kernel has no such cgroup.
      ...(isGvisor && { rlimits: [{ type: 'RLIMIT_NPROC', soft: spec.pids, hard: spec.pids }] }),
      capabilities: { bounding: capabilities, effective: capabilities, permitted: capabilities },
    },
    mounts: mountsOf(spec, paths, guestDir, isGvisor),
    linux: {
      namespaces: namespacesOf(isGvisor ? undefined : paths.userNamespace, networkNamespace),
      uidMappings: ids,
      gidMappings: ids,
      sysctl: {
        'net.ipv6.conf.all.disable_ipv6': '1',
        'net.ipv6.conf.default.disable_ipv6': '1',
        'net.ipv4.ip_unprivileged_port_start': '0',
        'net.ipv4.ping_group_range': '0 65535',
      },
      cgroupsPath: groupOf(settings.instance, input.container),
      resources: resourcesOf(spec, layout, cores),
      seccomp: seccompProfile(),
      maskedPaths,
      readonlyPaths,
    },
  }
}

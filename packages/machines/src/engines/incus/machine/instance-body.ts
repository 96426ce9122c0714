import type { MachineSpec } from '../../../contract/spec.ts'
import { bootScript } from './boot-script.ts'
import { bootKey, instanceOf, readyKey, specKey, virtualBootKey, writeSpec } from './instance.ts'
import { isVirtualMachine, kindOf } from './kind.ts'

/** Everything but what the local engine allows: enough for sudo, apt and servers, but no power over the kernel or the network. */
const droppedCapabilities =
  'audit_control audit_read block_suspend bpf checkpoint_restore dac_read_search ipc_lock ipc_owner lease linux_immutable mac_admin mac_override mknod net_admin net_broadcast net_raw perfmon sys_admin sys_boot sys_module sys_nice sys_pacct sys_ptrace sys_rawio sys_resource sys_time sys_tty_config syslog wake_alarm'

const allowanceKey = 'limits.cpu.allowance'

/**
 * What shows programs the limits of their machine. The package lxcfs has a hook that mounts the same, which starts twenty processes
 * in every start of a machine, one after the other.
 */
const shownFiles = [
  ...['cpuinfo', 'diskstats', 'loadavg', 'meminfo', 'slabinfo', 'stat', 'swaps', 'uptime'].map(
    name => `proc/${name}`,
  ),
  'sys/devices/system/cpu',
]

/** The link of a machine. One without it reaches nothing. */
export interface InstanceLink {
  readonly network: string
  readonly address: string
  /** The address with the length of its network's prefix. */
  readonly cidr: string
  readonly gateway: string
  readonly resolvers: readonly string[]
}

/**
 * What a new instance is made of, without its source. A container has no limit of its processor yet: a start uses several cores for
 * some 100 ms, and a quota of one core would stop it for half of that time. {@link readyConfig} has the limit.
 */
export function instanceBody(spec: MachineSpec, pool: string, link: InstanceLink | undefined) {
  const config: Record<string, string> = {
    [specKey]: writeSpec(spec),
    'limits.memory': `${spec.memoryMiB}MiB`,
    'boot.autostart': 'false',
    ...(isVirtualMachine(spec) ? virtualConfig(spec, link) : containerConfig(spec, link)),
  }
  return {
    name: instanceOf(spec.id),
    type: kindOf(spec),
    profiles: [],
    start: true,
    config,
    devices: {
      root: { type: 'disk', path: '/', pool, size: `${spec.diskMiB}MiB` },
      ...(link && {
        eth0: {
          type: 'nic',
          network: link.network,
          'ipv4.address': link.address,
          'security.port_isolation': 'true',
          'security.mac_filtering': 'true',
          'security.ipv4_filtering': 'true',
        },
      }),
    },
  }
}

/** What is added to an instance once its desktop is ready. */
export function readyConfig(spec: MachineSpec): Record<string, string> {
  const ready = { [readyKey]: 'true' }
  if (isVirtualMachine(spec)) return ready
  return { ...ready, [allowanceKey]: `${Math.max(1, Math.round(spec.cpus * 100))}ms/100ms` }
}

/**
 * What is different of a container that waits to be told which machine it is: it is none, may set its own name once, and has nothing that
 * could end in an orderly way, so whoever asks it to end ends it.
 */
export function waitingConfig(
  spec: MachineSpec,
  link: InstanceLink | undefined,
): Readonly<Record<string, string>> {
  const lines = lxcLines(spec, link, droppedCapabilities.replace(' sys_admin ', ' '))
  return {
    [specKey]: '',
    [bootKey]: 'prepared',
    'raw.lxc': [...lines, 'lxc.signal.halt = SIGKILL'].join('\n'),
  }
}

function containerConfig(spec: MachineSpec, link: InstanceLink | undefined): Record<string, string> {
  return {
    'raw.lxc': lxcLines(spec, link).join('\n'),
    [bootKey]: bootScript(spec, link?.resolvers ?? []),
    'limits.memory.swap': 'false',
    // The one that is copied may have a limit.
    [allowanceKey]: '',
    'limits.processes': `${spec.pids}`,
    // Each machine has users of its own, so that one that breaks out is nobody in its neighbours.
    'security.idmap.isolated': 'true',
    'security.guestapi': 'false',
    'linux.sysctl.net.ipv6.conf.all.disable_ipv6': '1',
    'linux.sysctl.net.ipv6.conf.default.disable_ipv6': '1',
    'linux.sysctl.net.ipv4.ip_unprivileged_port_start': '0',
    'linux.sysctl.net.ipv4.ping_group_range': '0 65535',
  }
}

/**
 * A virtual machine has whole processors, a kernel of its own instead of limits for processes and users, and reads what else belongs to
 * it over the guest API, which shows nothing but the `user.` keys of the machine itself.
 */
function virtualConfig(spec: MachineSpec, link: InstanceLink | undefined): Record<string, string> {
  return {
    [virtualBootKey]: bootScript(spec, link?.resolvers ?? [], link),
    'limits.cpu': `${Math.max(1, Math.ceil(spec.cpus))}`,
    'security.guestapi': 'true',
    'security.secureboot': 'false',
  }
}

function lxcLines(
  spec: MachineSpec,
  link: InstanceLink | undefined,
  dropped = droppedCapabilities,
): string[] {
  const sharedMiB = Math.max(64, Math.floor(spec.memoryMiB / 2))
  const tmpfs = (path: string, options: string) =>
    `lxc.mount.entry = tmpfs ${path} tmpfs nosuid,nodev,${options},create=dir 0 0`
  return [
    'lxc.init.cmd = /usr/lib/sandglass/guest/cluster-boot',
    `lxc.uts.name = ${spec.id}`,
    `lxc.cap.drop = ${dropped}`,
    tmpfs('run', `mode=755,size=${sharedMiB}m`),
    tmpfs('run/user/1000', `mode=700,uid=1000,gid=1000,size=${sharedMiB}m`),
    tmpfs('run/sandglass/sockets', 'noexec,mode=1777,size=1m'),
    tmpfs('tmp/.X11-unix', 'noexec,mode=1777,size=1m'),
    tmpfs('dev/shm', `mode=1777,size=${sharedMiB}m`),
    // Without a value, it removes the hooks.
    'lxc.hook.mount =',
    ...shownFiles.map(path => `lxc.mount.entry = /var/lib/lxcfs/${path} ${path} none bind,optional 0 0`),
    ...(spec.sudo === false ? ['lxc.no_new_privs = 1'] : []),
    ...(link ? [`lxc.net.0.ipv4.address = ${link.cidr}`, `lxc.net.0.ipv4.gateway = ${link.gateway}`] : []),
  ]
}

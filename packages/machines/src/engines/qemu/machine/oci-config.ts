import type { MachineSpec } from '../../../contract/spec.ts'
import type { MachinePaths } from '../../local/machine-paths.ts'
import { type CgroupLayout, groupOf, resourcesOf } from '../../local/oci/cgroups.ts'
import type { OciConfig, OciMount } from '../../local/oci/oci-types.ts'
import type { UidRange } from '../../local/oci/uid-ranges.ts'
import type { Settings } from '../../local/options.ts'
import { kvmRule } from './kvm-device.ts'
import { vmSeccompProfile } from './vm-seccomp.ts'

/** What QEMU takes beside the memory of its guest: translated code, its devices, and the relay. */
const overheadMiB = 256
/** QEMU starts a thread per processor, and some for its disk. */
const maxTasks = 256

const bind = (source: string, destination: string, ...options: readonly string[]): OciMount => ({
  destination,
  type: 'bind',
  source,
  options: ['bind', 'nosuid', 'nodev', ...options],
})

/** A file of the host that QEMU uses. */
export interface SeenFile {
  readonly source: string
  readonly seenAt: string
  readonly access: 'ro' | 'rw'
}

export interface VmConfigInput {
  readonly settings: Settings
  readonly spec: MachineSpec
  readonly paths: MachinePaths
  readonly range: UidRange
  readonly layout: CgroupLayout
  /** An empty folder tree, in which the host's own programs are mounted. */
  readonly root: string
  /** The folder with the relay, which any user may read. */
  readonly relayFolder: string
  readonly files: readonly SeenFile[]
  readonly args: readonly string[]
  readonly networkNamespace: string
  readonly apparmor?: string | undefined
  /** The node of KVM that it may open, if it uses KVM. */
  readonly kvm?: string | undefined
}

/**
 * The container of a QEMU process. A guest may break into QEMU, so QEMU has no rights at all: no capabilities, no network but the
 * tap that it inherits, no files but those of its machine and the programs of the host, which it cannot change.
 */
export function vmConfig(input: VmConfigInput): OciConfig {
  const { settings, spec, paths, range, layout, root, relayFolder, files, args, networkNamespace } = input
  const resources = resourcesOf({ ...spec, memoryMiB: spec.memoryMiB + overheadMiB, pids: maxTasks }, layout)
  const ids = [{ containerID: 0, hostID: range.base, size: range.size }]
  const none: readonly string[] = []
  return {
    ociVersion: '1.0.2',
    hostname: 'qemu',
    root: { path: root, readonly: true },
    process: {
      terminal: false,
      user: { uid: 0, gid: 0 },
      cwd: '/',
      args,
      // One arena for all threads of QEMU, since each has memory that the others do not use.
      env: ['PATH=/usr/bin:/usr/sbin', 'LANG=C.UTF-8', 'HOME=/tmp', 'MALLOC_ARENA_MAX=1'],
      noNewPrivileges: true,
      ...(input.apparmor !== undefined && { apparmorProfile: input.apparmor }),
      oomScoreAdj: 500,
      capabilities: { bounding: none, effective: none, permitted: none },
    },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc', options: ['nosuid', 'noexec', 'nodev'] },
      {
        destination: '/dev',
        type: 'tmpfs',
        source: 'tmpfs',
        options: ['nosuid', 'strictatime', 'mode=755', 'size=64k'],
      },
      {
        destination: '/tmp',
        type: 'tmpfs',
        source: 'tmpfs',
        options: ['nosuid', 'nodev', 'noexec', 'mode=1777', 'size=16m'],
      },
      bind('/usr', '/usr', 'ro'),
      bind(relayFolder, '/run/sandglass/relay', 'ro', 'noexec'),
      bind(paths.sockets, '/run/sandglass/sockets', 'rw', 'noexec'),
      bind(paths.x11, '/run/sandglass/x11', 'rw', 'noexec'),
      ...files.map(({ source, seenAt, access }) => bind(source, seenAt, access, 'noexec')),
      ...(input.kvm === undefined
        ? []
        : [{ ...bind(input.kvm, '/dev/kvm'), options: ['bind', 'nosuid', 'noexec', 'rw'] }]),
    ],
    linux: {
      namespaces: [
        ...['user', 'pid', 'mount', 'uts', 'ipc', 'cgroup'].map(type => ({ type })),
        { type: 'network', path: networkNamespace },
      ],
      uidMappings: ids,
      gidMappings: ids,
      sysctl: {},
      cgroupsPath: groupOf(settings.instance, spec.id),
      resources: {
        ...resources,
        devices: [...resources.devices, ...(input.kvm === undefined ? [] : [kvmRule])],
      },
      seccomp: vmSeccompProfile(),
      maskedPaths: [
        '/proc/kcore',
        '/proc/keys',
        '/proc/kmsg',
        '/proc/timer_list',
        '/proc/sched_debug',
        '/proc/acpi',
      ],
      readonlyPaths: ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'],
    },
  }
}

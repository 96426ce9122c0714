import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { release } from 'node:os'
import { join } from 'node:path'
import type { Check } from '../../../contract/check.ts'
import { imageFolder } from '../../../images/build-image.ts'
import { resolversOf } from '../network/resolvers.ts'
import { apparmorSupport } from '../oci/apparmor.ts'
import { cgroupLayout } from '../oci/cgroups.ts'
import { gvisorRelease, isGvisor, oldestGvisor } from '../oci/gvisor.ts'
import { type KnownEscape, parseRuntimeVersion } from '../oci/runtime-version.ts'
import { runtimeOf } from '../oci/runtimes.ts'
import { type LocalEngineOptions, type Settings, settle } from '../options.ts'
import { mapsOwners } from '../rootfs/lower.ts'
import { kindOfDisks } from '../storage/disk-volume.ts'
import { installCommand, missingPackages } from './debian-packages.ts'
import { hostRoom, roomFor, unavailableDiskMiB } from './host-room.ts'
import { runCommand } from './run-command.ts'

/** The disk of a desktop, if no shape specifies one. */
const defaultDiskMiB = 8192

type Finding = Omit<Check, 'name'>
const ok = (what: string): Finding => ({ result: 'ok', what })
const warn = (what: string, fix: string): Finding => ({ result: 'warn', what, fix })
const fail = (what: string, fix: string): Finding => ({ result: 'fail', what, fix })

const readNumber = async (path: string) => {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  return text === undefined ? undefined : Number(text)
}

async function kernel(): Promise<Finding> {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  if (major < 5 || (major === 5 && minor < 19)) {
    return fail(
      `Linux ${release()} is too old; at least 5.19 is needed`,
      'apt-get install linux-image-amd64 && reboot',
    )
  }
  const filesystems = await readFile('/proc/filesystems', 'utf8')
  for (const name of ['overlay', 'ext4']) {
    if (!new RegExp(`\\t${name}$`, 'm').test(filesystems))
      return fail(`the kernel does not support the ${name} filesystem`, `modprobe ${name}`)
  }
  if (!existsSync('/dev/loop-control')) return fail('the kernel has no loop devices', 'modprobe loop')
  if ((await readNumber('/proc/sys/user/max_user_namespaces')) === 0) {
    return fail('user namespaces are disabled', 'sysctl -w user.max_user_namespaces=100000')
  }
  return ok(`Linux ${release()} with overlay, ext4, loop and user namespaces`)
}

async function privileges(): Promise<Finding> {
  if (process.getuid?.() !== 0) return fail('not running as root', 'start the service as root')
  return ok('running as root')
}

async function browserSandbox(): Promise<Finding> {
  if ((await readNumber('/proc/sys/kernel/unprivileged_userns_clone')) === 0) {
    return warn('browsers cannot create their own sandbox', 'sysctl -w kernel.unprivileged_userns_clone=1')
  }
  if ((await readNumber('/proc/sys/kernel/apparmor_restrict_unprivileged_userns')) === 1) {
    const fix = 'sysctl -w kernel.apparmor_restrict_unprivileged_userns=0'
    return warn('AppArmor prevents browsers from creating their own sandbox', fix)
  }
  return ok('browsers in machines can create their own sandbox')
}

async function cgroups(): Promise<Finding> {
  const { kind, roots } = cgroupLayout()
  const missing = (['memory', 'cpu', 'pids', 'freezer'] as const).filter(name => !roots[name])
  if (kind === 'none') return fail('no cgroup hierarchy is mounted', 'mount -t cgroup2 none /sys/fs/cgroup')
  if (missing.length > 0)
    return fail(`missing cgroup controllers: ${missing.join(', ')}`, 'mount -t cgroup2 none /sys/fs/cgroup')
  return ok(`cgroups ${kind}`)
}

async function packages(): Promise<Finding> {
  const missing = missingPackages()
  if (missing.length === 0) return ok('all required Debian packages are installed')
  const say = missing.every(({ isOptional }) => isOptional) ? warn : fail
  return say(
    `missing packages: ${missing.map(({ name, why }) => `${name} (${why})`).join(', ')}`,
    installCommand(missing),
  )
}

async function runtime(command: string): Promise<Finding> {
  const text = await runCommand(command, ['--version']).catch(() => '')
  const found = parseRuntimeVersion(text)
  if (isGvisor(command)) return gvisor(command, text)
  if (!found) return fail(`${command} cannot be run`, 'apt-get install runc')
  const fix = 'apt-get install --only-upgrade runc, or configure a newer runtime'
  const open = found.escapes.filter(({ blockedByUserNamespace }) => !blockedByUserNamespace)
  const listed = (list: readonly KnownEscape[]) => list.map(({ ids, what }) => `${what} (${ids})`).join('; ')
  if (open.length > 0)
    return fail(`${found.name} ${found.version} has known container escapes: ${listed(open)}`, fix)
  if (found.escapes.length > 0) {
    return warn(
      `${found.name} ${found.version}: ${listed(found.escapes)}; the user namespaces of machines block these`,
      fix,
    )
  }
  return ok(`${found.name} ${found.version}, no known container escape`)
}

async function apparmor(): Promise<Finding> {
  const support = await apparmorSupport()
  if (support === 'usable') return ok('AppArmor confines machines in addition')
  if (support === 'absent') return ok('the host has no AppArmor; machines are confined without it')
  return warn('AppArmor is enabled, but its parser is not installed', 'apt-get install apparmor')
}

function gvisor(command: string, version: string): Finding {
  const release = gvisorRelease(version)
  const fix =
    'start the service as root, which installs it from Debian 13, or see gvisor.dev/docs/user_guide/install'
  if (release === undefined) return fail(`${command} (gVisor) cannot be run`, fix)
  if (release >= oldestGvisor) return ok(`runsc (gVisor) ${release}`)
  return fail(`runsc (gVisor) ${release} is too old; at least ${oldestGvisor} is needed`, fix)
}

async function userIds(settings: Settings): Promise<Finding> {
  await mkdir(settings.imagesDir, { recursive: true, mode: 0o700 })
  if (await mapsOwners(settings)) return ok('each machine has its own range of user ids')
  const what = 'idmapped mounts do not work here, so all machines share one range of user ids'
  return warn(what, 'put the data directory on ext4, xfs or btrfs, and run Linux 5.19 or later')
}

async function dns(settings: Settings): Promise<Finding> {
  const [first] = await resolversOf(settings)
  if (first) return ok(`machines use the resolver ${first}`)
  return warn(
    'the only resolvers of the host are on its loopback, which machines cannot reach',
    'set SANDGLASS_RESOLVERS',
  )
}

async function forwarding(settings: Settings): Promise<Finding> {
  if (settings.uplink === 'none') return ok('machines have no uplink, so nothing is forwarded')
  if (settings.uplink !== 'host')
    return ok(`packets are forwarded in the namespace ${settings.uplink.netns}, not on the host`)
  if ((await readNumber('/proc/sys/net/ipv4/ip_forward')) === 1)
    return ok('IP forwarding is already enabled on the host')
  return warn(
    'the first machine enables net.ipv4.ip_forward, and the host then forwards packets between all its interfaces',
    'filter forwarded packets on the host, or put the uplink into a separate network namespace',
  )
}

/** Runs in a temporary network namespace. */
async function connectionTracking(): Promise<Finding> {
  const script = join(import.meta.dirname, '../network/forget-flows.pl')
  const refused = await runCommand('unshare', ['--net', 'perl', script, '1']).then(
    () => undefined,
    (error: unknown) => String(error),
  )
  if (refused === undefined) return ok('tracked connections are deleted together with their machine')
  return warn(
    `tracked connections remain for a while after their machine is deleted: ${refused}`,
    'modprobe nf_conntrack_netlink',
  )
}

async function capacity(settings: Settings, diskMiB: number): Promise<Finding> {
  const host = await hostRoom(settings)
  const count = roomFor(host, settings, diskMiB)
  const what =
    `${host.availableMemoryMiB} MiB of memory and ${host.freeDiskMiB} MiB of disk: capacity for ${count} more ` +
    `desktops with ${diskMiB} MiB of disk each (disk overcommit: ${settings.diskOvercommit}; ` +
    `${unavailableDiskMiB(settings)} MiB stay free for the service)`
  const fix =
    'free memory or disk, delete sandboxes, lower the reserves, choose shapes with smaller disks, or raise SANDGLASS_DISK_OVERCOMMIT'
  if (count > 0) return ok(what)
  // Only warn if machines exist, because a service whose machines fill the host must be able to start again.
  return host.machines.promisedMiB > 0 ? warn(what, fix) : fail(what, fix)
}

/** Whether disks can be saved without copying them. */
async function disks(settings: Settings): Promise<Finding> {
  const kind = kindOfDisks(settings)
  if (kind === 'cloned') return ok('disks are saved by cloning them')
  if (kind === 'volume') return ok('disks are saved by cloning them, on a volume that grows with them')
  return warn(
    'disks are copied when they are saved, which takes seconds per GiB',
    'apt-get install xfsprogs, have at least 8 GiB on the file system of the data directory, and delete all machines once',
  )
}

async function image(settings: Settings, name: string): Promise<Finding> {
  const folder = await imageFolder(name).catch((error: unknown) => String(error))
  if (existsSync(join(settings.imagesDir, folder))) return ok(`built, ${folder}`)
  return warn(`the image ${name} is not built yet`, 'start the service, which builds it within a few minutes')
}

/**
 * Checks everything that machines of these images and runtimes need, besides the default runtime, and reports every
 * problem with its fix.
 */
export async function doctor(
  options: LocalEngineOptions,
  images: readonly string[],
  runtimes: readonly string[] = [],
  diskMiB = defaultDiskMiB,
): Promise<Check[]> {
  const settings = settle(options)
  const others = runtimes.filter(name => runtimeOf(settings, { runtime: name }) !== settings.runtime)
  const checks: [string, () => Promise<Finding>][] = [
    ['privileges', privileges],
    ['kernel', kernel],
    ['cgroups', cgroups],
    ['packages', packages],
    ['runtime', () => runtime(settings.runtime)],
    ...others.map((name): [string, () => Promise<Finding>] => [`runtime ${name}`, () => runtime(name)]),
    ['apparmor', apparmor],
    ['user ids', () => userIds(settings)],
    ['browser sandbox', browserSandbox],
    ['dns', () => dns(settings)],
    ['forwarding', () => forwarding(settings)],
    ['connection tracking', connectionTracking],
    ['disks', () => disks(settings)],
    ['capacity', () => capacity(settings, diskMiB)],
    ...images.map((name): [string, () => Promise<Finding>] => [`image ${name}`, () => image(settings, name)]),
  ]
  return await Promise.all(
    checks.map(async ([name, check]): Promise<Check> => {
      const failed = (error: unknown) => fail(`the check itself failed: ${error}`, 'see the message')
      return { name, ...(await check().catch(failed)) }
    }),
  )
}

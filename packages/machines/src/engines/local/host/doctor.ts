import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { release } from 'node:os'
import { join } from 'node:path'
import type { Check } from '../../../contract/check.ts'
import { imageFolder } from '../../../images/build-image.ts'
import { resolversOf } from '../network/resolvers.ts'
import { cgroupLayout } from '../oci/cgroups.ts'
import { type KnownEscape, parseRuntimeVersion } from '../oci/runtime-version.ts'
import { type LocalEngineOptions, type Settings, settle } from '../options.ts'
import { mapsOwners } from '../rootfs/lower.ts'
import { installCommand, missingPackages } from './debian-packages.ts'
import { hostRoom, roomFor } from './host-room.ts'
import { runCommand } from './run-command.ts'

/** The disk of a desktop, where no shape says otherwise. */
const usualDiskMiB = 8192

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
    return fail(`Linux ${release()} is older than 5.19`, 'apt-get install linux-image-amd64 && reboot')
  }
  const filesystems = await readFile('/proc/filesystems', 'utf8')
  for (const name of ['overlay', 'ext4']) {
    if (!new RegExp(`\\t${name}$`, 'm').test(filesystems))
      return fail(`no ${name} filesystem`, `modprobe ${name}`)
  }
  if (!existsSync('/dev/loop-control')) return fail('no loop devices', 'modprobe loop')
  if ((await readNumber('/proc/sys/user/max_user_namespaces')) === 0) {
    return fail('user namespaces are off', 'sysctl -w user.max_user_namespaces=100000')
  }
  return ok(`Linux ${release()} with overlay, ext4, loop and user namespaces`)
}

async function privileges(): Promise<Finding> {
  if (process.getuid?.() !== 0) return fail('the service does not run as root', 'start it as root')
  return ok('root')
}

async function browserSandbox(): Promise<Finding> {
  if ((await readNumber('/proc/sys/kernel/unprivileged_userns_clone')) === 0) {
    return warn('browsers cannot build their own sandbox', 'sysctl -w kernel.unprivileged_userns_clone=1')
  }
  if ((await readNumber('/proc/sys/kernel/apparmor_restrict_unprivileged_userns')) === 1) {
    const fix = 'sysctl -w kernel.apparmor_restrict_unprivileged_userns=0'
    return warn('AppArmor keeps browsers from building their own sandbox', fix)
  }
  return ok('browsers in machines can build their own sandbox')
}

async function cgroups(): Promise<Finding> {
  const { kind, roots } = cgroupLayout()
  const missing = (['memory', 'cpu', 'pids', 'freezer'] as const).filter(name => !roots[name])
  if (kind === 'none') return fail('no cgroups are mounted', 'mount -t cgroup2 none /sys/fs/cgroup')
  if (missing.length > 0)
    return fail(`no cgroup controller for ${missing.join(', ')}`, 'mount -t cgroup2 none /sys/fs/cgroup')
  return ok(`cgroups ${kind}`)
}

async function packages(): Promise<Finding> {
  const missing = missingPackages()
  if (missing.length === 0) return ok('all Debian packages are there')
  const say = missing.every(({ isOptional }) => isOptional) ? warn : fail
  return say(
    `missing: ${missing.map(({ name, why }) => `${name} (${why})`).join(', ')}`,
    installCommand(missing),
  )
}

async function runtime(settings: Settings): Promise<Finding> {
  const text = await runCommand(settings.runtime, ['--version']).catch(() => '')
  const found = parseRuntimeVersion(text)
  if (!found) return fail(`${settings.runtime} does not run`, 'apt-get install runc')
  const fix = 'apt-get install --only-upgrade runc, or set a runtime of a later version'
  const open = found.escapes.filter(({ heldByUserNamespace }) => !heldByUserNamespace)
  const said = (list: readonly KnownEscape[]) => list.map(({ ids, what }) => `${what} (${ids})`).join('; ')
  if (open.length > 0) return fail(`${found.name} ${found.version} has known escapes: ${said(open)}`, fix)
  if (found.escapes.length > 0) {
    return warn(
      `${found.name} ${found.version}: ${said(found.escapes)}; the user namespaces of machines hold these`,
      fix,
    )
  }
  return ok(`${found.name} ${found.version}, no known escape`)
}

async function owners(settings: Settings): Promise<Finding> {
  await mkdir(settings.imagesDir, { recursive: true, mode: 0o700 })
  if (await mapsOwners(settings)) return ok('each machine has a range of user ids of its own')
  const what = 'owners cannot be mapped in mounts here, so all machines share one range of user ids'
  return warn(what, 'keep the data directory on ext4, xfs or btrfs, on Linux 5.19 or later')
}

async function names(settings: Settings): Promise<Finding> {
  const [first] = await resolversOf(settings)
  if (first) return ok(`names are asked of ${first}`)
  return warn('the host names no resolver that machines could reach, only its own loopback', 'set resolvers')
}

async function forwarding(settings: Settings): Promise<Finding> {
  if (settings.uplink === 'none') return ok('machines have no way out, so nothing is forwarded')
  if (settings.uplink !== 'host')
    return ok(`forwarded in the namespace ${settings.uplink.netns}, not on the host`)
  if ((await readNumber('/proc/sys/net/ipv4/ip_forward')) === 1) return ok('the host forwards already')
  return warn(
    'the first machine turns on net.ipv4.ip_forward, and the host then forwards between all its interfaces',
    'filter what the host forwards, or give the machines an uplink in a network namespace of their own',
  )
}

/** Tried in a network namespace that ends with the trial. */
async function flows(): Promise<Finding> {
  const script = join(import.meta.dirname, '../network/forget-flows.pl')
  const refused = await runCommand('unshare', ['--net', 'perl', script, '1']).then(
    () => undefined,
    (error: unknown) => String(error),
  )
  if (refused === undefined) return ok('flows of machines are forgotten with them')
  return warn(`flows of machines outlive them for a while: ${refused}`, 'modprobe nf_conntrack_netlink')
}

async function room(settings: Settings, diskMiB: number): Promise<Finding> {
  const host = await hostRoom(settings)
  const count = roomFor(host, settings, diskMiB)
  const what =
    `${host.availableMemoryMiB} MiB of memory and ${host.freeDiskMiB} MiB of disk: room for ${count} further ` +
    `desktops with ${diskMiB} MiB of disk each, promised ${settings.diskOvercommit} times over`
  const fix = 'free memory or disk, delete sandboxes, lower the reserves, or raise SANDGLASS_DISK_OVERCOMMIT'
  if (count > 0) return ok(what)
  // A service whose machines fill the host must be able to start again.
  return host.machines.promisedMiB > 0 ? warn(what, fix) : fail(what, fix)
}

async function image(settings: Settings, name: string): Promise<Finding> {
  const folder = await imageFolder(name).catch((error: unknown) => String(error))
  if (existsSync(join(settings.imagesDir, folder))) return ok(`built, ${folder}`)
  return warn(`the image ${name} is not built yet`, 'it is built at the first start, in a few minutes')
}

/** Looks at everything that machines need, and says for each thing what is wrong and what fixes it. */
export async function doctor(
  options: LocalEngineOptions,
  images: readonly string[],
  diskMiB = usualDiskMiB,
): Promise<Check[]> {
  const settings = settle(options)
  const checks: [string, () => Promise<Finding>][] = [
    ['privileges', privileges],
    ['kernel', kernel],
    ['cgroups', cgroups],
    ['packages', packages],
    ['runtime', () => runtime(settings)],
    ['user ids', () => owners(settings)],
    ['browser sandbox', browserSandbox],
    ['names', () => names(settings)],
    ['forwarding', () => forwarding(settings)],
    ['flows', flows],
    ['room', () => room(settings, diskMiB)],
    ...images.map((name): [string, () => Promise<Finding>] => [`image ${name}`, () => image(settings, name)]),
  ]
  return await Promise.all(
    checks.map(async ([name, check]): Promise<Check> => {
      const failed = (error: unknown) => fail(`the check itself failed: ${error}`, 'look at the message')
      return { name, ...(await check().catch(failed)) }
    }),
  )
}

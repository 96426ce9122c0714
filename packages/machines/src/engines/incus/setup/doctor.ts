import { z } from 'zod'
import type { Check } from '../../../contract/check.ts'
import { read } from '../client/answers.ts'
import type { IncusClient } from '../client/index.ts'
import { type ClusterMember, listMembers } from '../list-members.ts'
import { clusterSettings } from './cluster-settings.ts'
import { checkPool } from './member-storage.ts'
import { unlessMissing } from './missing.ts'
import type { ClusterNames } from './names.ts'
import { findNetwork, wrongNetworkSettings } from './network.ts'
import { type IncusServer, readServer } from './server.ts'

/** NICs of bridges that accept ACLs, by which the egress policy of machines is enforced. */
const neededExtension = 'network_bridge_acl_devices'
const oldestVersion = 6
const again = 'npm run cluster -- init, on a member'

type Finding = Omit<Check, 'name'>

export interface ClusterDoctorOptions {
  readonly incus: IncusClient
  readonly names: ClusterNames
}

/** What is known about a cluster: its members, if they can be listed, and what is right and wrong. */
export interface ClusterFindings {
  readonly members: readonly ClusterMember[]
  readonly checks: readonly Check[]
}

/** Checks a cluster. Each question has a deadline of its own, so that a dead member costs seconds. */
export async function clusterDoctor({ incus, names }: ClusterDoctorOptions): Promise<ClusterFindings> {
  const server = await readServer(incus).catch((error: unknown) => messageOf(error))
  if (typeof server === 'string') return { members: [], checks: [unreachable(server)] }
  const about = checkServer(server)
  if (!server.isTrusted || !server.isClustered) return { members: [], checks: [about] }
  const members = await listMembers(incus).catch((error: unknown) => messageOf(error))
  if (typeof members === 'string') return { members: [], checks: [about, withoutDatabase(members)] }
  const checks: readonly (readonly [name: string, Promise<Finding>])[] = [
    ['members', Promise.resolve(checkMembers(members))],
    ['settings', Promise.resolve(checkSettings(server))],
    ['pool', checkPool({ incus, names }, members)],
    ['network', checkNetwork({ incus, names })],
    ['images', checkImages(incus, names)],
    ['virtual machines', checkVirtualMachines(incus, members)],
  ]
  const findings = checks.map(async ([name, finding]): Promise<Check> => {
    const found = await finding.catch((error: unknown): Finding => fail(messageOf(error), again))
    return { name: `cluster ${name}`, ...found }
  })
  return { members, checks: [about, ...(await Promise.all(findings))] }
}

const ok = (what: string): Finding => ({ result: 'ok', what })
const warn = (what: string, fix: string): Finding => ({ result: 'warn', what, fix })
const fail = (what: string, fix: string): Finding => ({ result: 'fail', what, fix })
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

const unreachable = (what: string): Check => ({
  name: 'cluster',
  ...fail(what, 'check SANDGLASS_INCUS, that Incus runs there, and that its port is open to this host'),
})

const withoutDatabase = (reason: string): Check => ({
  name: 'cluster members',
  ...fail(
    `this member answers, but has no connection to a majority of the database: it is cut off, or most of the others are lost (${reason})`,
    'repair its network, or start the others (docs/cluster.md)',
  ),
})

function checkServer({ isTrusted, isClustered, version, extensions, name }: IncusServer): Check {
  const finding = (): Finding => {
    if (!isTrusted)
      return fail(
        'Incus answers, but does not trust the certificate of this service',
        'npm run cluster -- init on a member, and copy the folder incus of its data directory to this one',
      )
    if (!isClustered) return fail('Incus answers, but is in no cluster', again)
    if (Number.parseFloat(version) < oldestVersion)
      return fail(
        `Incus ${version} is too old; at least ${oldestVersion}.0 is needed`,
        'apt-get upgrade incus-base',
      )
    if (!extensions.has(neededExtension))
      return fail(`Incus ${version} lacks ${neededExtension}, which egress rules need`, 'upgrade Incus')
    return ok(`Incus ${version} answers and trusts this service (by ${name})`)
  }
  return { name: 'cluster', ...finding() }
}

function checkMembers(members: readonly ClusterMember[]): Finding {
  const listed = members.map(({ name, status }) => `${name} ${status.toLowerCase()}`).join(', ')
  const lost = members.filter(({ status }) => status !== 'Online' && status !== 'Evacuated')
  if (lost.length > 0)
    return fail(
      `${listed} (${lost.map(({ message }) => message).join('; ')})`,
      'start these boxes, or see docs/cluster.md if they are gone for good',
    )
  const drained = members.filter(({ status }) => status === 'Evacuated')
  if (drained.length > 0)
    return warn(listed, `npm run cluster -- return ${drained[0]?.name}, when it may have machines again`)
  const voters = members.filter(({ roles }) => roles.some(role => role.startsWith('database')))
  if (members.length < 3)
    return warn(
      `${listed}; with fewer than three members the cluster stops when the wrong one is lost`,
      'npm run cluster -- token NAME, and join another box',
    )
  return ok(`${listed}; ${voters.length} have the database`)
}

function checkSettings({ config }: IncusServer): Finding {
  const wrong = Object.entries(clusterSettings).filter(([key, value]) => config[key] !== value)
  if (wrong.length === 0) return ok('the settings of the cluster are right')
  return warn(
    wrong.map(([key, value]) => `${key} is ${config[key] ?? 'not set'} instead of ${value}`).join(', '),
    again,
  )
}

async function checkNetwork(context: ClusterDoctorOptions): Promise<Finding> {
  const { network: name } = context.names
  const network = await findNetwork(context)
  if (!network) return fail(`there is no network ${name}`, again)
  if (network.status !== 'Created')
    return fail(`the network ${name} is ${network.status.toLowerCase()}`, again)
  const wrong = wrongNetworkSettings(network)
  if (wrong.length > 0) return fail(`${name}: ${wrong.join(', ')}`, again)
  return ok(`${name}, ${network.config?.['ipv4.address']}`)
}

const imagesSchema = z.array(z.object({ size: z.number(), aliases: z.array(z.object({ name: z.string() })) }))

async function checkImages(incus: IncusClient, { project }: ClusterNames): Promise<Finding> {
  const found = await unlessMissing(incus.get('/images?recursion=1', { project }))
  if (found === undefined) return fail(`there is no project ${project}`, again)
  const images = read(imagesSchema, found, 'the images')
  if (images.length === 0)
    return warn(`there are no images in the project ${project}`, 'start the service, which pushes them')
  const mib = Math.round(images.reduce((sum, { size }) => sum + size, 0) / 1024 ** 2)
  const names = images.flatMap(({ aliases }) => aliases.map(({ name }) => name))
  return ok(`${names.join(', ') || images.length} (${mib} MiB on each member)`)
}

async function checkVirtualMachines(incus: IncusClient, members: readonly ClusterMember[]): Promise<Finding> {
  const online = members.filter(({ status }) => status === 'Online')
  const answers = await Promise.all(
    online.map(async ({ name }) => ({ name, server: await readServer(incus, name).catch(() => undefined) })),
  )
  const able = answers.filter(({ server }) => server?.hasVirtualMachines).map(({ name }) => name)
  if (able.length === 0) return ok('no member runs virtual machines; containers need nothing more')
  return ok(`virtual machines run on ${able.join(', ')}`)
}

import { listMembers } from '../list-members.ts'
import { ensureClusterSettings } from './cluster-settings.ts'
import { createJoinToken } from './join-token.ts'
import { ensureNetwork, type InterfaceAddress } from './network.ts'
import { ensurePool } from './pool.ts'
import { ensureProject } from './project.ts'
import { type IncusServer, readServer } from './server.ts'
import { longDeadlineMs, type SetupContext, SetupError } from './setup-context.ts'
import type { StorageChoice, StorageDriver } from './storage.ts'
import { ensureTrusted } from './trust.ts'

export interface InitOptions {
  /** Where other members and services reach this one, as `IP:PORT`. */
  readonly address: string
  readonly chooseStorage: (server: IncusServer) => Promise<StorageChoice>
  /** The addresses of this box, which machines must not have. */
  readonly interfaces: readonly InterfaceAddress[]
  /** The certificate of the service, in PEM. */
  readonly certificate: string
}

export interface InitializedCluster {
  readonly member: string
  readonly urls: readonly string[]
  /** In PEM. */
  readonly serverCertificate: string
}

/** Makes a cluster of this server, or completes one. Whatever is right already is left alone. */
export async function initCluster(context: SetupContext, options: InitOptions): Promise<InitializedCluster> {
  const { incus } = context
  const before = await readServer(incus)
  await ensureClustered(context, before, options.address)
  const server = await readServer(incus)
  await ensureClusterSettings(context)
  await ensurePool(context, server.name, () => options.chooseStorage(server))
  await ensureNetwork(context, options.interfaces)
  await ensureProject(context)
  await ensureTrusted(context, options.certificate)
  const members = await listMembers(incus)
  return {
    member: server.name,
    urls: members.map(({ url }) => url),
    serverCertificate: server.certificate,
  }
}

async function ensureClustered(
  { incus, tell }: SetupContext,
  { name, isClustered, config }: IncusServer,
  address: string,
): Promise<void> {
  if (isClustered) return tell(`This box is the member ${name} of a cluster.`)
  const key = config['core.https_address'] === undefined ? 'core.https_address' : 'cluster.https_address'
  if (config['core.https_address'] !== address && config['cluster.https_address'] !== address) {
    await incus.send('PATCH', '', { config: { [key]: address } })
    tell(`Incus listens on ${address}.`)
  }
  await incus.run('PUT', '/cluster', { server_name: name, enabled: true }, { deadlineMs: longDeadlineMs })
  tell(`This box is the first member of a new cluster, with the name ${name}.`)
}

/** Makes a token for another box. */
export async function inviteMember(
  { incus }: SetupContext,
  driver: StorageDriver,
  name: string,
): Promise<{ readonly token: string; readonly expiresAt: Date }> {
  if ((await listMembers(incus)).some(member => member.name === name))
    throw new SetupError(
      `There is a member ${name} already. Choose another name; if that box is gone for good, remove it first: npm run cluster -- leave ${name} --force`,
    )
  return createJoinToken(incus, name, driver)
}

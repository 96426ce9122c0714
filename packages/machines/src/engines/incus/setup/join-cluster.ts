import { IncusError } from '../client/index.ts'
import { listMembers } from '../list-members.ts'
import { findCluster } from './cluster-certificate.ts'
import { readJoinToken } from './join-token.ts'
import { type IncusServer, readServer } from './server.ts'
import { longDeadlineMs, type SetupContext, SetupError } from './setup-context.ts'
import type { StorageChoice, StorageDriver } from './storage.ts'

export interface JoinOptions {
  readonly token: string
  /** Where other members and services reach this one, as `IP:PORT`. Not asked if it is a member already. */
  readonly address: () => string
  readonly chooseStorage: (server: IncusServer, driver: StorageDriver) => Promise<StorageChoice>
}

/** Makes this server a member of the cluster that made the token. Returns its name. */
export async function joinCluster(context: SetupContext, options: JoinOptions): Promise<string> {
  const { incus, names, tell } = context
  const server = await readServer(incus)
  if (server.isClustered) {
    const others = (await listMembers(incus)).filter(({ name }) => name !== server.name)
    tell(
      `This box is the member ${server.name} of a cluster with ${others.map(({ name }) => name).join(', ') || 'no others'}.`,
    )
    return server.name
  }
  const token = readJoinToken(options.token)
  const serverAddress = options.address()
  const { config, where } = await options.chooseStorage(server, token.driver)
  const { address, certificate } = await findCluster(token)
  tell(`Joining the cluster at ${address} as ${token.name}. Its part of the pool ${names.pool}: ${where}.`)
  try {
    await incus.run(
      'PUT',
      '/cluster',
      {
        server_name: token.name,
        enabled: true,
        server_address: serverAddress,
        cluster_address: address,
        cluster_certificate: certificate,
        cluster_token: options.token.trim(),
        member_config: Object.entries(config).map(([key, value]) => ({
          entity: 'storage-pool',
          name: names.pool,
          key,
          value,
        })),
      },
      { deadlineMs: longDeadlineMs },
    )
  } catch (error) {
    if (!(error instanceof IncusError)) throw error
    throw new SetupError(`This box could not join: ${error.reason}.${adviceFor(error.reason, token.name)}`, {
      cause: error,
    })
  }
  tell(`This box is a member now. It gets machines when its copies of the images are complete.`)
  return token.name
}

/** What to do about the failures that people meet. */
function adviceFor(reason: string, name: string): string {
  if (
    /no matching cluster join operation|not authorized|invalid (join )?token|provided join token/i.test(
      reason,
    )
  )
    return ` A token works once, and not after a restart of the member that made it. Make another there: npm run cluster -- token ${name}`
  if (/schema|api (version|extension)|version/i.test(reason))
    return ' Members must have the same version of Incus: upgrade this box, or the others.'
  return ''
}

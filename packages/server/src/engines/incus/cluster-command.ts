import { join } from 'node:path'
import {
  type ClusterNames,
  chooseStorage,
  drainMember,
  findPool,
  initCluster,
  installIncus,
  inviteMember,
  joinCluster,
  openIncus,
  readServer,
  removeMember,
  returnMember,
  type SetupContext,
  SetupError,
  type StorageDriver,
  type StorageWish,
  seeStorageHost,
  storageDrivers,
  tellStatus,
} from '@sandglass/machines/incus-setup'
import { type Environment, readTable } from '../../setting-table.ts'
import { readSettings } from '../../settings.ts'
import type { Tell } from '../engine-definition.ts'
import type { ClusterArguments } from './cluster-arguments.ts'
import { interfaceAddresses, ownAddress } from './own-address.ts'
import { pushImage } from './push-image.ts'
import { certificateFiles, ensureServiceCertificate, keepServerCertificate } from './service-certificate.ts'
import { incusSettings } from './settings.ts'

const defaultPort = 8443

export interface ClusterCommandContext {
  readonly env: Environment
  readonly tell: Tell
}

/** Does what `npm run cluster` was asked to do. Returns whether all is well. */
export async function runClusterCommand(
  chosen: Exclude<ClusterArguments, { action: 'help' }>,
  { env, tell }: ClusterCommandContext,
): Promise<boolean> {
  const incusDir = env['INCUS_DIR'] || '/var/lib/incus'
  const socket = join(incusDir, 'unix.socket')
  const isNew = chosen.action === 'init' || chosen.action === 'join'
  const incus = await openIncus({ socket, tell, install: isNew ? installIncus : refuseToInstall })
  const context: SetupContext = { incus, names: namesIn(env), tell }
  const place = { socket, incusDir, pool: context.names.pool }
  try {
    switch (chosen.action) {
      case 'init':
        await init(context, chosen, place, readSettings(env).SANDGLASS_DATA)
        return true
      case 'join':
        await joinThis(context, chosen, place)
        return true
      case 'token':
        await tellToken(context, chosen.name)
        return true
      case 'status':
        return await tellStatus(context)
      case 'push':
        await pushImage(chosen.image, { socket }, { env, tell })
        return true
      case 'drain':
        await drainMember(context, chosen.name)
        return true
      case 'return':
        await returnMember(context, chosen.name)
        return true
      case 'leave':
        await removeMember(context, chosen.name ?? (await readServer(incus)).name, chosen.isForced)
        return true
    }
  } finally {
    incus.close()
  }
}

function namesIn(env: Environment): ClusterNames {
  const values = readTable(incusSettings, env)
  return {
    project: values.SANDGLASS_INCUS_PROJECT,
    pool: values.SANDGLASS_INCUS_POOL,
    network: values.SANDGLASS_INCUS_NETWORK,
  }
}

async function refuseToInstall(): Promise<void> {
  throw new SetupError(
    'Incus does not answer on this box. Run this on a member, or make this box one: npm run cluster -- init, or npm run cluster -- join TOKEN',
  )
}

interface Place {
  readonly socket: string
  readonly incusDir: string
  readonly pool: string
}

const chooser =
  (wish: StorageWish, { socket, incusDir, pool }: Place) =>
  async (server: Parameters<typeof seeStorageHost>[1], driver?: StorageDriver) =>
    chooseStorage(
      { ...wish, ...(driver && { driver }) },
      await seeStorageHost(socket, server, incusDir),
      pool,
    )

async function init(
  context: SetupContext,
  { address, storage }: Extract<ClusterArguments, { action: 'init' }>,
  place: Place,
  dataDirectory: string,
): Promise<void> {
  const { tell } = context
  const server = await readServer(context.incus)
  const known = server.config['cluster.https_address'] ?? server.config['core.https_address']
  const { urls, serverCertificate } = await initCluster(context, {
    address: address ?? known ?? ownAddress(defaultPort),
    chooseStorage: chooser(storage, place),
    interfaces: interfaceAddresses(),
    certificate: await ensureServiceCertificate(dataDirectory),
  })
  await keepServerCertificate(dataDirectory, serverCertificate)
  tell('')
  tell('The cluster is ready. The service uses it with this setting:')
  tell(`  SANDGLASS_INCUS=${urls.join(',')}`)
  tell(
    `It signs in with the files in ${certificateFiles(dataDirectory).folder}. Copy this folder to the data directory of each service that runs elsewhere; whoever has it is root on every member.`,
  )
  tell('')
  await tellToken(context, `box${urls.length + 1}`)
}

async function tellToken(context: SetupContext, name: string): Promise<void> {
  const { tell } = context
  const pool = await findPool(context)
  const driver = storageDrivers.find(one => one === pool?.driver)
  if (!driver)
    throw new SetupError(
      `The cluster has no storage pool ${context.names.pool} yet. Run npm run cluster -- init here first.`,
    )
  const { token, expiresAt } = await inviteMember(context, driver, name)
  tell(`To add a box as ${name}, run this on it. It works once, until ${expiresAt.toISOString()}:`)
  tell(`  npm run cluster -- join ${token}`)
  tell('For another name: npm run cluster -- token NAME')
}

async function joinThis(
  context: SetupContext,
  { token, address, storage }: Extract<ClusterArguments, { action: 'join' }>,
  place: Place,
): Promise<void> {
  await joinCluster(context, {
    token,
    address: () => address ?? ownAddress(defaultPort),
    chooseStorage: chooser(storage, place),
  })
  await tellStatus(context)
}

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NamespaceDoor } from '../../packages/machines/src/engines/incus/test-cluster/index.ts'
import { testIncus } from '../../packages/machines/src/engines/incus/test-engine.ts'
import { clusterCredentials } from '../../test/support/cluster-credentials.ts'
import { type BenchSandbox, type BenchService, withService } from '../service.ts'
import { patient } from './patience.ts'

/** Nothing else listens in the namespace of the service. */
const port = 7001

/** Where the machine of a sandbox is, seen from the service. */
export const places = ['on the same member', 'on another member', 'local'] as const
export type Place = (typeof places)[number]

/** A service that makes machines on its host, and in a cluster, of which it talks to the first member. */
export interface ClusterSetting {
  readonly service: BenchService
  /** Where the machine of a sandbox is. The cluster has one member of the first kind and two of the second. */
  placeOf(sandbox: BenchSandbox): Promise<Place>
}

/** Runs work with a service and a real cluster of three members, and removes everything of both afterwards. */
export async function withCluster<T>(
  shapes: readonly object[],
  work: (setting: ClusterSetting) => Promise<T>,
): Promise<T> {
  await using undo = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-bench-cluster-'))
  undo.defer(() => rm(folder, { recursive: true, force: true }))
  const tested = await testIncus(patient)
  undo.defer(() => tested.dispose())
  const { netns } = tested.cluster.client
  const door = await NamespaceDoor.open(netns, port, folder)
  undo.defer(() => door.close())
  const env = await clusterCredentials(tested.cluster, folder)
  const engine = tested.open()
  const [first] = tested.cluster.members
  const placeOf = async ({ id, client }: BenchSandbox): Promise<Place> => {
    const { stdoutBase64 } = await client.execSandboxProcess({
      sandboxId: id,
      body: { executable: 'cat', args: ['/etc/hostname'] },
    })
    const machine = Buffer.from(stdoutBase64, 'base64').toString().trim()
    const listed = (await engine.list()).find(one => one.id === machine)
    if (!listed) return 'local'
    return listed.member === first?.name ? 'on the same member' : 'on another member'
  }
  return await withService({ shapes, env, inside: { netns, port, url: door.url } }, service =>
    work({ service, placeOf }),
  )
}

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeClientCertificate } from '@sandglass/machines/incus-setup'
import { waitFor } from '@sandglass/machines/testing'
import type { TestCluster } from '../../packages/machines/src/engines/incus/test-cluster/index.ts'
import { testIncus } from '../../packages/machines/src/engines/incus/test-engine.ts'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { testImages } from '../../packages/server/src/testing/test-machines.ts'
import { type Answer, type Asked, Calls } from '../faults/calls.ts'
import { clusterShape } from '../support/cluster-shape.ts'
import { NodeDatabase } from '../support/nodes.ts'
import type { Credentials } from '../support/service-process.ts'
import { Front } from './front.ts'
import { KeptSandbox } from './kept-sandbox.ts'
import { RunningTime } from './running-time.ts'

/** As the jobs name it. */
const shapeName = 'small'
/** Small, so that a full one is full soon. */
const memberDiskMiB = 6144
const firstPort = 7001

/** A real cluster of three members, two services on it that share a database, and a sandbox on each member. */
export class ClusterWorld {
  readonly cluster: TestCluster
  readonly database: NodeDatabase
  readonly fronts: readonly Front[]
  readonly calls: Calls
  readonly random: () => number
  readonly time = new RunningTime()
  #sandboxes: readonly KeptSandbox[] = []

  private constructor(
    cluster: TestCluster,
    database: NodeDatabase,
    fronts: readonly Front[],
    random: () => number,
  ) {
    this.cluster = cluster
    this.database = database
    this.fronts = fronts
    this.random = random
    this.calls = new Calls(this)
    cleanup.defer(() => this.time.stop())
  }

  static async start(random: () => number): Promise<ClusterWorld> {
    const { cluster, dispose } = await testIncus({ diskMiB: memberDiskMiB })
    cleanup.defer(dispose)
    const database = await NodeDatabase.start()
    const { folder } = database
    const shapes = join(folder, 'shapes.json')
    await writeFile(shapes, JSON.stringify({ shapes: [{ ...clusterShape, name: shapeName }] }))
    const env = {
      ...database.env,
      ...(await trusted(cluster, folder)),
      SANDGLASS_INCUS: cluster.members.map(({ url }) => url).join(','),
      SANDGLASS_IMAGES: testImages,
      SANDGLASS_SHAPES: shapes,
      SANDGLASS_START_TIMEOUT: '120',
      SANDGLASS_RATE_LIMIT: '1000000',
    }
    const { netns } = cluster.client
    const first = await Front.start({ name: 'a', port: firstPort, folder, netns, env })
    const second = await Front.start(
      { name: 'b', port: firstPort + 1, folder, netns, env },
      first.credentials,
    )
    const world = new ClusterWorld(cluster, database, [first, second], random)
    world.#sandboxes = await world.#create()
    return world
  }

  /** The sandboxes that live through all faults, one on each member. */
  get sandboxes(): readonly KeptSandbox[] {
    return this.#sandboxes
  }

  /** Those of one of the services that is up, as a load balancer chooses. */
  get credentials(): Credentials {
    const up = this.fronts.filter(({ isUp }) => isUp)
    return (up[Math.floor(this.random() * up.length)] ?? assert.fail('no front is up')).credentials
  }

  ask(asked: Asked): Promise<Answer> {
    return this.calls.ask(asked)
  }

  /** Incus places each machine on the member that has the fewest. */
  async #create(): Promise<KeptSandbox[]> {
    const made: KeptSandbox[] = []
    for (const { name } of this.cluster.members) {
      const json = { shapeName, name: `kept-${name}`, maxLifeSeconds: 86_400 }
      let answer: Answer | undefined
      await waitFor(async () => {
        answer = await this.ask({ what: 'createSandbox', method: 'POST', path: '~/sandboxes', json })
        return answer.status !== 503
      })
      assert.equal(answer?.status, 200, JSON.stringify(answer?.body))
      const sandbox = new KeptSandbox(this, answer?.body.id)
      await waitFor(async () => (await sandbox.reported()).status === 'RUNNING')
      made.push(sandbox)
    }
    return made
  }
}

/** Lets the services sign in to the cluster, and returns the settings with which they do. */
async function trusted(cluster: TestCluster, folder: string): Promise<Record<string, string>> {
  const [first = assert.fail('there are no members')] = cluster.members
  const { certificate, key } = await makeClientCertificate('Sandglass')
  await first.request('POST', '/1.0/certificates', {
    name: 'sandglass',
    type: 'client',
    certificate: certificate.replace(/-----[^-]+-----|\s/g, ''),
  })
  const server = await readFile(first.path('/var/lib/incus/cluster.crt'), 'utf8')
  const files = { 'client.crt': certificate, 'client.key': key, 'server.crt': server }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text, { mode: 0o600 })
  return {
    SANDGLASS_INCUS_CERTIFICATE: join(folder, 'client.crt'),
    SANDGLASS_INCUS_KEY: join(folder, 'client.key'),
    SANDGLASS_INCUS_SERVER_CERTIFICATE: join(folder, 'server.crt'),
  }
}

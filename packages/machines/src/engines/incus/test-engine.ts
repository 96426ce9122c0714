import { posixExpectations, type Subject } from '../../contract/conformance/index.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { testImages, vmSpec } from '../qemu/test-engine.ts'
import { IncusEngine } from './incus-engine.ts'
import { instanceOf, specKey } from './machine/instance.ts'
import type { IncusEngineOptions } from './options.ts'
import { at, TestCluster, type TestClusterOptions } from './test-cluster/index.ts'

/** Machines in a cluster are as large as virtual machines in tests. */
export const clusterSpec = vmSpec

export interface TestIncus {
  readonly cluster: TestCluster
  /** Opens another engine on the cluster, as another process does. It talks to this member. */
  open(member?: number, more?: Partial<IncusEngineOptions>): IncusEngine
  /** Opens one that knows which cluster it is. */
  openNamed(member: number): Promise<IncusEngine>
  dispose(): Promise<void>
}

/** Starts a cluster that machines can be placed on, with the small image in it. */
export async function testIncus(
  o: TestClusterOptions = {},
  more: Partial<IncusEngineOptions> = {},
): Promise<TestIncus> {
  const cluster = await TestCluster.start(o)
  const opened = new Set<IncusEngine>()
  const options = (member: number, own: Partial<IncusEngineOptions> = {}) => ({
    address: { socket: cluster.members[member]?.socket ?? '' },
    imagesDir: testImages,
    readyTimeoutMs: 300_000,
    isPreparing: false,
    ...more,
    ...own,
  })
  const keep = (engine: IncusEngine) => {
    opened.add(engine)
    return engine
  }
  const open = (member = 0, own?: Partial<IncusEngineOptions>) => keep(new IncusEngine(options(member, own)))
  const dispose = async () => {
    for (const engine of opened) await engine.close()
    await cluster.dispose()
  }
  try {
    await prepare(cluster)
    await open().prepareImage('minimal')
  } catch (error) {
    await dispose()
    throw error
  }
  return { cluster, open, openNamed: async member => keep(await IncusEngine.open(options(member))), dispose }
}

async function prepare({ members }: TestCluster): Promise<void> {
  const [first] = members
  if (!first) return
  const config = { 'features.images': 'true', 'features.profiles': 'true', 'features.networks': 'false' }
  await first.request('POST', '/1.0/projects', { name: 'sandglass', config })
  const network = { name: 'sgnet0', type: 'bridge' }
  for (const { name } of members) await first.request('POST', `/1.0/networks?target=${name}`, network)
  await first.request('POST', '/1.0/networks', {
    ...network,
    config: {
      'ipv4.address': '100.64.0.1/16',
      'ipv4.nat': 'true',
      'ipv4.dhcp': 'false',
      'ipv6.address': 'none',
      'dns.mode': 'none',
    },
  })
}

/** The engine as the conformance suite tests it, with machines on one member and callers that talk to another. */
export function incusSubject(
  tested: TestIncus,
  { machineOn, callerOn, isPreparing }: { machineOn: number; callerOn: number; isPreparing: boolean },
): Subject {
  const [first] = tested.cluster.members
  const name = tested.cluster.members[machineOn]?.name ?? ''
  return {
    open: async () => tested.open(callerOn, { isPreparing }),
    begun: async id => {
      const path = '/1.0/instances?project=sandglass&recursion=1'
      // One that was prepared keeps its name.
      const isOfMachine = (one: unknown) =>
        at(one, 'name') === instanceOf(id) || String(at(at(one, 'config'), specKey)).includes(`"${id}"`)
      const exists = async () => {
        const listed = await first?.request('GET', path)
        return Array.isArray(listed) && listed.some(isOfMachine)
      }
      await waitFor(() => exists().catch(() => false))
    },
    spec: () => clusterSpec({ place: { member: name } }),
    expected: posixExpectations,
    shutDown: async machine => {
      const { shell, administrator = '' } = machine.guest
      await machine.exec({ ...shell.script('kill -TERM 1'), user: administrator }).catch(() => {})
    },
    powerOn: async () => {},
    // The cluster is that of other subjects too.
    dispose: async () => {},
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import { waitFor } from '@sandglass/machines/testing'
import type { TestMember } from '../../packages/machines/src/engines/incus/test-cluster/index.ts'
import type { Scene } from './scene.ts'

/** Slow, but within what members of a cluster tolerate. */
const delayMs = 150
const minutesAwayMs = 180_000

/**
 * Something that happens to a cluster. What cannot be done here: a member whose kernel fails or whose disk breaks, because the members
 * share the kernel and the disk of the host, so that what a killed member had written is there again; a clock of its own for a member;
 * and a network that loses only some of the frames.
 */
export interface ClusterFault {
  readonly name: string
  /** Whether connections to a service may break. */
  readonly mayBreakOff?: true
  /** Resolves when the fault is over and what it broke was started again, as somebody or systemd would. */
  inject(scene: Scene): Promise<void>
}

/** The faults that `npm run soak:tests` injects one by one. Add a fault by adding one entry, and to {@link shortRound} if it is short. */
export const clusterFaults: readonly ClusterFault[] = [
  { name: 'a member is killed', inject: scene => killed(scene, 0) },
  { name: 'a member is killed, and returns after minutes', inject: scene => killed(scene, minutesAwayMs) },
  { name: 'only incusd is killed', inject: daemonKilled },
  { name: 'a member is cut off in both directions', inject: scene => cut(scene, 'both') },
  { name: 'a member is cut off in one direction', inject: scene => cut(scene, scene.choose(['in', 'out'])) },
  { name: 'the leader of the database is cut off in one direction', inject: leaderCut },
  { name: 'a member is slow', inject: slow },
  { name: 'the disk of a member is full', inject: fullDisk },
  { name: 'the leader of the database stops', inject: leaderStopped },
  { name: 'a front is killed', mayBreakOff: true, inject: frontKilled },
]

/** All of them in a few minutes: what can happen while a member is away happens meanwhile, so that it returns after minutes. */
export const shortRound: readonly ClusterFault[] = [
  {
    name: 'a member is killed, and returns after a front was killed and another member was slow',
    mayBreakOff: true,
    inject: killedMeanwhile,
  },
  { name: 'a member is cut off in one direction, and then in both', inject: cutOneByOne },
  ...clusterFaults.filter(({ name }) =>
    [
      'the leader of the database is cut off in one direction',
      'only incusd is killed',
      'the disk of a member is full',
      'the leader of the database stops',
    ].includes(name),
  ),
]

async function killedMeanwhile(scene: Scene): Promise<void> {
  const { cluster, member, front, othersWork } = scene
  await member.kill()
  await scene.isReportedLost()
  await front.kill()
  await othersWork()
  await scene.startFront()
  const other = scene.choose(cluster.members.filter(each => each !== member))
  await slowed(scene, other, () => othersWork())
  await member.boot()
}

async function cutOneByOne(scene: Scene): Promise<void> {
  const { cluster, member } = scene
  await cut(scene, scene.choose(['in', 'out']), member, async () => {
    await cluster.cut(member, 'both')
    await scene.othersWork()
  })
}

/** Incus answers no question until the others have noticed that their connections to the leader are broken. */
async function leaderCut(scene: Scene): Promise<void> {
  await cut(scene, scene.choose(['in', 'out']), await scene.cluster.leader())
}

async function killed(scene: Scene, awayMs: number): Promise<void> {
  const { member } = scene
  await member.kill()
  await scene.isReportedLost()
  await scene.othersWork()
  await pause(awayMs)
  await member.boot()
}

/** It may be away for so long that the cluster gives the member up, although its machines run on. */
async function daemonKilled({ member, othersWork }: Scene): Promise<void> {
  await member.killDaemon()
  await othersWork()
  await member.startDaemon()
}

async function cut(
  scene: Scene,
  direction: 'both' | 'in' | 'out',
  member = scene.member,
  meanwhile: () => Promise<void> = () => scene.othersWork(member),
): Promise<void> {
  const { cluster } = scene
  await cluster.cut(member, direction)
  try {
    await scene.isReportedLost(member)
    await meanwhile()
  } finally {
    await cluster.heal(member)
  }
}

async function slow(scene: Scene): Promise<void> {
  await slowed(scene, scene.member, scene.allWork)
}

async function slowed({ cluster }: Scene, member: TestMember, meanwhile: () => Promise<void>): Promise<void> {
  await cluster.slow(member, delayMs)
  try {
    await meanwhile()
  } finally {
    await cluster.slow(member, 0)
  }
}

async function fullDisk({ member, othersWork }: Scene): Promise<void> {
  await member.fillDisk()
  try {
    await othersWork()
  } finally {
    await member.freeDisk()
  }
}

async function leaderStopped({ cluster, othersWork }: Scene): Promise<void> {
  const leader = await cluster.leader()
  await leader.stopDaemon()
  await waitFor(async () => (await cluster.leader().catch(() => leader)) !== leader)
  await othersWork(leader)
  await leader.startDaemon()
}

/** The other one takes over its sandboxes when its lease has run out. */
async function frontKilled(scene: Scene): Promise<void> {
  await scene.front.kill()
  await scene.allWork()
  await scene.startFront()
}

import { setTimeout } from 'node:timers/promises'
import type { Row } from '../row.ts'
import type { BenchSandbox } from '../service.ts'
import { timed } from '../timed.ts'
import { besides, noTimes } from './besides.ts'
import type { ClusterSetting } from './setting.ts'

/** How often each kind of pool is used. The pool of the cluster gives machines of any member. */
const rounds = 30
const settleMs = 500

/** From the request until a sandbox runs whose machine was ready. */
export async function claimRows({ service, placeOf }: ClusterSetting): Promise<Row[]> {
  const times = noTimes()
  const claim = async (shapeName: string, isCounted: boolean) => {
    for (;;) {
      await setTimeout(settleMs)
      let answer: Awaited<ReturnType<typeof service.client.createSandbox>> | undefined
      const took = await timed(async () => {
        answer = await service.client.createSandbox({ body: { shapeName } })
      })
      if (answer?.status !== 'RUNNING') {
        // The pool is not full again, so this was a create.
        await service.deleteAll()
        continue
      }
      const claimed: BenchSandbox = service.connect(answer.id)
      if (isCounted) times[await placeOf(claimed)].push(took)
      await service.deleteAll()
      return
    }
  }
  for (let round = -3; round < rounds; round++)
    for (const shapeName of ['warm-local', 'warm-cluster']) await claim(shapeName, round >= 0)
  return besides('claim from the pool', times)
}

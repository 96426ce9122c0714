import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Call } from '../test/faults/calls.ts'
import { attacks } from '../test/hostile/attacks.ts'
import { HostileWorld } from '../test/hostile/hostile-world.ts'
import type { CallerOrder } from './hostile-caller.ts'
import { median, p99, type Row, row } from './row.ts'
import { withService } from './service.ts'

const quietSeconds = 4
const attackSeconds = 4
const seed = 4780
/** Limits the run to attacks whose name contains this. */
const only = process.env['SANDGLASS_BENCH_ATTACK']

/** What each attack of a tenant costs the calls of its neighbour, compared with no attack. */
export default (): Promise<Row[]> =>
  withService(
    { shapes: [{ name: 'small', memoryMiB: 512, diskMiB: 512, pids: 256 }] },
    async ({ folder }) => {
      const world = await HostileWorld.create(
        JSON.parse(await readFile(join(folder, 'credentials.json'), 'utf8')),
      )
      await world.neighbour.work(() => false)
      const rows: Row[] = []
      for (const attack of attacks.filter(({ name }) => only === undefined || name.includes(only))) {
        const sandboxId = await world.createHostileSandbox()
        const quiet = times(await world.neighbour.work(during(quietSeconds)))
        let isOver = false
        const order = { attack: attack.name, credentials: world.hostile.credentials, sandboxId }
        const attacking = callerOf({ ...order, seconds: attackSeconds, seed }).finally(() => {
          isOver = true
        })
        const [calls] = await Promise.all([world.neighbour.work(() => !isOver), attacking])
        const attacked = times(calls)
        rows.push(
          row(
            `a neighbour's call p50, beside ${attack.name}, beside none`,
            'ms',
            median(attacked),
            median(quiet),
          ),
          row(`a neighbour's call p99, beside ${attack.name}, beside none`, 'ms', p99(attacked), p99(quiet)),
        )
        await world.hostile.deleteSandbox(sandboxId)
      }
      return rows
    },
  )

async function callerOf(order: CallerOrder): Promise<void> {
  const caller = fork(join(import.meta.dirname, 'hostile-caller.ts'))
  caller.send(order)
  const [code] = await once(caller, 'exit')
  if (code !== 0) throw new Error(`the calls of the attacker ended with ${code}`)
}

function during(seconds: number): () => boolean {
  const end = performance.now() + seconds * 1000
  return () => performance.now() < end
}

const times = (calls: readonly Call[]) => calls.map(({ tookMs }) => tookMs)

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { seeded } from '@sandglass/wire/testing'
import { waitFor } from '../../testing/wait-for.ts'
import { type TestEngine, testEngine, testSpec } from './test-engine.ts'
import { leftovers } from './test-leftovers.ts'

/** A service that creates, restarts and destroys machines without end, and prints which calls have completed. */
const service = `
const { LocalEngine } = await import(${JSON.stringify(join(import.meta.dirname, 'local-engine.ts'))})
const engine = new LocalEngine(JSON.parse(process.argv[1]))
const spec = JSON.parse(process.argv[2])
const say = what => process.stdout.write(what + '\\n')
const live = async n => {
  for (let i = 0; ; i++) {
    const id = spec.id.slice(0, 24) + '-' + n + '-' + i
    const handle = await engine.create({ ...spec, id })
    say('created ' + id)
    if (i % 2) await engine.restart(handle)
    if (i % 3 === 0) continue
    say('destroying ' + id)
    await engine.destroy(handle)
  }
}
say('up')
await Promise.all([live(0), live(1)])
`

const rounds = Number(process.env['SANDGLASS_CRASH_ROUNDS'] ?? 8)

describe('a service killed at any moment', () => {
  let test: TestEngine
  before(async () => {
    test = await testEngine()
  })
  after(async () => {
    await test?.dispose()
  })

  it('leaves machines that the next one lists, opens and removes', async t => {
    const next = seeded(20_261_115)
    for (let round = 0; round < rounds; round++) {
      const args = [
        '--input-type=module',
        '-e',
        service,
        JSON.stringify(test.options),
        JSON.stringify(testSpec()),
      ]
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
      const said = text(child.stdout)
      await once(child.stdout, 'data')
      const afterMs = Math.floor(next() * 1500)
      await setTimeout(afterMs)
      child.kill('SIGKILL')
      await once(child, 'exit')
      const lines = (await said).split('\n')
      const created = lines.filter(line => line.startsWith('created')).map(line => line.split(' ')[1] ?? '')
      const destroyed = new Set(
        lines.filter(line => line.startsWith('destroying')).map(line => line.split(' ')[1]),
      )
      const engine = test.open()
      const listed = await engine.list()
      const ids = new Set(listed.map(({ id }) => id))
      for (const id of created) {
        if (destroyed.has(id)) continue
        assert.ok(ids.has(id), `round ${round}: ${id} was answered for and is lost`)
      }
      for (const { handle } of listed) {
        const { status } = await engine.inspect(handle)
        if (status === 'running') (await engine.open(handle)).close()
        await engine.destroy(handle)
      }
      let left: string[] = []
      // Whoever looks at a loop device at this moment, as other tests do, delays that the kernel frees it.
      await waitFor(async () => {
        left = await leftovers(engine.settings)
        return left.length === 0
      }).catch(() => assert.fail(`round ${round}, killed after ${afterMs} ms: ${left}`))
      await engine.close()
    }
    t.diagnostic(`${rounds} services killed`)
  })
})

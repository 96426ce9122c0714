import { after, before, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Machine } from '../../contract/machine.ts'
import { waitFor } from '../../testing/wait-for.ts'
import type { LocalEngine } from './local-engine.ts'
import { type TestEngine, testEngine, testSpec } from './test-engine.ts'

let fixture: TestEngine
let engine: LocalEngine
before(async () => {
  fixture = await testEngine()
  engine = fixture.open()
})
after(async () => {
  await engine?.close()
  await fixture?.dispose()
})

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

/** Looks at a machine, so that its frame is in memory, and then closes it. */
async function usedAndClosed(how: (machine: Machine) => Promise<void>): Promise<WeakRef<Machine>> {
  const machine = await engine.open(await engine.create(testSpec()))
  await machine.screen.look()
  await how(machine)
  return new WeakRef(machine)
}

test('a machine that was closed or destroyed can be garbage collected', async () => {
  const closed = await usedAndClosed(async machine => machine.close())
  const destroyed = await usedAndClosed(async machine => {
    machine.close()
    await engine.destroy(machine.handle)
  })
  await waitFor(() => {
    collectGarbage()
    return closed.deref() === undefined && destroyed.deref() === undefined
  })
})

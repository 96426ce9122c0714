import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { MachineHandle } from '../../../contract/handle.ts'
import { buildImage } from '../../../images/build-image.ts'
import type { LocalEngine } from '../local-engine.ts'
import { type TestEngine, testEngine, testSpec } from '../test-engine.ts'

let tested: TestEngine
let engine: LocalEngine

before(async () => {
  tested = await testEngine()
  engine = tested.open()
  await buildImage('desktop', { imagesDir: engine.settings.imagesDir })
})
after(() => tested?.dispose())

/** The share of the screen that is not black. */
async function painted(handle: MachineHandle): Promise<number> {
  const machine = await engine.open(handle)
  try {
    const { pixels } = (await machine.screen.look()).frame
    let count = 0
    for (let at = 0; at < pixels.length; at += 4) if (pixels[at] || pixels[at + 1] || pixels[at + 2]) count++
    return (4 * count) / pixels.length
  } finally {
    machine.close()
  }
}

test('a desktop is painted when it has been created, and when it has been restarted', async () => {
  const handle = await engine.create(testSpec({ image: 'desktop', memoryMiB: 1024 }))
  assert.ok((await painted(handle)) > 0.99)
  for (let restarts = 0; restarts < 2; restarts++) {
    await engine.restart(handle)
    assert.ok((await painted(handle)) > 0.99)
  }
})

test('a desktop that is never painted can be used', async () => {
  const handle = await engine.create(testSpec({ image: 'desktop', memoryMiB: 1024 }))
  const machine = await engine.open(handle)
  const script = 'printf "#!/bin/sh\\nexec openbox\\n" | sudo tee /etc/sandglass/session'
  const { exited } = await machine.exec({ executable: 'sh', args: ['-c', script] })
  await exited
  machine.close()
  await engine.restart(handle)
  assert.ok((await painted(handle)) < 0.01)
})

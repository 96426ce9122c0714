import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Engine } from '@sandglass/machines/contract'
import { ApiError } from '@sandglass/protocol'
import { Catalogue } from '../../packages/server/src/modules/shapes/catalogue.ts'
import { Admission } from '../../packages/server/src/placement/admission.ts'
import { paperEngines } from '../support/paper-engine.ts'

const shape = (await Catalogue.load(undefined)).find('linux-desktop') ?? assert.fail()

function admissionOf(places: number, obstacle?: string): { admission: Admission; engine: Engine } {
  const engines = paperEngines({ places })
  const engine = engines.get('local') ?? assert.fail()
  return {
    admission: new Admission({ nodeId: 'here', engines, engineOf: () => engine }, { obstacle }),
    engine,
  }
}

const isFull = (error: unknown) => error instanceof ApiError && error.code === 'machine.NO_CAPACITY'

test('concurrent creates are admitted only up to the capacity, and a released reservation is free again', async () => {
  const { admission } = admissionOf(2)
  const asked = await Promise.allSettled([1, 2, 3].map(() => admission.reserve(shape)))
  const reserved = asked.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))
  assert.equal(reserved.length, 2)
  await assert.rejects(admission.reserve(shape), isFull)
  for (const reservation of reserved) {
    reservation[Symbol.dispose]()
    reservation[Symbol.dispose]()
  }
  await admission.reserve(shape)
  await admission.reserve(shape)
  await assert.rejects(admission.reserve(shape), isFull)
})

test('an outdated answer of the engine does not admit a second create for the last free machine', async () => {
  const { admission, engine } = admissionOf(1)
  const first = await admission.reserve(shape)
  const second = admission.reserve(shape)
  await engine.create({ id: 'first', image: 'paper', cpus: 1, memoryMiB: 64, diskMiB: 64, pids: 32 })
  first[Symbol.dispose]()
  await assert.rejects(second, isFull)
})

test('a draining node admits nothing, regardless of its capacity', async () => {
  const { admission } = admissionOf(10, 'This node is being drained.')
  await assert.rejects(admission.reserve(shape), /being drained/)
})

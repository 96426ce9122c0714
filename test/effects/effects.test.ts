import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { buildImage } from '@sandglass/machines/images'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { makeSandbox } from '../../packages/server/src/testing/make-sandbox.ts'
import { startMachineService, testImages } from '../../packages/server/src/testing/test-machines.ts'
import { desktopKinds } from './desktop-kinds.ts'
import { EffectSandbox } from './effect-sandbox.ts'
import type { EffectKind } from './kind.ts'
import { phoneKinds } from './phone-kinds.ts'
import { effectShapes } from './shapes.ts'
import { type Trial, tryOnce } from './trial.ts'

/** On a box that is busy with other tests, programs may react later than can be known from outside. */
const attempts = 4

const folder = await mkdtemp(join(tmpdir(), 'sandglass-effects-'))
cleanup.defer(() => rm(folder, { recursive: true, force: true }))
const shapes = join(folder, 'shapes.json')
await writeFile(shapes, JSON.stringify({ shapes: effectShapes }))
for (const { image } of effectShapes) await buildImage(image, { imagesDir: testImages })
const { service } = await startMachineService({ env: { SANDGLASS_SHAPES: shapes } })

async function sandboxOf(shapeName: string): Promise<EffectSandbox> {
  return new EffectSandbox(service.client, await makeSandbox(service, { shapeName }))
}

/** A screenshot that was taken because the time was over says so. */
const isHonest = ({ isShown, settled }: Trial) => isShown || settled === 'timeout'

async function show(kind: EffectKind, sandbox: EffectSandbox): Promise<void> {
  const trials: Trial[] = []
  while (trials.length < attempts && !trials.some(isHonest)) trials.push(await tryOnce(kind, sandbox))
  assert.ok(trials.some(isHonest), JSON.stringify(trials))
}

for (const [shape, kinds] of [
  ['desktop', desktopKinds],
  ['phone', phoneKinds],
] as const) {
  let sandbox: EffectSandbox
  before(async () => {
    sandbox = await sandboxOf(shape)
  })
  for (const kind of kinds)
    test(`the screenshot after ${kind.name} shows the effect`, () => show(kind, sandbox))
}

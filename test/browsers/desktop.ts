import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Sandbox } from '@sandglass/client'
import { buildImage } from '@sandglass/machines/images'
import { patienceMs, waitFor } from '@sandglass/machines/testing'
import { decode } from 'fast-png'
import { makeSandbox } from '../../packages/server/src/testing/make-sandbox.ts'
import { startMachineService, testImages } from '../../packages/server/src/testing/test-machines.ts'
import type { TestService } from '../../packages/server/src/testing/test-service.ts'
import { temporaryFolder } from '../support/service-process.ts'

const shape = {
  name: 'desktop',
  image: 'desktop',
  description: 'For browsers.',
  os: 'Linux',
  virtualization: 'Container',
  engine: 'local',
  cpus: 2,
  memoryMiB: 2048,
  diskMiB: 2048,
  pids: 2048,
}

/** A desktop with a real browser, and pages on its loopback. */
export interface Desktop {
  readonly service: TestService
  readonly id: string
  readonly box: Sandbox
}

export async function startDesktop(): Promise<Desktop> {
  await buildImage('desktop', { imagesDir: testImages })
  const shapes = join(await temporaryFolder(), 'shapes.json')
  await writeFile(shapes, JSON.stringify({ shapes: [shape] }))
  const { service } = await startMachineService({ env: { SANDGLASS_SHAPES: shapes } })
  const id = await makeSandbox(service, { shapeName: 'desktop', maxLifeSeconds: 7200 })
  const box = Sandbox.connect(id, { client: service.client })
  await box.files.write('page.py', await readFile(new URL('page.py', import.meta.url), 'utf8'))
  await box.run('setsid python3 page.py >/dev/null 2>&1 &', { check: true })
  await waitFor(async () => (await box.run('curl -sf http://127.0.0.1:8000/calls')).exitCode === 0)
  return { service, id, box }
}

/** The share of the screen that has a colour, as a person sees it. */
export async function shareOf(box: Sandbox, colour: readonly [number, number, number]): Promise<number> {
  const shot = await box.screenshot({ format: 'png', timeoutMs: patienceMs })
  const { data, width, height, channels } = decode(shot.bytes)
  let count = 0
  for (let at = 0; at < data.length; at += channels)
    if (colour.every((value, channel) => data[at + channel] === value)) count++
  assert.ok(width * height > 0)
  return count / (width * height)
}

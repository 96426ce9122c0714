import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Sandbox as Desktop } from '@e2b/desktop'
import { Sandbox } from '@sandglass/client'
import { buildImage } from '@sandglass/machines/images'
import { patienceMs } from '@sandglass/machines/testing'
import { type DecodedPng, decode } from 'fast-png'
import { e2bOptions } from '../../../packages/server/src/testing/e2b-options.ts'
import { startMachineService, testImages } from '../../../packages/server/src/testing/test-machines.ts'
import type { TestService } from '../../../packages/server/src/testing/test-service.ts'
import { temporaryFolder } from '../../support/service-process.ts'

const shape = {
  name: 'linux',
  image: 'desktop',
  description: 'For a client of E2B.',
  os: 'Linux',
  virtualization: 'Container',
  engine: 'local',
  cpus: 2,
  memoryMiB: 2048,
  diskMiB: 2048,
  pids: 2048,
}

/** A desktop of E2B's client, and the same sandbox as our own client sees it. */
export interface Both {
  readonly service: TestService
  readonly desktop: Desktop
  readonly box: Sandbox
  /** Creates one more desktop. */
  readonly another: () => Promise<Desktop>
}

/** What a program may ask of its screen. */
interface Choices {
  readonly resolution?: [number, number]
  readonly display?: string
}

/** Starts a service with a desktop, which E2B's client creates from its default template. */
export async function startDesktop(choices: Choices = {}): Promise<Both> {
  await buildImage('desktop', { imagesDir: testImages })
  const shapes = join(await temporaryFolder(), 'shapes.json')
  await writeFile(shapes, JSON.stringify({ shapes: [shape] }))
  const { service } = await startMachineService({ env: { SANDGLASS_SHAPES: shapes } })
  const another = () =>
    Desktop.create('desktop', { ...e2bOptions(service), ...choices, timeoutMs: 7_200_000 })
  const desktop = await another()
  return { service, desktop, box: Sandbox.connect(desktop.sandboxId, { client: service.client }), another }
}

/** What our own API shows of the screen. */
export async function screenOf(box: Sandbox): Promise<DecodedPng> {
  return decode((await box.screenshot({ format: 'png', timeoutMs: patienceMs })).bytes)
}

/** The share of the pixels that differ between two pictures of the same size. */
export function differenceOf(one: DecodedPng, other: DecodedPng): number {
  let count = 0
  for (let at = 0; at < one.width * one.height; at++) {
    const of = ({ data, channels }: DecodedPng) => [0, 1, 2].map(part => data[at * channels + part])
    if (of(one).some((value, part) => value !== of(other)[part])) count++
  }
  return count / (one.width * one.height)
}

import assert from 'node:assert/strict'
import { waitFor } from '@sandglass/machines/testing'
import { enter } from '../../packages/server/src/testing/live-viewer.ts'
import type { MachineInstallation } from '../support/machine-installation.ts'
import { call } from '../support/service-process.ts'

/**
 * The whole life of a sandbox: it is created, viewed, watched, used and deleted. What is still open at the end
 * varies, since each resource is released in its own way.
 */
export async function liveOnce(
  installation: MachineInstallation,
  number: number,
  screenshots: number,
): Promise<void> {
  const { credentials } = installation
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await call(credentials, method, path, body)
    assert.equal(answer.status, 200, `${method} ${path} answered ${JSON.stringify(answer)}`)
    return answer.body
  }
  const id = await create(installation)
  const sandbox = `~/sandboxes/${id}`
  await waitFor(async () => (await ask('GET', `${sandbox}/status`)).status === 'RUNNING')

  // The pointer position differs, so that no screenshot equals the previous one.
  for (let taken = 1; taken < screenshots; taken++)
    await ask('POST', `${sandbox}/actions/execute`, { action: moveTo(taken) })
  const { screenShot } = await ask('POST', `${sandbox}/preview`, {})
  const picture = await fetch(screenShot)
  assert.equal(picture.status, 200)
  await picture.arrayBuffer()

  const viewer = await enter((await ask('GET', sandbox)).connectDetails)
  await viewer.until(() => viewer.canvas)
  const { sessionId } = await ask('POST', `${sandbox}/shell`, { command: 'echo hello; cat' })
  let printed = ''
  await waitFor(async () => {
    const { output } = await ask('POST', `${sandbox}/shell/${sessionId}/read`)
    for (const part of output) printed += part.stdout ?? ''
    return printed === 'hello\n'
  })
  if (number % 3 === 0) await ask('DELETE', `${sandbox}/shell/${sessionId}`)
  if (number % 2 === 0) viewer.close()
  await ask('DELETE', sandbox)
  await viewer.until(() => viewer.isClosed)
}

/** A host that is busy with other tests may have no capacity for another machine at the moment. */
async function create({ credentials }: MachineInstallation): Promise<string> {
  let answer = await call(credentials, 'POST', '~/sandboxes', { shapeName: 'small' })
  await waitFor(async () => {
    if (answer.status === 503) answer = await call(credentials, 'POST', '~/sandboxes', { shapeName: 'small' })
    return answer.status !== 503
  })
  assert.equal(answer.status, 200, JSON.stringify(answer))
  return answer.body.id
}

function moveTo(place: number) {
  const px = { type: 'px', value: 10 * place }
  return { type: 'mouse:move', x: px, y: px }
}

export interface Lives {
  readonly lives: number
  readonly atOnce: number
  readonly screenshots: number
  readonly signal: AbortSignal
}

/** Runs this many lives, a few concurrently, each with this many screenshots. */
export async function liveManyTimes(
  installation: MachineInstallation,
  { lives, atOnce, screenshots, signal }: Lives,
): Promise<void> {
  let begun = 0
  const live = async () => {
    while (begun < lives) {
      signal.throwIfAborted()
      await liveOnce(installation, begun++, screenshots)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, live))
}

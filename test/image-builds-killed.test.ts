import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { waitFor } from '@sandglass/machines/testing'
import type { Image } from '@sandglass/protocol'
import { seeded } from '@sandglass/wire/testing'
import { machineData } from './support/machine-process.ts'
import { type Credentials, call, ServiceProcess } from './support/service-process.ts'

const kills = Number(process.env['CHAOS_KILLS'] ?? 3)
const seed = Number(process.env['CHAOS_SEED'] ?? 1804)

/** Begins a build whose steps differ from those of all others, and reads its log until the service is gone. */
async function build({ url, orgId, apiKey }: Credentials, name: string): Promise<void> {
  try {
    const response = await fetch(`${url}/api/orgs/${orgId}/machine-images/build`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({
        from: { shapeName: 'small' },
        steps: Array.from({ length: 20 }, (_, at) => ({
          run: `echo ${name} ${at} > /etc/step-${at}; sleep 0.2`,
        })),
        name,
      }),
    })
    await response.text()
  } catch {
    // The service was killed.
  }
}

test(`kill -9 at ${kills} moments of a build leaves no machine and no image that is CREATING`, {
  timeout: 120_000 * kills + 300_000,
}, async context => {
  context.diagnostic(`seed ${seed}`)
  const { data, env, engine } = await machineData()
  const random = seeded(seed)
  let service = await ServiceProcess.start(data, env)
  let credentials = await service.credentials()
  for (let round = 0; round < kills; round++) {
    context.signal.throwIfAborted()
    const building = build(credentials, `round-${round}`)
    await waitFor(async () => (await engine.list()).length > 0)
    await delay(random() * 4000)
    await service.kill()
    await building
    service = await ServiceProcess.start(data, env)
    credentials = await service.credentials()
  }
  await waitFor(async () => (await engine.list()).length === 0)
  const { body } = await call(credentials, 'GET', '~/machine-images')
  for (const { status, reason } of body.images as Image[])
    assert.deepEqual([status, reason], ['ERROR', 'The service ended while the image was being made.'])
  assert.equal(body.images.length, kills)
  // What the interrupted builds have done is used by the next one, and goes with the organization's other steps.
  const saved = (await engine.snapshots.list()).length
  context.diagnostic(`${saved} steps are kept`)
  await build(credentials, 'round-0')
  const { body: after } = await call(credentials, 'GET', '~/machine-images')
  assert.equal((after.images as Image[]).filter(({ status }) => status === 'READY').length, 1)
  await waitFor(async () => (await engine.list()).length === 0)
})

import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import pino from 'pino'
import type { Engines } from '../packages/server/src/machines/engines.ts'
import { startService } from '../packages/server/src/service.ts'
import { readSettings } from '../packages/server/src/settings.ts'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { enginesOf } from '../packages/server/src/testing/engines-of.ts'
import { paperEngines } from './support/paper-engine.ts'

/** Engines that list their machines only when allowed to. */
function slowEngines(listed: Promise<void>): Engines {
  const engine = paperEngines().get('local') ?? assert.fail()
  return enginesOf({ ...engine, list: () => listed.then(() => engine.list()) })
}

async function readiness(url: string) {
  const answer = await fetch(`${url}/readyz`)
  return { status: answer.status, body: JSON.parse(await answer.text()) }
}

test('a service that has not adopted its machines yet responds and is not ready', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-ready-'))
  cleanup.defer(() => rm(folder, { recursive: true, force: true }))
  const settings = readSettings({
    SANDGLASS_DATA: folder,
    SANDGLASS_PORT: '0',
    SANDGLASS_LIVE_UDP_PORT: 'none',
  })
  const { promise: listed, resolve: list } = Promise.withResolvers<void>()
  const starting = startService(settings, pino({ level: 'silent' }), {
    openEngines: async () => slowEngines(listed),
  })
  cleanup.defer(async () => {
    list()
    await (await starting).close()
  })
  let url = ''
  await waitFor(async () => {
    const credentials = await readFile(join(folder, 'credentials.json'), 'utf8').catch(() => '{}')
    url = JSON.parse(credentials || '{}').url ?? ''
    return url !== ''
  })
  const { status, body } = await readiness(url)
  assert.deepEqual([status, body.code], [503, 'service.UNAVAILABLE'])
  assert.deepEqual(
    body.failed.map(({ check }: { check: string }) => check),
    ['machines'],
  )
  assert.match(body.message, /adopting its machines/)
  assert.equal((await fetch(`${url}/healthz`)).status, 200)

  list()
  await starting
  assert.deepEqual(await readiness(url), { status: 200, body: { status: 'ready' } })
})

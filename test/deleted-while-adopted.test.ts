import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Sandglass } from '@sandglass/client'
import { type Engine, MachineError } from '@sandglass/machines/contract'
import { waitFor } from '@sandglass/machines/testing'
import pino from 'pino'
import { startService } from '../packages/server/src/service.ts'
import { readSettings } from '../packages/server/src/settings.ts'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { enginesOf } from '../packages/server/src/testing/engines-of.ts'
import { testShapes } from '../packages/server/src/testing/test-machines.ts'
import { paperEngines } from './support/paper-engine.ts'

test('a sandbox that is deleted while its machine is being adopted is gone, and nothing of it is logged as an error', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-adopted-'))
  cleanup.defer(() => rm(folder, { recursive: true, force: true }))
  const settings = readSettings({
    SANDGLASS_DATA: folder,
    SANDGLASS_PORT: '0',
    SANDGLASS_LIVE_UDP_PORT: 'none',
    SANDGLASS_SHAPES: await testShapes(folder, 0),
  })
  const logged: { readonly level: number; readonly msg: string }[] = []
  const log = pino({}, { write: line => logged.push(JSON.parse(line)) })
  const engine = paperEngines().get('local') ?? assert.fail()
  const start = async (with_: Engine) => {
    const service = await startService(settings, log, { openEngines: async () => enginesOf(with_) })
    return { service, client: new Sandglass({ ...service.credentials, url: service.url }) }
  }

  const first = await start(engine)
  const body = { shapeName: 'small', wait: 30 }
  const { id: sandboxId, status } = await first.client.createSandbox({ body })
  assert.equal(status, 'RUNNING')
  await first.service.close()

  const asked = Promise.withResolvers<void>()
  const deleted = Promise.withResolvers<void>()
  const slow: Engine = {
    ...engine,
    inspect: async () => {
      asked.resolve()
      await deleted.promise
      throw new MachineError('NOT_FOUND', 'there is no such machine')
    },
  }
  const second = await start(slow)
  cleanup.defer(() => second.service.close())
  await asked.promise
  await second.client.deleteSandbox({ sandboxId })
  deleted.resolve()
  await waitFor(async () => (await fetch(`${second.service.url}/readyz`)).ok)
  assert.deepEqual(await Array.fromAsync(second.client.all('listSandboxes')), [])
  assert.deepEqual(
    logged.filter(({ level }) => level >= 50).map(({ msg }) => msg),
    [],
  )
})

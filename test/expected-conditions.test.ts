import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import pino from 'pino'
import { startService } from '../packages/server/src/service.ts'
import { readSettings } from '../packages/server/src/settings.ts'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { enginesOf } from '../packages/server/src/testing/engines-of.ts'
import { paperEngines } from './support/paper-engine.ts'

const reason = 'The image desktop is still being built: unpacking packages.'

test('a create whose image is still being built is refused with the reason, and neither it nor /readyz is logged as an error', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-building-'))
  cleanup.defer(() => rm(folder, { recursive: true, force: true }))
  const settings = readSettings({
    SANDGLASS_DATA: folder,
    SANDGLASS_PORT: '0',
    SANDGLASS_LIVE_UDP_PORT: 'none',
    // It is not ready either.
    SANDGLASS_DISK_RESERVE: '1000000000',
  })
  const logged: { readonly level: number; readonly msg: string; readonly reason?: string }[] = []
  const log = pino({}, { write: line => logged.push(JSON.parse(line)) })
  const engine = paperEngines().get('local') ?? assert.fail()
  const service = await startService(settings, log, {
    openEngines: async () =>
      enginesOf({
        ...engine,
        health: async () => ({ ready: true, unavailable: { desktop: reason }, preparing: ['desktop'] }),
      }),
  })
  cleanup.defer(() => service.close())
  const { url, credentials } = service
  const headers = { 'x-api-key': credentials.apiKey, 'content-type': 'application/json' }
  const created = await fetch(`${url}/api/orgs/${credentials.orgId}/sandboxes`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ shapeName: 'linux-desktop' }),
  })
  const text = await created.text()
  assert.equal(created.status, 503, text)
  const { code, message, preparing } = JSON.parse(text)
  assert.equal(code, 'machine.NOT_READY')
  assert.ok(message.includes(reason), message)
  assert.equal(preparing, reason)
  assert.ok(Number(created.headers.get('retry-after')) > 0)
  assert.equal((await fetch(`${url}/readyz`)).status, 503)

  const line = logged.find(({ msg }) => msg === 'machine.NOT_READY')
  assert.ok(line?.reason?.includes(reason), JSON.stringify(line))
  const errors = logged.filter(({ level }) => level >= 50).map(({ msg }) => msg)
  // Only that the disk is below its reserve, when it was noticed.
  assert.equal(errors.length, 1, errors.join('\n'))
  assert.match(errors[0] ?? '', /SANDGLASS_DISK_RESERVE/)
})

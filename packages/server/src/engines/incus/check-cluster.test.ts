import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readTable } from '../../setting-table.ts'
import { cleanup } from '../../testing/cleanup.ts'
import { checkCluster } from './check-cluster.ts'
import { clientAddress } from './client-address.ts'
import { incusSettings } from './settings.ts'

const folder = await mkdtemp(join(tmpdir(), 'sandglass-incus-'))
cleanup.defer(() => rm(folder, { recursive: true, force: true }))
const valuesOf = (env: Record<string, string>) => readTable(incusSettings, env)
const overTls = { SANDGLASS_INCUS: 'https://127.0.0.1:1' }

test('without a cluster there is nothing to check', async () => {
  assert.deepEqual(await checkCluster(valuesOf({}), folder), [])
})

test('a missing certificate is named with the way to get it', async () => {
  const [check] = await checkCluster(valuesOf(overTls), folder)
  assert.equal(check?.result, 'fail')
  assert.match(check?.what ?? '', /client\.crt is missing, .* Copy the folder incus/)
})

test('files of settings come before those of the data directory', async () => {
  await mkdir(join(folder, 'incus'))
  for (const name of ['client.crt', 'client.key', 'server.crt'])
    await writeFile(join(folder, 'incus', name), name)
  const other = join(folder, 'other.key')
  await writeFile(other, 'other')
  assert.deepEqual(await clientAddress(valuesOf({ ...overTls, SANDGLASS_INCUS_KEY: other }), folder), {
    urls: ['https://127.0.0.1:1'],
    certificate: 'client.crt',
    key: 'other',
    serverCertificate: 'server.crt',
  })
})

test('a cluster that does not answer is one failed check', async () => {
  const checks = await checkCluster(valuesOf({ SANDGLASS_INCUS: join(folder, 'no.socket') }), folder)
  assert.deepEqual(
    checks.map(({ name, result }) => [name, result]),
    [['cluster', 'fail']],
  )
  assert.match(checks[0]?.fix ?? '', /check SANDGLASS_INCUS/)
})

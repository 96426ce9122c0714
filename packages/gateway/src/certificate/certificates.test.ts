import assert from 'node:assert/strict'
import { createHash, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Certificates } from './certificates.ts'
import { graceMs, leadMs, renewedAtAgeMs } from './timeline.ts'

/** A folder, and a clock that the test advances. */
async function start(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-certificates-'))
  t.after(() => rm(folder, { recursive: true }))
  let nowMs = Date.now()
  const open = async () => {
    const certificates = await Certificates.open({ folder, now: () => nowMs, onError: assert.ifError })
    t.after(() => certificates.close())
    return certificates
  }
  const pass = (certificates: Certificates, ms: number) => {
    nowMs += ms
    return certificates.refresh()
  }
  return { folder, open, pass }
}

const generations = ({ served }: Certificates) => served.map(({ generation }) => generation)

test('a certificate meets the requirements of browsers that accept it by its hash', async t => {
  const { current } = await (await start(t)).open()
  const parsed = new X509Certificate(current.cert)
  assert.equal(current.hashBase64, createHash('sha256').update(parsed.raw).digest('base64'))
  assert.equal(parsed.publicKey.asymmetricKeyType, 'ec')
  assert.equal(parsed.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1')
  assert.ok(parsed.validToDate.getTime() - parsed.validFromDate.getTime() < 14 * 86_400_000)
  assert.ok(parsed.validFromDate.getTime() < Date.now())
  assert.ok(parsed.verify(parsed.publicKey))
})

test('the hash survives a restart, in files that only the service can read', async t => {
  const { folder, open } = await start(t)
  const { hashBase64 } = (await open()).current
  assert.equal((await open()).current.hashBase64, hashBase64)
  assert.equal((await stat(folder)).mode & 0o777, 0o700)
  for (const name of await readdir(folder)) assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600)
})

test('successive certificates overlap, also across restarts', async t => {
  const { folder, open, pass } = await start(t)
  const certificates = await open()
  let changes = 0
  certificates.on('changed', () => changes++)
  const former = certificates.current
  await pass(certificates, renewedAtAgeMs)
  assert.deepEqual(generations(certificates), [0, 1])
  assert.equal(certificates.current, former)
  await pass(certificates, leadMs)
  assert.deepEqual(generations(certificates), [0, 1])
  assert.equal(certificates.current.generation, 1)
  assert.notEqual(certificates.current.hashBase64, former.hashBase64)
  assert.deepEqual(generations(await open()), [0, 1])
  await pass(certificates, graceMs)
  assert.deepEqual(generations(certificates), [1])
  assert.deepEqual(await readdir(folder), ['1.pem'])
  assert.equal(changes, 3)
})

test('a timer performs the rotation', async t => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.now() })
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-certificates-'))
  t.after(() => rm(folder, { recursive: true }))
  const certificates = await Certificates.open({ folder })
  t.after(() => certificates.close())
  for (const step of [renewedAtAgeMs, leadMs, graceMs]) {
    const changed = once(certificates, 'changed')
    t.mock.timers.tick(step + 1_000)
    await changed
  }
  assert.deepEqual(generations(certificates), [1])
})

test('a service that was stopped for weeks starts with a new certificate', async t => {
  const { open, pass } = await start(t)
  const certificates = await open()
  await pass(certificates, 3 * renewedAtAgeMs)
  assert.deepEqual(generations(certificates), [1])
  assert.equal(certificates.current.generation, 1)
})

test('a file that is not a certificate is replaced', async t => {
  const { folder, open } = await start(t)
  const { hashBase64 } = (await open()).current
  await writeFile(join(folder, '0.pem'), 'not a certificate')
  assert.notEqual((await open()).current.hashBase64, hashBase64)
})

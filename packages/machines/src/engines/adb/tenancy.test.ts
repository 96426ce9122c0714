import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fails } from '../../contract/conformance/running.ts'
import { phoneEngine, phoneSpec } from './test-phone-engine.ts'

/** A reset command that records the device for which it was called. */
const noting = (file: string) => ['sh', '-c', `echo "$SANDGLASS_POOL $SANDGLASS_DEVICE" >> ${file}`]

test('a device has one tenant, even with concurrent requests and after a restart of the service', async t => {
  const { engine, open } = await phoneEngine(t, ['healthy', 'healthy'])
  const other = await open()
  const made = await Promise.allSettled(
    [engine, other, engine, other, engine].map(one => one.create(phoneSpec())),
  )
  assert.equal(made.filter(({ status }) => status === 'fulfilled').length, 2)
  for (const one of made) if (one.status === 'rejected') assert.ok(fails('NO_CAPACITY')(one.reason))
  const later = await open()
  assert.equal((await later.capacity(0)).fits, 0)
  assert.equal((await later.list()).length, 2)
  await assert.rejects(later.create(phoneSpec()), /2 of 2 are in use/)
  for (const { handle } of await later.list()) await later.destroy(handle)
  assert.equal((await engine.capacity(0)).fits, 2)
})

test('a device is reset when it is released, before anybody else can claim it', async t => {
  const { engine, dataDir, fakes } = await phoneEngine(t, ['healthy'], {
    reset: { command: noting(join('$DATA', 'resets')) },
  })
  process.env['DATA'] = dataDir
  t.after(() => {
    delete process.env['DATA']
  })
  const handle = await engine.create(phoneSpec())
  const machine = await engine.open(handle)
  await engine.destroy(handle)
  assert.equal(await readFile(join(dataDir, 'resets'), 'utf8'), `fakes ${fakes[0]?.address}\n`)
  assert.match((await machine.died).reason, /given back/)
  await assert.rejects(machine.exec({ executable: 'true' }), fails('STATE'))
  await engine.destroy(handle)
  assert.equal((await readFile(join(dataDir, 'resets'), 'utf8')).split('\n').length, 2)
})

test('a device whose reset fails or times out stays in quarantine, even after a restart of the service', async t => {
  const failing = ['sh', '-c', 'echo no image >&2; exit 3']
  for (const [reset, reason] of [
    [{ command: failing }, /The reset of .* failed: sh ended with 3: no image/],
    [
      { command: ['sleep', '1000'], timeoutSeconds: 0.2 },
      /The reset of .* failed: it took longer than 0\.2 s/,
    ],
    [{ command: ['/no/such/script'] }, /The reset of .* failed: .*ENOENT/],
  ] as const) {
    const { engine, open } = await phoneEngine(t, ['healthy'], { reset })
    await engine.destroy(await engine.create(phoneSpec()))
    assert.equal((await engine.capacity(0)).fits, 0)
    await assert.rejects((await open()).create(phoneSpec()), reason)
  }
})

test('a device leaves quarantine once it is healthy and its reset succeeds', async t => {
  const { engine, fakes, open } = await phoneEngine(t, ['unbooted'], { recheckMs: 20 })
  await assert.rejects(engine.create(phoneSpec()), fails('NO_CAPACITY'))
  for (const fake of fakes) fake.behaviour = 'healthy'
  while ((await engine.capacity(0)).fits === 0) await new Promise(setImmediate)
  assert.deepEqual(await engine.health(), { ready: true, unavailable: {} })
  await engine.destroy(await engine.create(phoneSpec()))
  assert.equal((await (await open()).capacity(0)).fits, 1)
})

test('a device that an earlier service left in quarantine is checked again', async t => {
  const { engine, fakes, open } = await phoneEngine(t, ['closed'], { recheckMs: 20 })
  await assert.rejects(engine.create(phoneSpec()), fails('NO_CAPACITY'))
  await engine.close()
  const later = await open()
  for (const fake of fakes) fake.behaviour = 'healthy'
  while ((await later.capacity(0)).fits === 0) await new Promise(setImmediate)
})

test('an invalid request is refused with the reason', async t => {
  const { engine } = await phoneEngine(t, ['healthy'])
  await assert.rejects(
    engine.create({ ...phoneSpec(), image: 'others' }),
    /no pool of phones others; there are fakes/,
  )
  await assert.rejects(engine.create({ ...phoneSpec(), id: '../x' }), fails('INVALID'))
  await assert.rejects(engine.create({ ...phoneSpec(), egress: 'none' }), fails('INVALID'))
  await assert.rejects(engine.inspect({ engine: 'local', version: 1, state: { id: 'a' } }), fails('INVALID'))
  const handle = await engine.create(phoneSpec())
  await assert.rejects(engine.pause(), fails('STATE'))
  const machine = await engine.open(handle)
  await assert.rejects(machine.exec({ executable: 'a\0b' }), fails('INVALID'))
  await assert.rejects(machine.exec({ executable: 'id', user: 'root' }), fails('INVALID'))
  await assert.rejects(machine.exec({ executable: 'id', env: { 'a-b': '' } }), fails('INVALID'))
  await assert.rejects(machine.exec({ executable: 'id', args: ['x'.repeat(200_000)] }), fails('INVALID'))
})

test('the key is created once, readable by its owner only, next to its public key', async t => {
  const { dataDir, open } = await phoneEngine(t, ['healthy'])
  const key = await readFile(join(dataDir, 'adbkey'), 'utf8')
  assert.equal((await stat(join(dataDir, 'adbkey'))).mode & 0o777, 0o600)
  assert.match(await readFile(join(dataDir, 'adbkey.pub'), 'utf8'), /^[A-Za-z0-9+/=]{700} sandglass@\S+\n$/)
  await open()
  assert.equal(await readFile(join(dataDir, 'adbkey'), 'utf8'), key)
})

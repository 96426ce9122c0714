import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fails } from '../../contract/conformance/running.ts'
import type { Manner } from './test-fake-adbd.ts'
import { phoneEngine, phoneSpec } from './test-phone-engine.ts'

const problems: readonly (readonly [Manner, RegExp])[] = [
  ['silent', /did not answer within 5 s/],
  ['garbage', /something that is no ADB/],
  ['lying', /a packet of 2147483647 bytes, more than it may/],
  ['cutOff', /Connection closed unexpectedly/],
  ['unauthorised', /does not know the key of this service\. Allow it on the device/],
  ['unbooted', /has not booted: its sys\.boot_completed is "0", and not 1/],
  ['flooding', /printed more than 4096 bytes|sent more than it was told that it may/],
  ['closed', /Socket open failed/],
]

for (const [manner, reason] of problems)
  test(`a device that is ${manner} is not given out, and its quarantine says why`, async t => {
    const { engine, fakes, open } = await phoneEngine(t, [manner])
    const [fake] = fakes
    await assert.rejects(engine.create(phoneSpec()), error => {
      assert.ok(fails('NO_CAPACITY')(error) && error instanceof Error)
      assert.match(error.message, reason)
      assert.ok(error.message.includes(fake?.address ?? ''))
      return true
    })
    assert.equal((await engine.capacity(0)).fits, 0)
    assert.deepEqual(await engine.list(), [])
    assert.match((await (await open()).capacity(0, 'fakes')).reason ?? '', reason)
    while ((fake?.connections ?? 0) > 0) await new Promise(setImmediate)
    // What it could not get rid of was never taken.
    assert.ok((fake?.sentBytes ?? 0) < 32 * 1024 * 1024)
  })

test('a device that is well is found among those that are not', async t => {
  const { engine, fakes } = await phoneEngine(t, ['garbage', 'cutOff', 'well'])
  const handle = await engine.create(phoneSpec())
  const machine = await engine.open(handle)
  assert.deepEqual(machine.screenSize, { width: 1080, height: 1920 })
  assert.deepEqual(
    fakes.map(({ connections }) => connections > 0),
    [false, false, true],
  )
  assert.equal((await engine.capacity(0)).fits, 0)
})

test('programs, files and ports of a device that got stuck, or floods, fail and hang nobody', async t => {
  const { engine, fakes } = await phoneEngine(t, ['well'])
  const machine = await engine.open(await engine.create(phoneSpec()))
  for (const manner of ['closed', 'flooding', 'stuck'] as const) {
    for (const fake of fakes) fake.manner = manner
    const attempts = [
      machine.exec({ executable: 'true' }),
      machine.files.open('/sdcard/a'),
      machine.files.write('/sdcard/a', Buffer.from('a')),
    ]
    await Promise.all(attempts.map(attempt => assert.rejects(attempt, fails('MACHINE_FAILED'))))
  }
  for (const fake of fakes) fake.manner = 'closed'
  await assert.rejects(machine.dial('tcp:127.0.0.1:80'), fails('REFUSED'))
})

test('a device that vanishes while it is claimed tells so, and is in quarantine after it is given back', async t => {
  const { engine, fakes } = await phoneEngine(t, ['well'])
  const [fake] = fakes
  const handle = await engine.create(phoneSpec())
  const machine = await engine.open(handle)
  await fake?.vanish()
  const { reason, orderly } = await machine.died
  assert.match(reason, new RegExp(`^The device ${fake?.address} is gone: .*ECONNREFUSED`))
  assert.equal(orderly, false)
  assert.equal((await engine.inspect(handle)).status, 'stopped')
  await assert.rejects(engine.open(handle), fails('STATE'))
  await engine.destroy(handle)
  assert.deepEqual(await engine.inspect(handle), { status: 'missing' })
  assert.match((await engine.capacity(0, 'fakes')).reason ?? '', /is in quarantine since .*ECONNREFUSED/)
})

test('a device whose connection is lost, and which is still there, goes on', async t => {
  const { engine, fakes } = await phoneEngine(t, ['well'])
  const machine = await engine.open(await engine.create(phoneSpec()))
  let hasDied = false
  void machine.died.then(() => {
    hasDied = true
  })
  await fakes[0]?.hangUp()
  while (fakes[0]?.connections === 0) await new Promise(setImmediate)
  assert.equal(hasDied, false)
})

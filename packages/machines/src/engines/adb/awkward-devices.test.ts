import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fails } from '../../contract/conformance/running.ts'
import type { Behaviour } from './test-fake-adbd.ts'
import { phoneEngine, phoneSpec } from './test-phone-engine.ts'

const problems: readonly (readonly [Behaviour, RegExp])[] = [
  ['silent', /did not answer within 5 s/],
  ['garbage', /something that is not ADB/],
  ['lying', /a packet of 2147483647 bytes, which is more than ADB allows/],
  ['cutOff', /Connection closed unexpectedly/],
  ['unauthorised', /does not know the key of this service\. Accept the prompt/],
  ['unbooted', /has not booted: its sys\.boot_completed is "0" instead of 1/],
  ['flooding', /printed more than 4096 bytes|exceeded the flow control window/],
  ['closed', /Socket open failed/],
]

for (const [behaviour, reason] of problems)
  test(`a device that is ${behaviour} is not assigned, and its quarantine states the reason`, async t => {
    const { engine, fakes, open } = await phoneEngine(t, [behaviour])
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
    // The device could not send more, because nothing was read after the window was full.
    assert.ok((fake?.sentBytes ?? 0) < 32 * 1024 * 1024)
  })

test('a healthy device is found among faulty ones', async t => {
  const { engine, fakes } = await phoneEngine(t, ['garbage', 'cutOff', 'healthy'])
  const handle = await engine.create(phoneSpec())
  const machine = await engine.open(handle)
  assert.deepEqual(machine.screenSize, { width: 1080, height: 1920 })
  assert.deepEqual(
    fakes.map(({ connections }) => connections > 0),
    [false, false, true],
  )
  assert.equal((await engine.capacity(0)).fits, 0)
})

test('programs, files and ports of a device that is stuck or floods fail instead of hanging', async t => {
  const { engine, fakes } = await phoneEngine(t, ['healthy'])
  const machine = await engine.open(await engine.create(phoneSpec()))
  for (const behaviour of ['closed', 'flooding', 'stuck'] as const) {
    for (const fake of fakes) fake.behaviour = behaviour
    const attempts = [
      machine.exec({ executable: 'true' }),
      machine.files.open('/sdcard/a'),
      machine.files.write('/sdcard/a', Buffer.from('a')),
    ]
    await Promise.all(attempts.map(attempt => assert.rejects(attempt, fails('MACHINE_FAILED'))))
  }
  for (const fake of fakes) fake.behaviour = 'closed'
  await assert.rejects(machine.dial('tcp:127.0.0.1:80'), fails('REFUSED'))
})

test('a device that vanishes while it is claimed is reported, and goes into quarantine when it is released', async t => {
  const { engine, fakes } = await phoneEngine(t, ['healthy'])
  const [fake] = fakes
  const handle = await engine.create(phoneSpec())
  const machine = await engine.open(handle)
  await fake?.vanish()
  const { reason, ...how } = await machine.died
  assert.match(reason, new RegExp(`^The device ${fake?.address} is gone: .*ECONNREFUSED`))
  assert.deepEqual(how, { orderly: false, cause: 'engine-lost' })
  assert.equal((await engine.inspect(handle)).status, 'stopped')
  await assert.rejects(engine.open(handle), fails('STATE'))
  await engine.destroy(handle)
  assert.deepEqual(await engine.inspect(handle), { status: 'missing' })
  assert.match((await engine.capacity(0, 'fakes')).reason ?? '', /is in quarantine since .*ECONNREFUSED/)
})

test('a machine survives a lost connection if its device is still there', async t => {
  const { engine, fakes } = await phoneEngine(t, ['healthy'])
  const machine = await engine.open(await engine.create(phoneSpec()))
  let hasDied = false
  void machine.died.then(() => {
    hasDied = true
  })
  await fakes[0]?.hangUp()
  while (fakes[0]?.connections === 0) await new Promise(setImmediate)
  assert.equal(hasDied, false)
})

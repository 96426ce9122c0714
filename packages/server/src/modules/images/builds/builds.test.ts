import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import type { BuildEvent } from '@sandglass/protocol'
import { allOf, beginBuild, build, eventsOf } from '../../../testing/build-image.ts'
import { cleanup } from '../../../testing/cleanup.ts'
import { runInSandbox } from '../../../testing/run-in-sandbox.ts'
import { startMachineService } from '../../../testing/test-machines.ts'

const files = createServer((_request, response) => response.end('from a URL')).listen(0, '127.0.0.1')
cleanup.defer(() => void files.close())
await once(files, 'listening')
const fileUrl = `http://127.0.0.1:${(files.address() as AddressInfo).port}/file`

const machines = await startMachineService({ env: { SANDGLASS_OUTBOUND_PRIVATE: '127.0.0.0/8' } })
const { service, engine } = machines
const from = { shapeName: 'small' }

const disks = async () => (await engine.snapshots.list()).length
const noMachines = () => waitFor(async () => (await engine.list()).length === 0)
const cachedOf = (events: readonly BuildEvent[]) =>
  events.flatMap(event => (event.event === 'step' ? [event.cached] : []))
const outputOf = (events: readonly BuildEvent[], step: number) =>
  events.flatMap(event => (event.event === 'output' && event.step === step ? event.text : [])).join('')

function lastOf<Kind extends BuildEvent['event']>(
  events: readonly BuildEvent[],
  kind: Kind,
): Extract<BuildEvent, { event: Kind }> {
  const last = events.at(-1)
  assert.equal(last?.event, kind, JSON.stringify(last))
  return last as Extract<BuildEvent, { event: Kind }>
}

const steps = [
  { run: 'id -un; echo first > /etc/first; echo complaint >&2' },
  { env: { GREETING: 'hello' } },
  { file: { path: '/opt/a/note', content: 'written' } },
  { file: { path: '/opt/a/fetched', url: fileUrl } },
  { run: 'echo "$GREETING $(cat /opt/a/note)" > /etc/second; cat /etc/first' },
]

test('an image is built from steps, and sandboxes that are created from it have the files and the variables', async () => {
  const events = await build(service, { from, steps, name: 'built', description: 'by a test' })
  const { image } = lastOf(events, 'finished')
  assert.deepEqual(cachedOf(events), [false, false, false, false, false])
  assert.match(outputOf(events, 0), /root/)
  assert.match(outputOf(events, 0), /complaint/)
  assert.match(outputOf(events, 4), /first/)
  assert.deepEqual([image.status, image.shapeName, image.description], ['READY', 'small', 'by a test'])
  const listed = (await service.get('~/machine-images')).body.images
  assert.deepEqual(
    listed.map((one: { id: string; status: string }) => [one.id, one.status]),
    [[image.id, 'READY']],
  )
  await noMachines()
  const { body } = await service.post('~/sandboxes/from-image', {
    imageId: image.id,
    name: 'from a build',
    maxLifeSeconds: 600,
    env: { OWN: 'mine' },
    wait: 60,
  })
  assert.equal(body.sandbox.status, 'RUNNING', body.sandbox.reason)
  assert.equal(
    await runInSandbox(machines, body.sandbox.id, 'cat /etc/second /opt/a/fetched; echo " $GREETING $OWN"'),
    'hello written\nfrom a URL hello mine',
  )
  assert.equal((await service.delete(`~/sandboxes/${body.sandbox.id}`)).status, 200)
  await noMachines()
})

test('steps that an earlier build has done are not done again, also after its image was deleted', async () => {
  for (const { id } of (await service.get('~/machine-images')).body.images)
    assert.equal((await service.delete(`~/machine-images/${id}`)).status, 204)
  const again = await build(service, { from, steps, name: 'the same' })
  const { image } = lastOf(again, 'finished')
  assert.deepEqual(cachedOf(again), [true, true, true, true, true])
  assert.equal(image.status, 'READY')
  assert.deepEqual(await engine.list(), [])

  const changed = [...steps.slice(0, 3), { run: 'cat /etc/first; test ! -e /etc/second' }]
  const partly = await build(service, { from, steps: changed, name: 'another end' })
  lastOf(partly, 'finished')
  assert.deepEqual(cachedOf(partly), [true, true, true, false])
  assert.match(outputOf(partly, 3), /first/)

  const other = await build(service, {
    from: { imageId: image.id },
    steps: [{ run: 'cat /etc/second; echo $GREETING' }],
    name: 'on top',
  })
  lastOf(other, 'finished')
  assert.equal(outputOf(other, 0), 'hello written\nhello\n')
  await noMachines()
})

test('another organization does not get the steps of this one, whatever it builds', async () => {
  const other = await service.otherOrganization()
  const before = await disks()
  const request = { from, steps: [steps[0]], name: 'mine' }
  const response = await beginBuild(service, request, undefined, other)
  const events = await allOf(response)
  lastOf(events, 'finished')
  assert.deepEqual(cachedOf(events), [false])
  assert.equal(await disks(), before + 1)
  await noMachines()
})

test('a build says which step failed, with its exit code and its last output', async () => {
  const events = await build(service, {
    from,
    steps: [{ run: 'true' }, { run: 'seq 1 3; echo the reason >&2; exit 7' }, { run: 'true' }],
    name: 'broken',
  })
  const { step, exitCode, output, reason, image } = lastOf(events, 'failed')
  assert.deepEqual([step, exitCode], [1, 7])
  assert.match(output ?? '', /the reason/)
  assert.equal(reason, 'The script ended with code 7.')
  const [row] = (await service.get('~/machine-images')).body.images.filter(
    (one: { id: string }) => one.id === image.id,
  )
  assert.deepEqual([row.status, row.reason], ['ERROR', 'Step 1 failed. The script ended with code 7.'])
  await noMachines()
})

test('packages are installed although the machine has no network, and one that does not exist fails its step', async () => {
  const events = await build(service, {
    from,
    steps: [{ apt: ['hello'] }, { run: 'hello' }, { apt: ['no-such-package'] }],
    name: 'packages',
  })
  assert.match(outputOf(events, 0), /Installed hello/)
  assert.match(outputOf(events, 1), /Hello, world!/)
  const { step, reason } = lastOf(events, 'failed')
  assert.equal(step, 2)
  assert.match(reason, /no-such-package/)
  await noMachines()
})

test('a file that cannot be fetched fails its step, and private addresses are refused', async () => {
  const file = (url: string) => ({ file: { path: '/etc/x', url } })
  const refused = await build(service, {
    from,
    steps: [{ run: 'true' }, file('http://10.0.0.1/')],
    name: 'private',
  })
  const { step, reason } = lastOf(refused, 'failed')
  assert.equal(step, 1)
  assert.match(reason, /10\.0\.0\.1/)
  await noMachines()
})

test('a build that is cancelled by disconnecting leaves no machine, and its image is in ERROR', async () => {
  const leaving = new AbortController()
  const name = 'cancelled'
  const response = await beginBuild(
    service,
    { from, steps: [{ run: 'echo up; sleep 1000' }], name },
    leaving.signal,
  )
  for await (const event of eventsOf(response)) {
    if (event.event === 'started') {
      const { images } = (await service.get('~/machine-images')).body
      assert.equal(images.find((one: { name: string }) => one.name === name).status, 'CREATING')
    }
    if (event.event === 'output') break
  }
  leaving.abort()
  await waitFor(async () => {
    const { images } = (await service.get('~/machine-images')).body
    return images.find((one: { name: string }) => one.name === name).status === 'ERROR'
  })
  await noMachines()
})

test('a build counts as a sandbox, is none, and is refused if the organization may have no more', async () => {
  await service.pool.db.updateTable('plans').set({ concurrent_sandboxes: 1 }).execute()
  const leaving = new AbortController()
  const response = await beginBuild(
    service,
    { from, steps: [{ run: 'echo running; sleep 1000' }], name: 'long' },
    leaving.signal,
  )
  // Not with a loop that is left, because that would close the connection.
  const events = eventsOf(response)
  while ((await events.next()).value?.event !== 'output');
  assert.deepEqual((await service.get('~/sandboxes')).body, [])
  const refused = await service.post('~/sandboxes', { shapeName: 'small' })
  assert.deepEqual([refused.status, refused.body.code], [409, 'sandbox.TOO_MANY'])
  const second = await beginBuild(service, { from, steps: [{ run: 'true' }], name: 'second' })
  assert.equal(second.status, 409)
  leaving.abort()
  await noMachines()
  await service.pool.db.updateTable('plans').set({ concurrent_sandboxes: null }).execute()
})

test('what is wrong with the steps is said before anything is done', async () => {
  const bad = [
    [{ from, steps: [], name: 'x' }, /steps/],
    [{ from, steps: Array.from({ length: 101 }, () => ({ run: 'true' })), name: 'x' }, /steps/],
    [{ from, steps: [{ run: 'true', apt: ['x'] }], name: 'x' }, /steps\.0/],
    [{ from, steps: [{ file: { path: 'relative', content: '' } }], name: 'x' }, /steps\.0/],
    [{ from: {}, steps: [{ run: 'true' }], name: 'x' }, /from/],
  ] as const
  for (const [body, message] of bad) {
    const { status, text } = await service.post('~/machine-images/build', body)
    assert.equal(status, 400, text)
    assert.match(text, message)
  }
  const unknown = { from: { imageId: 'absent' }, steps: [{ run: 'true' }], name: 'x' }
  assert.equal((await service.post('~/machine-images/build', unknown)).status, 404)
})

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { MachineError } from '../../../contract/errors.ts'
import { IncusClient } from '../client/index.ts'
import { FakeIncus } from '../client/testing/fake-incus.ts'
import { unlessBusy } from './unless-busy.ts'

async function start(t: TestContext) {
  const fake = await FakeIncus.onSocket()
  t.after(() => fake.close())
  const client = new IncusClient({ socket: fake.socket })
  t.after(() => client.close())
  return { fake, client }
}

const running = (id: string, type: string, instance: string) => ({
  id,
  class: type,
  status: 'Running',
  status_code: 103,
  err: '',
  resources: { instances: [`/1.0/instances/${instance}?project=p`] },
})

test('what an instance is too busy for is done when the operation on it has ended', async t => {
  const { fake, client } = await start(t)
  const [own, program, other] = [randomUUID(), randomUUID(), randomUUID()]
  fake.serve('GET /1.0/operations', {
    running: [
      running(own, 'task', 'm-a'),
      running(program, 'websocket', 'm-a'),
      running(other, 'task', 'm-b'),
    ],
  })
  let isBusy = true
  fake.handlers.set(`GET /1.0/operations/${own}/wait`, (_, response) => {
    isBusy = false
    const metadata = { ...running(own, 'task', 'm-a'), status: 'Success', status_code: 200 }
    response.end(JSON.stringify({ type: 'sync', status_code: 200, metadata }))
  })
  let tries = 0
  const result = await unlessBusy(client, 'm-a', async () => {
    tries++
    if (isBusy) throw new MachineError('STATE', 'Instance is busy running a "start" operation')
    return 'done'
  })
  assert.deepEqual([result, tries], ['done', 2])
  assert.deepEqual(
    fake.requests.filter(request => request.includes(program) || request.includes(other)),
    [],
  )
})

test('it is tried again although Incus does not say what is done to the instance, and other failures are not', async t => {
  const { fake, client } = await start(t)
  fake.refuse('GET /1.0/operations', 503, 'Service unavailable')
  let tries = 0
  await unlessBusy(client, 'm-a', async () => {
    if (++tries < 3) throw new MachineError('STATE', 'Instance is busy')
  })
  assert.equal(tries, 3)
  const failure = new MachineError('UNREACHABLE', 'It is gone.')
  await assert.rejects(
    unlessBusy(client, 'm-a', () => Promise.reject(failure)),
    failure,
  )
})

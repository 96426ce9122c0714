import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { TimelineAction } from '@sandglass/protocol'
import { assistant, madeServer, succeed } from '../../testing/assistant.ts'
import { makeSandbox } from '../../testing/make-sandbox.ts'
import { startMachineService } from '../../testing/test-machines.ts'
import { maxTextLength } from './arguments.ts'

const { service } = await startMachineService()
const px = (value: number) => ({ type: 'px', value })
const click = { type: 'mouse:click', x: px(30), y: px(40), button: 1 }
const type = (content: string) => ({ type: 'keyboard:type', content, treatNewLineAsEnter: false })
const wait = { type: 'wait', duration: 1 }
const bare = { includeScreenShot: false, includeCursorPosition: false }

const act = (id: string, action: object, more: object = bare) =>
  service.post(`~/sandboxes/${id}/actions/execute`, { action, ...more })

interface Page {
  readonly actions: readonly TimelineAction[]
  readonly nextCursor: string | null
}

async function page(id: string, query = '', key?: string): Promise<Page> {
  const { status, body, text } = await service.get(`~/sandboxes/${id}/actions${query}`, key ? { key } : {})
  assert.equal(status, 200, text)
  for (const action of body.actions) TimelineAction.parse(action)
  return body
}

/** Lists the actions, oldest first, once there are this many. */
async function listed(id: string, count: number): Promise<readonly TimelineAction[]> {
  let actions: readonly TimelineAction[] = []
  await waitFor(async () => {
    actions = (await page(id, '?order=oldest')).actions
    return actions.length >= count
  })
  assert.equal(actions.length, count)
  return actions
}

let id = ''
before(async () => {
  id = await makeSandbox(service)
})

test('actions from every operation are listed with actor, arguments, duration, outcome and screenshot', async () => {
  const path = `~/sandboxes/${id}/actions`
  const shot = await act(id, click, {})
  await service.post(`${path}/computer-use`, { action: type('hello'), ...bare })
  const batch = await service.post(`${path}/batch`, {
    actions: [wait, { type: 'key:down', key: 'no-such-key' }, click],
    settle: 'none',
  })
  assert.equal(batch.body.failedIndex, 1, batch.text)
  const text = "Action: click(start_box='(100,100)')"
  await service.post(`${path}/run-text`, { type: 'ui-tars', textContent: text, ...bare })
  const element = { role: 'button', name: 'Gone', path: '/0/1' }
  const gone = await act(id, { type: 'os:clickElement', element })

  const actions = await listed(id, 6)
  const { id: keyId } = (await service.get('~/api-keys')).body[0]
  for (const { actor } of actions) assert.deepEqual(actor, { kind: 'apiKey', id: keyId })
  assert.deepEqual(
    actions.map(({ source, type, outcome }) => [source, type, outcome]),
    [
      ['api', 'mouse:click', 'done'],
      ['api', 'keyboard:type', 'done'],
      ['api', 'wait', 'done'],
      ['api', 'key:down', 'action.INVALID'],
      ['text', 'mouse:click', 'done'],
      ['api', 'os:clickElement', gone.body.code],
    ],
  )
  const [first, typed, waited, failed, parsed, last] = actions
  assert.deepEqual(first?.action, click)
  assert.deepEqual(typed?.action, type('hello'))
  assert.deepEqual(parsed?.action?.['type'], 'mouse:click')
  assert.deepEqual(last?.action?.['element'], element)
  assert.ok(first && first.durationMs >= 100, 'with the time in which the screen came to rest')
  assert.equal(first.screenshotUrl, shot.body.screenShot)
  assert.equal(failed?.screenshotUrl, batch.body.screenShot, 'the last action of a call has its screenshot')
  for (const action of [typed, waited, parsed, last]) assert.equal(action?.screenshotUrl, null)
  const picture = await fetch(first.screenshotUrl ?? '')
  assert.deepEqual([picture.status, picture.headers.get('content-type')], [200, 'image/webp'])
})

test('the actions of MCP tools are listed with their pictures', async () => {
  const server = await madeServer(service)
  const own = await makeSandbox(service)
  await service.post(`~/mcp-servers/${server.id}/sandbox`, { sandboxId: own })
  const client = await assistant(service, server.id)
  await succeed(client, 'computer-use', { action: 'type', text: 'from a tool' })
  const [action] = await listed(own, 1)
  assert.deepEqual([action?.source, action?.type, action?.outcome], ['mcp', 'keyboard:type', 'done'])
  assert.equal(action?.action?.['content'], 'from a tool')
  assert.equal((await fetch(action?.screenshotUrl ?? '')).status, 200)
  await service.remove(`~/sandboxes/${own}`)
})

test('an action that is refused because a person is in control is listed', async () => {
  const own = await makeSandbox(service)
  await act(own, { type: 'client:user-takeover' })
  assert.equal((await act(own, click)).body.code, 'sandbox.TAKEN_OVER')
  const actions = await listed(own, 2)
  assert.deepEqual(
    actions.map(({ type, outcome }) => [type, outcome]),
    [
      ['client:user-takeover', 'done'],
      ['mouse:click', 'sandbox.TAKEN_OVER'],
    ],
  )
  await service.remove(`~/sandboxes/${own}`)
})

test('long texts are shortened, texts of any characters are kept, and secret ones are not', async () => {
  const own = await makeSandbox(service)
  const long = 'x'.repeat(5000)
  const odd = 'a\u0000b\ud800c'
  // What cannot be typed is refused by the machine, and listed nevertheless.
  for (const content of [long, odd]) await act(own, type(content))
  const secret = await act(own, type('p4ssw0rd'), { ...bare, isSecret: true })
  assert.equal(secret.status, 200, secret.text)
  const [cut, strange, hidden] = await listed(own, 3)
  assert.deepEqual(cut?.action?.['content'], `${'x'.repeat(maxTextLength)}…`)
  assert.deepEqual(strange?.action?.['content'], odd)
  assert.deepEqual([hidden?.type, hidden?.action], ['keyboard:type', null])
  const rows = await service.pool.db
    .selectFrom('sandbox_actions')
    .selectAll()
    .where('sandbox_id', '=', own)
    .execute()
  assert.doesNotMatch(JSON.stringify(rows), /p4ssw0rd/)
  await service.remove(`~/sandboxes/${own}`)
})

test('pages can be read on in both orders, and what is new is read with the id of the last action', async () => {
  const all = (await page(id)).actions
  for (const order of ['newest', 'oldest'] as const) {
    const read: TimelineAction[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { actions, nextCursor } = await page(
        id,
        `?order=${order}&limit=2${cursor && `&cursor=${cursor}`}`,
      )
      read.push(...actions)
      cursor = nextCursor
    }
    assert.deepEqual(read, order === 'newest' ? all : all.toReversed())
  }
  await act(id, wait)
  const newest = `?order=oldest&cursor=${all[0]?.id}`
  await waitFor(async () => (await page(id, newest)).actions.length === 1)
  for (const query of ['cursor=x', 'limit=0', 'limit=1001', 'order=up'])
    assert.equal((await service.get(`~/sandboxes/${id}/actions?${query}`)).status, 400, query)
})

test('viewers see what was done, and not the arguments; trial sessions see what was done in their own', async () => {
  const key = await service.keyOf('viewer')
  const { actions } = await page(id, '', key)
  assert.ok(actions.length > 0)
  for (const { action, type } of actions) assert.deepEqual([action, type !== ''], [null, true])

  const { body: trial } = await service.post('~/trial-tokens', { shapeNames: ['small'] })
  const request = { key: null, headers: { 'x-trial-session-token': trial.trialToken } }
  assert.equal((await service.get(`~/sandboxes/${id}/actions`, request)).status, 404)
  const { body: own, text } = await service.post('~/sandboxes', { shapeName: 'small' }, request)
  const performed = async () => {
    const body = { action: wait, ...bare }
    return (await service.post(`~/sandboxes/${own.id}/actions/execute`, body, request)).status === 200
  }
  await waitFor(performed).catch(cause => assert.fail(new Error(text, { cause })))
  const [action] = await listed(own.id, 1)
  assert.deepEqual(action?.actor.kind, 'trialToken')
  await service.remove(`~/sandboxes/${own.id}`)
  const after = await service.get(`~/sandboxes/${own.id}/actions`, request)
  assert.deepEqual(after.body.actions[0].action, wait)
})

test('the timeline of a sandbox that has ended is kept, without screenshots, and only for its organization', async () => {
  const own = await makeSandbox(service)
  const { body } = await act(own, click, {})
  assert.ok((await listed(own, 1))[0]?.screenshotUrl)
  await service.remove(`~/sandboxes/${own}`)
  const [action] = await listed(own, 1)
  assert.deepEqual([action?.action, action?.screenshotUrl], [click, null])
  await waitFor(async () => (await fetch(body.screenShot)).status === 404)

  const { orgId, apiKey } = await service.otherOrganization()
  for (const path of [`/api/orgs/${orgId}/sandboxes/${own}`, `~/sandboxes/${own}`, `~/sandboxes/${id}`]) {
    const { status } = await service.get(`${path}/actions`, { key: apiKey })
    assert.equal(status, 404, path)
  }
})

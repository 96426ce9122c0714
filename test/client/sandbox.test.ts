import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ActionFailedError,
  ExitError,
  NotFoundError,
  Sandbox,
  Sandglass,
  TimeoutError,
} from '@sandglass/client'
import { waitFor } from '@sandglass/machines/testing'
import sharp from 'sharp'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { startMachineService } from '../../packages/server/src/testing/test-machines.ts'

const { service } = await startMachineService()
const { credentials } = service.service
const client = new Sandglass(credentials)
const box = cleanup.use(await Sandbox.create({ client, labels: { by: 'test' } }))

/** How many pixels differ. */
async function differing(a: Uint8Array, b: Uint8Array): Promise<number> {
  const [one, two] = await Promise.all([a, b].map(bytes => sharp(bytes).removeAlpha().raw().toBuffer()))
  let count = 0
  for (let at = 0; at < (one?.length ?? 0); at++) if (one?.[at] !== two?.[at]) count++
  return count
}

test('a sandbox is created with the usual shape, is listed, and is deleted at the end of its block', async () => {
  const { status, labels, shape } = await box.info()
  assert.deepEqual([status, labels, shape.name], ['RUNNING', { by: 'test' }, 'small'])
  const id = await (async () => {
    await using other = await Sandbox.create({
      ...credentials,
      shape: 'small',
      name: 'short',
      lifeSeconds: 60,
    })
    const listed = await Array.fromAsync(Sandbox.list({ client, status: 'RUNNING' }))
    assert.deepEqual(listed.map(({ name }) => name).sort(), ['sandbox', 'short'])
    return other.id
  })()
  await assert.rejects(Sandbox.connect(id, { client }).info(), NotFoundError)
  {
    // It was not created here, so it is not deleted here.
    await using again = Sandbox.connect(box.id, credentials)
    assert.equal((await again.info()).id, box.id)
  }
  assert.equal((await box.info()).status, 'RUNNING')
})

test('a create that is given up leaves no sandbox behind', async () => {
  const giveUp = new AbortController()
  const created = Sandbox.create({ client, shape: 'small', name: 'unwanted' }, { signal: giveUp.signal })
  await waitFor(async () => (await names()).includes('unwanted'))
  giveUp.abort(new Error('enough'))
  await assert.rejects(created, /enough/)
  await waitFor(async () => !(await names()).includes('unwanted'))
  await assert.rejects(
    Sandbox.create({ client, shape: 'nothing' }),
    (error: NotFoundError) => error.code === 'shape.NOT_FOUND',
  )
})

const names = async () => (await Array.fromAsync(Sandbox.list({ client }))).map(({ name }) => name)

test('a click opens a menu, which the screenshot shows', async () => {
  await box.mouse.move(900, 500)
  const before = await box.screenshot({ format: 'png', pointer: false })
  assert.deepEqual([before.width, before.height, before.mimeType], [1280, 720, 'image/png'])
  const { shot, pointer, settled } = await box.mouse.rightClick(300, 200, { format: 'png', pointer: false })
  assert.deepEqual(pointer, { x: 300, y: 200 })
  assert.notEqual(settled, 'none')
  assert.ok(shot && !shot.isLoaded)
  assert.throws(() => shot.bytes, /load\(\)/)
  assert.ok((await differing(before.bytes, await shot.load())) > 1000)
  const fetched = new Uint8Array(await (await fetch(shot.url)).arrayBuffer())
  assert.deepEqual(fetched, shot.bytes)
  const { areas } = await box.screen.changes()
  assert.deepEqual(areas, [])
  const closed = await box.keyboard.press('Escape', { image: true, format: 'png', pointer: false })
  assert.ok((await differing(before.bytes, closed.shot?.bytes ?? new Uint8Array())) < 100)
  const still = await box.screenshot({ settle: { quietMs: 50 }, bytes: false })
  assert.equal(still.isLoaded, false)
  assert.match(still.url, /\/screenshots\/.*\.webp$/)
})

test('what is typed into a program arrives, also in a batch', async () => {
  await box.files.write('note.txt', 'old')
  await box.apps.open('l3afpad', ['note.txt'])
  const find =
    'eval $(xdotool search --sync --onlyvisible --class l3afpad getwindowgeometry --shell); echo $X $Y'
  const [x = 0, y = 0] = (await box.run(find, { check: true })).stdout.split(' ').map(Number)
  const saved = (text: string) => waitFor(async () => (await box.files.readText('note.txt')) === text)
  await box.mouse.click(x + 40, y + 60)
  await box.keyboard.press('ctrl+a')
  await box.keyboard.type('Grüße, 世界 🎉')
  await box.keyboard.press('ctrl+s')
  await saved('Grüße, 世界 🎉')
  const { results, changed } = await box.act([
    { type: 'mouse:tripleClick', x: x + 40, y: y + 60 },
    { type: 'keyboard:hotkey', keys: 'ctrl+a' },
    { type: 'keyboard:type', content: 'batch' },
    { type: 'keyboard:hotkey', keys: 'ctrl+s' },
  ])
  assert.equal(results.length, 4)
  assert.ok(changed.length > 0)
  await saved('batch')
  await assert.rejects(box.screen.tree(), { code: 'client.NO_TREE' })
  await assert.rejects(box.apps.open('no-such-program'), NotFoundError)
  await box.run('pkill l3afpad')
})

test('a batch that fails says at which action, and an action outside the screen is an error', async () => {
  const actions = [
    { type: 'mouse:move', x: 5, y: 6 },
    { type: 'mouse:move', x: 5000, y: 6 },
    { type: 'mouse:move', x: 1, y: 1 },
  ] as const
  await assert.rejects(box.act(actions), (error: ActionFailedError) => {
    assert.ok(error instanceof ActionFailedError)
    assert.deepEqual([error.code, error.failedIndex], ['action.INVALID', 1])
    assert.deepEqual([error.acted.results.length, error.acted.pointer], [2, { x: 5, y: 6 }])
    return true
  })
  await assert.rejects(box.mouse.click(5000, 6), { code: 'action.INVALID' })
})

test('a model text is parsed, and run in one request', async () => {
  const text = "Thought: There.\nAction: click(start_box='(64,28)')"
  const parsed = await box.parse('ui-tars', text)
  assert.deepEqual([parsed.actions[0]?.type, parsed.thoughts], ['mouse:click', 'There.'])
  const { pointer, actions, shot } = await box.runText('ui-tars', text, { image: true })
  assert.deepEqual([pointer, actions.length, shot?.isLoaded], [{ x: 81, y: 20 }, 1, true])
})

test('a program runs with its arguments, input and folder, and its exit code is no error unless asked', async () => {
  const { stdout, exitCode } = await box.run('uname -s; exit 3')
  assert.deepEqual([stdout, exitCode], ['Linux\n', 3])
  const bytes = new Uint8Array([0, 255, 10])
  const cat = await box.run(['cat', '-'], { stdin: bytes })
  assert.deepEqual(cat.stdoutBytes, bytes)
  const odd = await box.run(['printf', '%s|', 'a b', '$HOME', "'"], { cwd: '/tmp' })
  assert.equal(odd.stdout, "a b|$HOME|'|")
  assert.equal((await box.run('pwd', { cwd: '/tmp' })).stdout, '/tmp\n')
  await assert.rejects(box.run('echo no >&2; exit 4', { check: true }), (error: ExitError) => {
    assert.ok(error instanceof ExitError)
    assert.deepEqual([error.result.exitCode, error.result.stderr], [4, 'no\n'])
    return true
  })
  assert.deepEqual((await box.run('sleep 600', { maxSeconds: 1 })).timedOut, true)
  await assert.rejects(box.run('exec sleep 601', { timeoutMs: 1000 }), TimeoutError)
  await waitFor(async () => (await box.run(['pgrep', '-f', '^sleep 601'])).exitCode === 1)
})

test('the live view has connection details and invitations', async () => {
  const live = box.live()
  const { endUserToken, roomId, gatewayAddresses } = await live.connect({ scope: ['input'] })
  assert.ok(endUserToken && roomId && gatewayAddresses.length > 0)
  const { url, id, scope } = await live.invite({ lifetimeSeconds: 60 })
  assert.ok(url.startsWith(`${service.service.url}/view#`))
  assert.deepEqual(scope, ['view'])
  assert.deepEqual(
    (await live.invitations()).map(invitation => invitation.id),
    [id],
  )
  await live.revoke(id)
  assert.deepEqual(await live.invitations(), [])
  await live.control('user', 'Please help.')
  await assert.rejects(box.mouse.click(1, 1), { code: 'sandbox.TAKEN_OVER' })
  await live.control('agent')
  await box.mouse.click(1, 1)
  await live.revokeAll()
})

test('a sandbox is paused, resumed, extended and restarted, and its events say so', async () => {
  const followed = (async () => {
    for await (const { data } of box.events({ follow: true, types: ['sandbox.state.updated'] }))
      if (data['reason'] === 'resumed') return data['reason']
    return undefined
  })()
  await box.pause()
  assert.equal((await box.info()).paused, true)
  await box.resume()
  assert.equal(await followed, 'resumed')
  await box.extend(7200)
  const { expiresAt } = await box.info()
  assert.ok(Date.parse(expiresAt) > Date.now() + 7000_000)
  await box.files.write('kept', 'yes')
  await box.restart()
  assert.equal(await box.files.readText('kept'), 'yes')
  await box.setLifecycle({ onIdle: 'pause', idleSeconds: 600 })
  assert.equal((await box.info()).lifecycle?.idleSeconds, 600)
  const events = await Array.fromAsync(box.events({ types: ['sandbox.*'] }))
  assert.equal(events[0]?.type, 'sandbox.created')
  const reasons = events.map(({ data }) => data['reason'])
  for (const reason of ['started', 'paused', 'resumed', 'restarting'])
    assert.ok(reasons.includes(reason), reason)
})

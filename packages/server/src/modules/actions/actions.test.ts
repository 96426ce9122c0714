import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { before, test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { Action } from '@sandglass/protocol'
import sharp from 'sharp'
import { cleanup } from '../../testing/cleanup.ts'
import { makeSandbox } from '../../testing/make-sandbox.ts'
import { startMachineService } from '../../testing/test-machines.ts'

const { service, engine } = await startMachineService({ env: { SANDGLASS_OUTBOUND_PRIVATE: '127.0.0.0/8' } })
const px = (value: number) => ({ type: 'px', value })
const click = (x: number, y: number, more = {}) => ({
  type: 'mouse:click',
  x: px(x),
  y: px(y),
  button: 1,
  ...more,
})

const made = () => makeSandbox(service)

/** Runs a shell script inside the machine of a sandbox. */
async function inside(id: string, script: string): Promise<string> {
  const row = await service.pool.db
    .selectFrom('sandboxes')
    .innerJoin('machines', 'machines.id', 'sandboxes.machine_id')
    .select('machines.handle')
    .where('sandboxes.id', '=', id)
    .executeTakeFirstOrThrow()
  assert.ok(row.handle)
  const machine = await engine.open(row.handle)
  try {
    const process = await machine.exec({ executable: 'sh', args: ['-c', script] })
    return (await buffer(process.stdout)).toString()
  } finally {
    machine.close()
  }
}

const act = (id: string, action: object, more: object = {}) =>
  service.post(`~/sandboxes/${id}/actions/execute`, { action, ...more })

const giveControl = (id: string, holder: string) =>
  service.call('PUT', `~/sandboxes/${id}/control`, { body: { holder } })

async function pixels(url: string) {
  const answer = await fetch(url)
  assert.equal(answer.status, 200)
  const { data, info } = await sharp(await answer.arrayBuffer())
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { type: answer.headers.get('content-type'), info, data }
}

/** Prints the name of the window that has the keyboard focus. */
const activeWindow = 'xdotool getactivewindow getwindowname 2>&1'
const activeClass =
  'xprop -id $(xprop -root _NET_ACTIVE_WINDOW | sed "s/.*# //") WM_CLASS 2>/dev/null || true'

let id = ''
before(async () => {
  id = await made()
})

test('an action returns a picture that can be fetched without credentials, and the position of the pointer', async () => {
  const { status, body } = await act(id, { type: 'mouse:move', x: px(300), y: px(200) }, { callId: 'call 7' })
  assert.equal(status, 200)
  assert.deepEqual(body.cursorPosition, {
    x: 300,
    y: 200,
    screenWidth: 1280,
    screenHeight: 720,
    screenIndex: 0,
  })
  assert.equal(body.callId, 'call 7')
  const { type, info } = await pixels(body.screenShot)
  assert.equal(type, 'image/webp')
  assert.deepEqual([info.width, info.height], [1280, 720])
})

test('the pointer is drawn into the picture unless the caller turns that off', async () => {
  const move = { type: 'mouse:move', x: px(640), y: px(360) }
  const brightness = async (more: object) => {
    const { body } = await act(id, move, { settle: 'none', screenShotFormat: 'png', ...more })
    const { type, data } = await pixels(body.screenShot)
    assert.equal(type, 'image/png')
    let sum = 0
    for (let y = 355; y < 385; y++) for (let x = 635; x < 655; x++) sum += data[3 * (y * 1280 + x)] ?? 0
    return sum
  }
  await act(id, { type: 'mouse:move', x: px(600), y: px(300) })
  await waitFor(async () => (await brightness({})) > 0)
  assert.equal(await brightness({ includePointer: false }), 0)
})

test('parts of the result that were not requested are left out', async () => {
  const { body } = await act(id, click(5, 5), { includeScreenShot: false, includeCursorPosition: false })
  assert.deepEqual(body, {})
})

test('an unchanged screen keeps its picture, and a changed screen gets a new one', async () => {
  const url = async () => (await act(id, { type: 'screenshot' })).body.screenShot
  await act(id, { type: 'mouse:move', x: px(10), y: px(600) })
  let first = ''
  // Retry, because a machine that has just started may still be drawing.
  await waitFor(async () => {
    first = await url()
    return (await url()) === first
  })
  await act(id, { type: 'mouse:move', x: px(20), y: px(600) })
  assert.notEqual(await url(), first)
})

test('the picture after an action shows its effect', async () => {
  const red = async () => {
    const { body } = await act(id, { type: 'screenshot' }, { screenShotFormat: 'png' })
    const { data } = await pixels(body.screenShot)
    let count = 0
    for (let at = 0; at < data.length; at += 3) if (data[at] === 255 && data[at + 1] === 0) count++
    return count
  }
  const isGoneInPicture = async () => {
    await inside(id, 'xmessage -geometry 400x200+300+300 -bg red -buttons close:0 hello >/dev/null 2>&1 &')
    await waitFor(async () => (await red()) > 20_000)
    await waitFor(async () => (await inside(id, activeWindow)).includes('xmessage'))
    const settle = { quietMs: 1500, maxMs: 9000 }
    const { body } = await act(
      id,
      { type: 'keyboard:hotkey', keys: 'alt+F4' },
      { screenShotFormat: 'png', settle },
    )
    const { data } = await pixels(body.screenShot)
    await waitFor(async () => (await red()) === 0)
    return data[3 * (400 * 1280 + 400)] === 0
  }
  // Retry, because a window manager that waits for a processor looks as if the screen had settled.
  await waitFor(isGoneInPicture)
})

test('the response says why the wait after the action ended', async () => {
  const settled = async (settle: unknown) =>
    (await act(id, click(300, 300), settle === undefined ? {} : { settle })).body.settled
  assert.equal(await settled('none'), 'none')
  assert.equal(await settled({ timeoutMs: 0 }), 'timeout')
  assert.equal(await settled({ maxMs: 0 }), 'timeout')
  assert.equal(await settled({ until: 'screen', timeoutMs: 0 }), 'timeout')
  await waitFor(async () => (await settled(undefined)) === 'rest')
  await waitFor(async () => (await settled({ until: 'screen' })) === 'rest')
})

test('every action of a desktop works', async () => {
  const place = { x: px(100), y: px(100) }
  const actions: object[] = [
    { type: 'screenshot' },
    { type: 'wait', duration: 1 },
    { type: 'finished', message: 'done' },
    { type: 'failed' },
    { type: 'keyboard:type', content: 'text', treatNewLineAsEnter: null },
    { type: 'keyboard:hotkey', keys: 'ctrl+a', duration: 5 },
    { type: 'mouse:click', ...place, button: 1 },
    { type: 'mouse:doubleClick', ...place, button: 3, holdKey: 'shift' },
    { type: 'mouse:tripleClick', ...place, button: 1, relative: false },
    { type: 'mouse:move', ...place, relative: true },
    { type: 'mouse:scroll', ...place, stepVertical: 2, stepHorizontal: -1 },
    { type: 'mouse:drag', startX: px(1), startY: px(2), endX: px(3), endY: px(4), endRelative: true },
    { type: 'key:down', key: 'shift' },
    { type: 'key:up', key: 'shift' },
    { type: 'client:user-takeover' },
  ]
  for (const action of actions) {
    const { status, body } = await act(id, action, { settle: null })
    assert.equal(status, 200, JSON.stringify([action, body]))
  }
  await giveControl(id, 'agent')
  const types = new Set(actions.map(action => 'type' in action && action.type))
  const phones = ['touch:', 'android:', 'os:']
  const all = Action.options.map(({ shape }) => shape.type.value)
  assert.deepEqual(
    all.filter(type => !types.has(type) && !phones.some(name => type.startsWith(name))),
    [],
  )
})

test('an action for phones is refused on a desktop, and the error lists the supported actions', async () => {
  for (const type of ['touch:tap', 'mobile:tap', 'mobile:doubleTap']) {
    const { status, body } = await act(id, { type, x: px(1), y: px(1) })
    assert.deepEqual([status, body.code], [400, 'action.UNFIT'])
    assert.match(body.message, /mouse:click, .*key:up/)
  }
})

test('an impossible action is a 400 with the reason, and leaves no key or button pressed', async () => {
  const wrong: [object, RegExp][] = [
    [click(1280, 5), /1280x720/],
    [click(1, 1, { x: { type: '/', numerator: 3, denominator: 2 } }), /1280x720/],
    [click(1, 1, { x: { type: '/', numerator: 3, denominator: 0 } }), /denominator/],
    [click(1, 1, { x: px(1e308), holdKey: 'ctrl' }), /1280x720/],
    [click(1, 1, { button: 0 }), /button/],
    [click(1, 1, { button: 32 }), /button/],
    [click(1, 1, { holdKey: 'nonsense' }), /"nonsense" is no key/],
    [click(1, 1, { x: null }), /x/],
    [{ type: 'wait', duration: -1 }, /duration/],
    [{ type: 'wait', duration: 365 * 86_400_000 }, /duration/],
    [{ type: 'wait', duration: 61_000 }, /60000 ms/],
    [{ type: 'keyboard:hotkey', keys: 'ctrl+unknown' }, /"unknown" in "ctrl\+unknown"/],
    [{ type: 'keyboard:hotkey', keys: 'a', duration: 5001 }, /duration/],
    [{ type: 'key:down', key: '' }, /key/],
    [{ type: 'keyboard:type', content: 'a\u0000b' }, /U\+0000/],
    [{ type: 'mouse:scroll', x: px(1), y: px(1), stepVertical: 1e9, stepHorizontal: 0 }, /stepVertical/],
    [{ type: 'no:such' }, /type/],
  ]
  for (const [action, why] of wrong) {
    const { status, body } = await act(id, action)
    assert.equal(status, 400, JSON.stringify([action, body]))
    assert.match(body.message, why)
  }
  const { body } = await act(id, { type: 'keyboard:hotkey', keys: 'F9' }, { settle: { quietMs: -1 } })
  assert.match(body.message, /quietMs/)
})

test('an action in a stopped sandbox is a 409, and in a missing one a 404', async () => {
  const paused = await made()
  await service.post(`~/sandboxes/${paused}/pause`)
  const { status, body } = await act(paused, { type: 'screenshot' })
  assert.deepEqual([status, body.code], [409, 'sandbox.STATE'])
  assert.match(body.message, /STOPPED/)
  assert.equal((await service.post(`~/sandboxes/${paused}/preview`)).status, 409)
  await service.post(`~/sandboxes/${paused}/resume`)
  assert.equal((await act(paused, { type: 'screenshot' })).status, 200)
  assert.equal((await act('absent', { type: 'screenshot' })).status, 404)
  await service.remove(`~/sandboxes/${paused}`)
})

test('a viewer can take pictures but not act', async () => {
  const key = await service.keyOf('viewer')
  assert.equal((await service.post(`~/sandboxes/${id}/preview`, undefined, { key })).status, 200)
  const { status } = await service.post(`~/sandboxes/${id}/actions/execute`, { action: click(1, 1) }, { key })
  assert.equal(status, 403)
})

test('an agent that asked for a person can look but not act until it has control again', async () => {
  const control = async () => (await service.get(`~/sandboxes/${id}`)).body.sandbox.control
  const handOver = () => act(id, { type: 'client:user-takeover' }, { includeScreenShot: false })
  await act(id, click(3, 3))
  assert.equal(await control(), 'agent')
  await handOver()
  assert.equal(await control(), 'user')
  await act(id, { type: 'screenshot' })
  assert.equal(await control(), 'user')
  const refused = await act(id, click(3, 3))
  assert.deepEqual([refused.status, refused.body.code], [409, 'sandbox.TAKEN_OVER'])
  assert.equal((await service.post(`~/sandboxes/${id}/preview`)).status, 200)
  const actions = [{ type: 'screenshot' }, click(3, 3), { type: 'screenshot' }]
  const { body } = await service.post(`~/sandboxes/${id}/actions/batch`, { actions })
  assert.deepEqual([body.failedIndex, body.results[1].error.code], [1, 'sandbox.TAKEN_OVER'])
  assert.deepEqual((await giveControl(id, 'agent')).body, { control: 'agent' })
  assert.equal(await control(), 'agent')
  assert.equal((await act(id, click(3, 3))).status, 200)
  assert.deepEqual((await giveControl(id, 'user')).body, { control: 'user' })
  assert.equal((await act(id, click(3, 3))).status, 409)
  assert.equal((await service.post(`~/sandboxes/${id}/restart`)).status, 200)
  assert.equal(await control(), 'agent')
})

test('a key that is held across calls is released by a restart', async () => {
  await act(id, { type: 'key:down', key: 'ctrl' }, { includeScreenShot: false })
  await service.post(`~/sandboxes/${id}/restart`)
  const held = `python3 - <<'E'
import ctypes
x = ctypes.CDLL('libX11.so.6')
x.XOpenDisplay.restype = ctypes.c_void_p
keys = (ctypes.c_char * 32)()
x.XQueryKeymap(ctypes.c_void_p(x.XOpenDisplay(None)), keys)
print(sum(bin(b).count('1') for b in keys.raw))
E`
  assert.equal((await inside(id, held)).trim(), '0')
  assert.equal((await act(id, click(5, 5))).status, 200)
})

test('the deprecated operation still works, and names its successor', async () => {
  const { status, headers, body } = await service.post(`~/sandboxes/${id}/actions/computer-use`, {
    action: { ...click(7, 8), callId: 'mine' },
  })
  assert.equal(status, 200)
  assert.match(headers.get('link') ?? '', /actions\/execute>; rel="successor-version"/)
  assert.ok(headers.get('deprecation'))
  assert.equal(body.callId, 'mine')
})

test('a batch returns a result per action, one picture, and the areas that changed', async () => {
  await act(id, { type: 'mouse:move', x: px(900), y: px(600) })
  await inside(id, 'xterm -geometry 40x10+50+50 >/dev/null 2>&1 &')
  // Retry the click, because the window exists before it is shown and an early click goes to what is behind it.
  await waitFor(async () => {
    await act(id, click(150, 120))
    return (await inside(id, activeClass)).includes('XTerm')
  })
  const batch = async (actions: object[]) => {
    const { status, body } = await service.post(`~/sandboxes/${id}/actions/batch`, { actions })
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  const typed = [
    { ...click(150, 120), callId: 'one' },
    { type: 'keyboard:type', content: 'echo $((6*7)) > /home/user/batch\n', treatNewLineAsEnter: true },
  ]
  let body = await batch(typed)
  // Retry, because a terminal that waits for a processor draws later.
  await waitFor(async () => {
    if (body.changed.length > 0) return true
    body = await batch(typed)
    return false
  })
  assert.deepEqual(body.results, [{ success: true, callId: 'one' }, { success: true }])
  assert.ok(body.screenShot && body.cursorPosition)
  assert.ok(body.changed.length > 0)
  for (const { x, y, width, height } of body.changed)
    assert.ok(x >= 0 && y >= 0 && x + width <= 1280 && y + height <= 720)
  await waitFor(async () => (await inside(id, 'cat /home/user/batch')).trim() === '42')
  const cut = await batch([click(1, 1), click(5000, 1), { type: 'keyboard:type', content: 'never' }])
  assert.equal(cut.failedIndex, 1)
  assert.deepEqual(
    cut.results.map(({ success }: { success: boolean }) => success),
    [true, false],
  )
  assert.equal(cut.results[1].error.code, 'action.INVALID')
  assert.ok(cut.screenShot)
})

test('actions in one sandbox run in the order in which they arrived', async () => {
  const active = () => inside(id, 'xdotool getactivewindow')
  const before = await active()
  await inside(id, 'xterm -geometry 80x10+50+300 -e "cat > /home/user/order" >/dev/null 2>&1 &')
  await waitFor(async () => (await inside(id, 'ls /home/user')).includes('order'))
  // The window may appear a moment after its program has started, and a click before that selects nothing.
  await waitFor(async () => {
    await act(id, click(200, 380))
    return (await active()) !== before
  })
  const letters = [...'abcdefghijklmnopqrstuvwxyz']
  await Promise.all(
    letters.map(content =>
      act(id, { type: 'keyboard:type', content }, { includeScreenShot: false, includeCursorPosition: false }),
    ),
  )
  await act(id, { type: 'keyboard:hotkey', keys: 'Return' })
  await waitFor(async () => (await inside(id, 'cat /home/user/order')).trim().length === 26)
  const typed = (await inside(id, 'cat /home/user/order')).trim()
  // Concurrent requests may arrive in any order, but each letter is typed once.
  assert.deepEqual([...typed].sort(), letters)
})

test('a wait ends when its caller disconnects, and the next action proceeds', async () => {
  const stop = new AbortController()
  const url = service.service.url + service.expand(`~/sandboxes/${id}/actions/execute`)
  const waiting = fetch(url, {
    method: 'POST',
    headers: { 'x-api-key': service.service.credentials.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ action: { type: 'wait', duration: 60_000 } }),
    signal: stop.signal,
  })
  const next = act(id, { type: 'screenshot' })
  setTimeout(() => stop.abort(), 100)
  await assert.rejects(waiting)
  assert.equal((await next).status, 200)
})

test('a picture is uploaded to the URL of the caller, and a failed upload is reported with the result', async () => {
  const { promise: uploaded, resolve } = Promise.withResolvers<{ type: string | undefined; body: Buffer }>()
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    if (request.method === 'PUT' && request.url === '/there?signature=1')
      resolve({ type: request.headers['content-type'], body })
    else response.statusCode = 403
    response.end()
  }).listen(0, '127.0.0.1')
  cleanup.defer(() => void server.close())
  await waitFor(async () => server.listening)
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { body } = await act(id, click(9, 9), { screenShotPutUrl: `${at}/there?signature=1` })
  assert.ok(body.screenShot && !body.screenShotPutError)
  const { type, body: picture } = await uploaded
  assert.equal(type, 'image/webp')
  assert.deepEqual(picture, Buffer.from(await (await fetch(body.screenShot)).arrayBuffer()))
  const refused = await service.post(`~/sandboxes/${id}/preview`, { screenShotPutUrl: `${at}/elsewhere` })
  assert.equal(refused.status, 200)
  assert.match(refused.body.screenShotPutError, /answered 403/)
  const forbidden = await act(id, click(9, 9), { screenShotPutUrl: 'http://10.1.2.3/x' })
  assert.match(forbidden.body.screenShotPutError, /private or reserved/)
  assert.equal((await act(id, click(9, 9), { screenShotPutUrl: 'file:///etc/passwd' })).status, 400)
})

test('twenty sandboxes act at once without interfering', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, made))
  const positions = await Promise.all(
    ids.map(async (each, i) => {
      for (let step = 0; step < 5; step++)
        await act(each, click(10 + i, 20 + step), { includeScreenShot: false })
      return (await act(each, { type: 'screenshot' })).body.cursorPosition
    }),
  )
  assert.deepEqual(
    positions.map(({ x, y }) => [x, y]),
    ids.map((_, i) => [10 + i, 24]),
  )
})

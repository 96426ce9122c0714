import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { before, test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { ask } from './ask.ts'
import { malformed } from './malformed.ts'
import type { Address } from './provider.ts'
import { startWorld } from './world.ts'

// The applications are left out, because they take minutes to install. An ordinary desktop has an editor and a browser.
const { service, provider, path } = await startWorld(packages => packages.includes('python3-flask'))

const run = async ({ server }: Address, ...command: string[]) => {
  const answer = await (await ask(`${server}/execute`, { command })).json()
  return (answer as { output: string }).output
}

/** Starts from the image again. */
async function fresh(): Promise<Address> {
  await provider.revert(path, 'init_state')
  await provider.start(path)
  return await provider.address(path)
}

test('a task edits a file in an editor', async () => {
  await fresh()
  assert.deepEqual(await provider.play(path, 'edit-a-file'), [true, 'milk\nbread\n'])
})

test('a task changes a setting of the browser, whose debugging port is reached as any address', async () => {
  const { chromium } = await fresh()
  const playing = provider.play(path, 'browser-setting')
  // The browser ends with its task.
  const { webSocketDebuggerUrl } = await debuggedAt(chromium)
  const { hostname, port, pathname } = new URL(webSocketDebuggerUrl)
  assert.equal(`http://${hostname}:${port}`, chromium)
  const socket = connect(Number(port), hostname)
  const key = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n'
  socket.write(
    `GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${key}\r\n`,
  )
  assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 101 /)
  socket.destroy()
  assert.deepEqual(await playing, [true, 'True\n'])
})

async function debuggedAt(url: string): Promise<{ webSocketDebuggerUrl: string }> {
  let version: { webSocketDebuggerUrl: string } | undefined
  await waitFor(async () => {
    const answer = await fetch(`${url}/json/version`)
    version = answer.ok ? ((await answer.json()) as typeof version) : undefined
    return version !== undefined
  })
  assert.ok(version)
  return version
}

test('the screen has the size that tasks expect, and a picture of it shows the pointer', async () => {
  const { server, screen } = await fresh()
  const sizes = await (await ask(`${server}/screen_size`, {})).json()
  assert.deepEqual(sizes, { width: 1920, height: 1080 })
  await run({ server } as Address, 'python', '-c', 'import pyautogui; pyautogui.moveTo(700, 500)')
  assert.deepEqual(await (await ask(`${server}/cursor_position`)).json(), [700, 500])
  const png = Buffer.from(await (await ask(`${server}/screenshot`)).arrayBuffer())
  assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [1920, 1080])
  const page = await fetch(screen, { redirect: 'manual' })
  assert.match(page.headers.get('location') ?? '', /\/view#/)
})

test('a state is saved as an image, and reverting to it takes back what came later', async () => {
  const address = await fresh()
  await run(address, 'sh', '-c', 'echo saved > state')
  await provider.save(path, 'prepared')
  await run(address, 'sh', '-c', 'echo later > state')
  await provider.revert(path, 'prepared')
  await provider.start(path)
  assert.equal(await run(await provider.address(path), 'cat', 'state'), 'saved\n')
  await assert.rejects(provider.revert(path, 'never saved'), /No state was saved as never saved/)
  assert.match(await run(await fresh(), 'sh', '-c', 'cat state 2>&1'), /No such file/)
  await waitFor(async () => (await service.get('~/sandboxes')).body.length === 1)
})

test('the server survives that all Python processes are killed', async () => {
  const address = await provider.address(path)
  const number = () => run(address, 'pgrep', '-f', 'osworld/server/main.py').catch(() => '')
  const earlier = await number()
  assert.match(earlier, /^\d+/)
  await fetch(`${address.server}/execute`, {
    method: 'POST',
    body: JSON.stringify({ command: ['killall', '-9', 'python3'] }),
  }).catch(() => {})
  await waitFor(async () => ![earlier, ''].includes(await number()))
})

test('the screen is recorded', async () => {
  const { server } = await provider.address(path)
  await ask(`${server}/start_recording`, {})
  const again = await fetch(`${server}/start_recording`, { method: 'POST' })
  assert.equal(again.status, 400)
  const video = Buffer.from(await (await ask(`${server}/end_recording`, {})).arrayBuffer())
  assert.equal(video.toString('latin1', 4, 8), 'ftyp')
  assert.equal((await fetch(`${server}/end_recording`, { method: 'POST' })).status, 400)
})

before(() => provider.start(path))
for (const { name, route, status = 400, ...init } of malformed)
  test(`${name} is a ${status} with a reason, and the server goes on`, async () => {
    const { server } = await provider.address(path)
    const answer = await fetch(`${server}${route}`, { method: 'POST', ...init })
    const said = await answer.text()
    assert.equal(answer.status, status, said)
    const { message } = JSON.parse(said)
    assert.equal(typeof message, 'string')
    assert.equal(await (await fetch(`${server}/platform`)).text(), 'Linux')
  })

test('a stopped environment leaves no sandbox', async () => {
  await provider.stop(path)
  await waitFor(async () => (await service.get('~/sandboxes')).body.length === 0)
})

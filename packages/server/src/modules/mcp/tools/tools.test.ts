import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Client } from '@modelcontextprotocol/client'
import { waitFor } from '@sandglass/machines/testing'
import type { McpServer } from '@sandglass/protocol'
import { assistant, madeServer, pixelsOf, succeed, textOf, use } from '../../../testing/assistant.ts'
import { startMachineService } from '../../../testing/test-machines.ts'

const { service } = await startMachineService()
let server: McpServer
let client: Client
before(async () => {
  server = await madeServer(service)
  client = await assistant(service, server.id)
})

const shell = async (command: string, more = {}) =>
  (await succeed(client, 'shell', { command, ...more })).structuredContent
const act = (args: object) => succeed(client, 'computer-use', args)

test('computer-use moves, clicks, drags, scrolls and presses keys', async () => {
  await shell('xev -geometry 600x400+100+100 -event mouse -event keyboard > events 2>&1 &')
  await waitFor(async () => (await shell('xdotool search --name "Event Tester"'))['exitCode'] === 0)
  await act({ action: 'move', coordinate: [400, 300] })
  const { structuredContent } = await act({ action: 'cursorPosition' })
  assert.deepEqual(structuredContent['pointer'], { x: 400, y: 300 })
  await act({ action: 'click', coordinate: [410, 310] })
  await act({ action: 'rightClick', coordinate: [410, 310] })
  await act({ action: 'middleClick', coordinate: [410, 310] })
  await act({ action: 'doubleClick', coordinate: [410, 310] })
  await act({ action: 'scroll', coordinate: [410, 310], scrollDirection: 'down', scrollAmount: 2 })
  await act({ action: 'scroll', coordinate: [410, 310], scrollDirection: 'up', scrollAmount: 1 })
  await act({ action: 'leftClickDrag', startCoordinate: [300, 250], coordinate: [500, 350] })
  await act({ action: 'keyPress', text: 'F5' })
  let text = ''
  await waitFor(async () => {
    text = String((await shell('cat events'))['stdout'])
    return /KeyRelease[\s\S]*F5/.test(text)
  })
  const pressed = [...text.matchAll(/ButtonPress[\s\S]*?button (\d)/g)].map(([, button]) => Number(button))
  assert.deepEqual(pressed, [1, 3, 2, 1, 1, 5, 5, 4, 1])
  assert.match(text, /keysym 0x\w+, F5/)
  const { pointer } = (await act({ action: 'screenShot' })).structuredContent
  assert.deepEqual(pointer, { x: 500, y: 350 })
  await act({ action: 'wait', duration: 0.1 })
  await shell('pkill xev')
})

test('pictures are scaled to the longest side that the server sets, and coordinates are mapped back', async () => {
  const small = await madeServer(service, { screenLongestSide: 640 })
  const { body } = await service.get('~/mcp-servers')
  const { currentSandboxId: sandboxId } = body.find(({ id }: McpServer) => id === server.id)
  await service.post(`~/mcp-servers/${small.id}/sandbox`, { sandboxId })
  const other = await assistant(service, small.id)
  const result = await succeed(other, 'computer-use', { action: 'move', coordinate: [320, 100] })
  const { width, height } = await pixelsOf(result)
  assert.deepEqual([width, height], [640, 360])
  assert.deepEqual(result.structuredContent['pointer'], { x: 320, y: 100 })
  const { stdout } = await shell('xdotool getmouselocation')
  assert.match(String(stdout), /^x:641 y:201 /)
  const outside = await use(other, 'computer-use', { action: 'click', coordinate: [640, 0] })
  assert.match(textOf(outside), /640 wide and 360 high/)
})

test('shell returns output and exit code, and leaves out the middle of long output', async () => {
  assert.deepEqual(await shell('echo out; echo err >&2; exit 3'), {
    stdout: 'out\n',
    stderr: 'err\n',
    exitCode: 3,
    timedOut: false,
  })
  assert.deepEqual((await shell('pwd', { workingDirectory: '/tmp' }))['stdout'], '/tmp\n')
  const slow = await succeed(client, 'shell', { command: 'sleep 50', timeoutSeconds: 1 })
  assert.equal(slow.structuredContent['timedOut'], true)
  assert.match(textOf(slow), /longer timeoutSeconds, or run it in the background/)
  const long = String((await shell('seq 100000'))['stdout'])
  assert.match(long, /^1\n2\n[\s\S]*characters are left out[\s\S]*99999\n100000\n$/)
  assert.ok(long.length < 21_000)
})

test('files are created, viewed and changed, and folders are listed', async () => {
  const files = (args: object) => succeed(client, 'files', args)
  await files({ action: 'create', path: 'work/poem.txt', content: 'one\ntwo\nthree\n' })
  await shell('chmod 755 work/poem.txt')
  const viewed = await files({ action: 'view', path: 'work/poem.txt' })
  assert.equal(textOf(viewed), '1\tone\n2\ttwo\n3\tthree')
  assert.deepEqual(viewed.structuredContent, { path: 'work/poem.txt', kind: 'file', lines: 3 })
  await files({ action: 'replace', path: 'work/poem.txt', oldText: 'two', newText: 'zwei' })
  await files({ action: 'insert', path: 'work/poem.txt', line: 0, content: 'zero' })
  await files({ action: 'insert', path: 'work/poem.txt', line: 4, content: 'four\n' })
  const { stdout } = await shell('cat work/poem.txt; stat -c %a work/poem.txt')
  assert.equal(stdout, 'zero\none\nzwei\nthree\nfour\n755\n')
  assert.equal(
    textOf(await files({ action: 'view', path: 'work/poem.txt', firstLine: 2, lastLine: 3 })),
    '2\tone\n3\tzwei',
  )
  assert.equal(textOf(await files({ action: 'view', path: 'work' })), 'poem.txt\t25 bytes')

  const errors: [object, RegExp][] = [
    [{ action: 'replace', path: 'work/poem.txt', oldText: 'e', newText: '' }, /more than once/],
    [{ action: 'replace', path: 'work/poem.txt', oldText: 'ten', newText: '' }, /is not in the file/],
    [{ action: 'insert', path: 'work/poem.txt', line: 9, content: 'x' }, /has 5 lines/],
    [{ action: 'view', path: 'work/poem.txt', firstLine: 9 }, /has 5 lines/],
    [{ action: 'view', path: '/bin/ls' }, /is not UTF-8 text/],
    [{ action: 'create', path: '/etc/hostname', content: 'x' }, /sandbox reported/],
    [{ action: 'create', path: 'x' }, /create needs content/],
  ]
  for (const [args, message] of errors) {
    const result = await use(client, 'files', args)
    assert.ok(result.isError)
    assert.match(textOf(result), message)
  }
})

test('open-url shows the page in the browser of the machine', async () => {
  await shell(
    'mkdir -p site; echo "<title>Opened page</title><body bgcolor=#ff0000>" > site/index.html; cd site; python3 -m http.server 8123 >/dev/null 2>&1 & for i in $(seq 100); do (echo > /dev/tcp/127.0.0.1/8123) 2>/dev/null && break; sleep 0.1; done',
  )
  const red = async (result: Parameters<typeof pixelsOf>[0]) => {
    const { data } = await pixelsOf(result)
    let count = 0
    for (let at = 0; at < data.length; at += 3)
      if ((data[at] ?? 0) > 240 && (data[at + 1] ?? 255) < 20 && (data[at + 2] ?? 255) < 20) count++
    return count
  }
  const opened = await succeed(client, 'open-url', { url: 'http://127.0.0.1:8123/' })
  assert.equal(opened.structuredContent['url'], 'http://127.0.0.1:8123/')
  await waitFor(async () => (await red(await act({ action: 'screenShot' }))) > 10_000)
})

test('user-takeover gives control to a person and returns a link for them', async () => {
  const result = await succeed(client, 'user-takeover', { reason: 'Please sign in.' })
  const { body } = await service.get('~/mcp-servers')
  const { currentSandboxId: id } = body.find((known: McpServer) => known.id === server.id)
  const [page, code] = String(result.structuredContent['link']).split('#')
  assert.equal(page, `${service.service.url}/view`)
  const redeemed = await service.post('/api/live/redeem', { code })
  assert.deepEqual([redeemed.status, redeemed.body.roomId], [200, id])
  assert.match(textOf(result), /Please sign in/)
  const control = async () => (await service.get(`~/sandboxes/${id}`)).body.sandbox.control
  assert.equal(await control(), 'user')
  const refused = await use(client, 'computer-use', { action: 'move', coordinate: [10, 10] })
  assert.match(textOf(refused), /person/)
  await service.call('PUT', `~/sandboxes/${id}/control`, { body: { holder: 'agent' } })
  await act({ action: 'move', coordinate: [10, 10] })
})

test('tool calls are in the audit log', async () => {
  const operations = async () =>
    (await service.get('~/audit-log?limit=100')).body.entries.map(
      ({ operation }: { operation: string }) => operation,
    )
  await waitFor(async () => (await operations()).includes('mcp:shell'))
})

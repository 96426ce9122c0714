import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { NotFoundError, Sandbox, Sandglass } from '@sandglass/client'
import { waitFor } from '@sandglass/machines/testing'
import { WebSocket } from 'ws'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { startMachineService } from '../../packages/server/src/testing/test-machines.ts'

const { service } = await startMachineService()
const { credentials } = service.service
const client = new Sandglass(credentials)
const box = cleanup.use(await Sandbox.create({ client }))
const { files } = box
const awkward = ['with space', 'ü 世界 🎉', 'new\nline', '-rf', "it's $HOME", 'a&b?c#d%20', '*']

test('files are written, read, moved, listed and removed, whatever their names', async () => {
  for (const name of awkward) await files.write(`odd/${name}`, name)
  const listed = await Array.fromAsync(files.list('odd'))
  assert.deepEqual(listed.map(({ name }) => name).sort(), [...awkward].sort())
  for (const name of awkward) assert.equal(await files.readText(`odd/${name}`), name)
  const { size, mode } = await files.write('tool', new Uint8Array([1, 2, 3, 4]), { mode: 0o755 })
  assert.deepEqual([size, mode], [4, '0755'])
  assert.deepEqual(await files.read('tool', { start: 1, end: 3 }), new Uint8Array([2, 3]))
  await files.move('tool', 'moved')
  assert.deepEqual([await files.exists('tool'), (await files.stat('moved')).size], [false, 4])
  await files.makeFolder('a/b')
  const form = new FormData()
  form.append('file', new Blob(['one']), 'one.txt')
  const [uploaded] = await files.upload(form, 'a/b')
  assert.deepEqual([uploaded?.success, await files.readText('a/b/one.txt')], [true, 'one'])
  await files.remove('a')
  await assert.rejects(files.read('a/b/one.txt'), NotFoundError)
})

test('large files are streamed in both directions', async () => {
  const [count, piece] = [40, new Uint8Array(500_000).map((_, index) => index * 7)]
  let left = count
  const source = new ReadableStream<Uint8Array>({
    pull: controller => (left-- > 0 ? controller.enqueue(piece) : controller.close()),
  })
  assert.equal((await files.write('large', source)).size, count * piece.length)
  let length = 0
  for await (const chunk of await files.readStream('large')) length += chunk.length
  assert.equal(length, count * piece.length)
  const started = await files.readStream('large')
  await started.cancel()
})

test('a folder is watched', async () => {
  await files.makeFolder('watched')
  const giveUp = new AbortController()
  const seen: string[] = []
  const watching = (async () => {
    for await (const { change, path } of files.watch('watched', { recursive: true, signal: giveUp.signal }))
      seen.push(`${change} ${path}`)
  })()
  let tries = 0
  await waitFor(async () => {
    await files.write(`watched/${tries++}`, 'x')
    return seen.length > 0
  })
  await files.makeFolder('watched/in')
  await waitFor(async () => seen.includes('created in'))
  await files.remove('watched/0')
  await waitFor(async () => seen.includes('removed 0'))
  giveUp.abort(new Error('enough'))
  await assert.rejects(watching, /enough/)
})

test('a folder of this computer is copied, and then only what has changed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-sync-'))
  cleanup.defer(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'deep/er'), { recursive: true })
  await mkdir(join(folder, 'empty'))
  for (const name of awkward) await writeFile(join(folder, 'deep', name), name)
  await writeFile(join(folder, 'deep/er/large'), new Uint8Array(3_000_000).fill(7))
  await writeFile(join(folder, 'run.sh'), 'echo hi')
  await writeFile(join(folder, 'left.out'), 'x')
  await chmod(join(folder, 'run.sh'), 0o755)
  await symlink('run.sh', join(folder, 'link'))
  const options = { remove: true, filter: (path: string) => path !== 'left.out' }
  const sync = () => files.sync(folder, 'copy', options)
  const first = await sync()
  assert.deepEqual([first.uploaded.length, first.skipped], [awkward.length + 2, ['link']])
  for (const name of awkward) assert.equal(await files.readText(`copy/deep/${name}`), name)
  assert.equal((await box.run('ls -A copy; ./copy/run.sh')).stdout, 'deep\nempty\nrun.sh\nhi\n')
  assert.equal((await files.stat('copy/deep/er/large')).size, 3_000_000)
  const second = await sync()
  assert.deepEqual([second.uploaded, second.unchanged.length], [[], awkward.length + 2])
  await writeFile(join(folder, 'deep/-rf'), 'abc')
  await utimes(join(folder, 'run.sh'), 1, 1)
  await rm(join(folder, 'deep/er'), { recursive: true })
  await writeFile(join(folder, 'deep/er'), 'now a file')
  await rm(join(folder, 'deep/*'))
  await files.write('copy/stray', 'x')
  const third = await sync()
  assert.deepEqual([...third.uploaded].sort(), ['deep/-rf', 'deep/er', 'run.sh'])
  assert.deepEqual([...third.removed].sort(), ['deep/*', 'stray'])
  assert.equal(await files.readText('copy/deep/er'), 'now a file')
})

test('a port gets an address that fetch can use, until it is closed', async () => {
  await box.files.write('www/index.html', 'Hello from inside')
  await using server = await box.shell('python3 -m http.server 3000 --bind 127.0.0.1 -d www')
  const port = await box.ports.open(3000)
  await waitFor(async () => (await port.fetch('/index.html')).status === 200)
  assert.equal(await (await port.fetch('/index.html')).text(), 'Hello from inside')
  assert.ok(port.url.startsWith('http://m-') && port.token.length > 10 && port.link.includes(port.token))
  assert.deepEqual(
    (await box.ports.list()).map(open => [open.port, open.url]),
    [[3000, port.url]],
  )
  await port.close()
  assert.notEqual((await port.fetch('/index.html')).status, 200)
  assert.ok(server.id)
})

test('any TCP port is connected to through a tunnel, with either WebSocket', async () => {
  const program = 'import socket;s=socket.create_server(("127.0.0.1",4000))\nwhile 1:\n c=s.accept()[0]\n'
  const echo = `${program} while 1:\n  d=c.recv(65536)\n  if not d: break\n  c.sendall(d)\n c.close()`
  await box.files.write('echo.py', echo)
  await using _server = await box.shell('python3 echo.py')
  await waitFor(async () => (await box.run('grep -q :0FA0 /proc/net/tcp')).exitCode === 0)
  for (const webSocket of [undefined, WebSocket]) {
    const tunnel = await box.ports.connect(4000, { webSocket })
    const total = 5_000_000
    const sent = new Blob([new Uint8Array(total).fill(65)]).stream().pipeTo(tunnel.writable)
    let length = 0
    for await (const chunk of tunnel.readable) length += chunk.length
    await sent
    await tunnel.closed
    assert.equal(length, total)
  }
  await assert.rejects(box.ports.connect(4001), { code: 'client.TUNNEL_REFUSED' })
  await assert.rejects(box.ports.connect(4001, { webSocket: WebSocket }), { code: 'tunnel.NOT_LISTENING' })
  const stranger = new Sandglass({ ...credentials, apiKey: 'wrong' })
  await assert.rejects(Sandbox.connect(box.id, { client: stranger }).ports.connect(4000), { status: 401 })
})

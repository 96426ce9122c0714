import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { cleanup } from '../../testing/cleanup.ts'
import { RunningSandbox } from '../../testing/running-sandbox.ts'
import { startMachineService } from '../../testing/test-machines.ts'

const machines = await startMachineService({ env: { SANDGLASS_OUTBOUND_PRIVATE: '127.0.0.1/32' } })
const { service } = machines
const sandbox = await RunningSandbox.start(machines)

/** An object store on loopback with PUT as to a presigned S3 URL, POST of a form, and GET. */
class Store {
  readonly kept = new Map<string, string>()
  /** Runs before the body of a PUT is read. */
  beforePut: (() => Promise<unknown>) | undefined
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  static async open(): Promise<Store> {
    const server = createServer((request, response) => store.#answer(request, response)).listen(
      0,
      '127.0.0.1',
    )
    await once(server, 'listening')
    cleanup.defer(() => {
      server.closeAllConnections()
      server.close()
    })
    const store = new Store(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    return store
  }

  url(path: string): string {
    return `${this.#url}${path}?signature=hush`
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', this.#url)
    const refuse = (status: number) => request.resume().on('end', () => response.writeHead(status).end())
    if (searchParams.get('signature') !== 'hush') return void refuse(403)
    if (request.method === 'GET') {
      if (pathname === '/huge') {
        response.writeHead(200, { 'content-length': String(700 * 2 ** 20) })
        return void pipeline(Readable.from(zeros(700)), response).catch(() => {})
      }
      if (pathname === '/slow') return void response.writeHead(200).write('begin')
      if (pathname === '/cut') {
        response.writeHead(200, { 'content-length': '100' }).write('half')
        return void setImmediate(() => response.destroy())
      }
      const found = this.kept.get(pathname)
      if (found === undefined) response.writeHead(404).end()
      else response.end(found)
      return
    }
    if (request.headers['content-length'] === undefined) return void refuse(411)
    try {
      if (request.method === 'PUT') await this.beforePut?.()
      if (request.method === 'PUT') this.kept.set(pathname, await text(request))
      else await this.#takeForm(pathname, request)
    } catch {
      // An aborted upload is not stored.
      return
    }
    response.writeHead(request.method === 'PUT' ? 200 : 204).end()
  }

  async #takeForm(pathname: string, request: IncomingMessage): Promise<void> {
    const headers = { 'content-type': request.headers['content-type'] ?? '' }
    const form = await new Response(await buffer(request), { headers }).formData()
    const fields = [...form].map(async ([name, value]) =>
      typeof value === 'string' ? `${name}=${value}` : `${name}=${value.name}:${await value.text()}`,
    )
    this.kept.set(pathname, (await Promise.all(fields)).join(' '))
  }
}

const store = await Store.open()
const inside = (path: string) => ({ type: 'sandboxFileLocation', path })
const get = (path: string) => ({ type: 'httpGetLocation', url: store.url(path) })
const put = (path: string) => ({ type: 'httpPutLocation', url: store.url(path) })
const form = (path: string, fields = {}) => ({
  type: 'httpPostFormLocation',
  url: store.url(path),
  form: fields,
})

interface Result {
  readonly id?: string
  readonly success: boolean
  readonly error?: string
}

async function copy(...files: object[]): Promise<Result[]> {
  const { status, body, text } = await service.post(`~/sandboxes/${sandbox.id}/file/copy`, { files })
  assert.equal(status, 200, text)
  return body.results
}

async function problem(src: object, dest: object): Promise<string> {
  const [result] = await copy({ src, dest })
  assert.equal(result?.success, false)
  assert.doesNotMatch(result.error ?? '', /hush/)
  return result.error ?? ''
}

test('a file is fetched into the sandbox, copied within it, and sent out by PUT and by form', async () => {
  store.kept.set('/source.txt', 'content')
  const into = await copy({ id: 'in', src: get('/source.txt'), dest: inside('new/folder/a.txt') })
  assert.deepEqual(into, [{ id: 'in', success: true }])
  assert.equal(
    await sandbox.run('cat new/folder/a.txt; stat -c " %U %a" new/folder/a.txt'),
    'content user 644',
  )
  const out = await copy(
    { src: inside('new/folder/a.txt'), dest: inside('/tmp/b.txt') },
    { src: inside('/home/user/new/folder/a.txt'), dest: put('/put') },
    { src: inside('new/folder/a.txt'), dest: form('/form', { key: 'k', policy: 'p' }) },
    { src: inside('new/folder/a.txt'), dest: { ...form('/field'), fileField: 'upload' } },
  )
  assert.deepEqual(out, Array(4).fill({ success: true }))
  assert.equal(await sandbox.run('cat /tmp/b.txt'), 'content')
  assert.equal(store.kept.get('/put'), 'content')
  assert.equal(store.kept.get('/form'), 'key=k policy=p file=a.txt:content')
  assert.equal(store.kept.get('/field'), 'upload=a.txt:content')
})

test('a large file is sent unchanged, by PUT and by form', async () => {
  await sandbox.run('head -c 9000000 /dev/urandom | base64 -w 0 > large')
  const sum = (content = '') => createHash('sha256').update(content).digest('hex')
  const [expected] = (await sandbox.run('sha256sum large')).split(' ')
  const results = await copy(
    { src: inside('large'), dest: put('/large') },
    { src: inside('large'), dest: form('/large-form') },
  )
  assert.deepEqual(results, Array(2).fill({ success: true }))
  assert.equal(sum(store.kept.get('/large')), expected)
  assert.equal(sum(store.kept.get('/large-form')?.replace('file=large:', '')), expected)
})

test('a file is copied from one URL to another, even if it is empty', async () => {
  store.kept.set('/from.txt', 'passed on')
  store.kept.set('/empty', '')
  await sandbox.run(': > empty')
  const results = await copy(
    { src: get('/from.txt'), dest: put('/relayed') },
    { src: get('/from.txt'), dest: form('/relayed-form') },
    { src: inside('empty'), dest: put('/empty-put') },
    { src: get('/empty'), dest: inside('was-empty') },
  )
  assert.deepEqual(results, Array(4).fill({ success: true }))
  assert.equal(store.kept.get('/relayed'), 'passed on')
  assert.equal(store.kept.get('/relayed-form'), 'file=from.txt:passed on')
  assert.equal(store.kept.get('/empty-put'), '')
  assert.equal(await sandbox.run('stat -c %s was-empty'), '0')
})

test('a write-only location is refused as a source, and a read-only one as a destination', async () => {
  assert.match(await problem(put('/x'), inside('a')), /src is an httpPutLocation.*use a sandboxFileLocation/)
  assert.match(await problem(form('/x'), inside('a')), /src is an httpPostFormLocation/)
  assert.match(await problem(put('/x'), put('/y')), /src is an httpPutLocation/)
  assert.match(await problem(inside('a'), get('/x')), /dest is an httpGetLocation.*use a sandboxFileLocation/)
})

test('results are in the order of the files, and a failure does not stop the others', async () => {
  store.kept.set('/source.txt', 'content')
  const results = await copy(
    { id: '1', src: get('/absent'), dest: inside('out/1') },
    { id: '2', src: get('/source.txt'), dest: inside('out/2') },
    { id: '3', src: inside('absent'), dest: put('/3') },
    { src: get('/source.txt'), dest: inside('/etc/passwd') },
    ...Array.from({ length: 12 }, (_, i) => ({
      id: `m${i}`,
      src: get('/source.txt'),
      dest: inside(`out/m${i}`),
    })),
  )
  assert.deepEqual(
    results.map(({ id, success }) => [id, success]),
    [
      ['1', false],
      ['2', true],
      ['3', false],
      [undefined, false],
      ...Array.from({ length: 12 }, (_, i) => [`m${i}`, true]),
    ],
  )
  assert.match(results[0]?.error ?? '', /^http:\/\/127\.0\.0\.1:\d+: it answered 404\./)
  assert.match(results[2]?.error ?? '', /No such file/)
  assert.match(results[3]?.error ?? '', /denied/i)
  assert.equal(await sandbox.run('ls out | wc -l'), '13')
})

test('folders, FIFOs, devices and symlink loops are reported as such, and nothing hangs', async () => {
  await sandbox.run(
    'mkdir -p kinds; cd kinds; mkdir folder; mkfifo fifo; ln -s loop loop; ln -s /etc/shadow shadow',
  )
  assert.match(await problem(inside('kinds/folder'), put('/x')), /not a regular file/)
  assert.match(await problem(inside('kinds/fifo'), put('/x')), /not a regular file/)
  assert.match(await problem(inside('/dev/zero'), put('/x')), /not a regular file/)
  assert.match(await problem(inside('kinds/loop'), put('/x')), /symbolic links/)
  assert.match(await problem(inside('kinds/shadow'), put('/x')), /denied/i)
  assert.match(await problem(inside('kinds/a\0b'), put('/x')), /NUL/)
  store.kept.set('/source.txt', 'content')
  assert.match(await problem(get('/source.txt'), inside('kinds/folder')), /folder/)
  assert.match(await problem(get('/source.txt'), inside('kinds/fifo')), /not a regular file/)
})

test('paths cannot lead out of the sandbox', async () => {
  const up = '../'.repeat(20)
  assert.match(await problem(inside(`${up}${service.folder}/credentials.json`), put('/x')), /No such file/)
  store.kept.set('/source.txt', 'content')
  assert.deepEqual(await copy({ src: get('/source.txt'), dest: inside(`${up}tmp/up`) }), [{ success: true }])
  assert.equal(await sandbox.run('cat /tmp/up'), 'content')
})

test('a source that is cut off leaves no file, not even a partial one', async () => {
  assert.match(await problem(get('/cut'), inside('cut/file')), /closed the connection/)
  assert.match(await problem(get('/cut'), put('/cut-put')), /closed the connection/)
  assert.equal(await sandbox.run('ls -A cut'), '')
  assert.equal(store.kept.has('/cut-put'), false)
})

test('a full disk is reported as such, and nothing is left behind', async () => {
  assert.match(await problem(get('/huge'), inside('full/huge')), /No space left/)
  assert.equal(await sandbox.run('ls -A full'), '')
})

function* zeros(megabytes: number): Generator<Buffer> {
  for (let i = 0; i < megabytes; i++) yield Buffer.alloc(2 ** 20)
}

test('a file that changes while it is sent is reported, and its upload does not complete', async () => {
  // The file is larger than all buffers between the two.
  assert.equal(await sandbox.run('head -c 60000000 /dev/zero > changing'), '')
  store.beforePut = () => sandbox.run('printf x >> changing')
  assert.match(await problem(inside('changing'), put('/changing')), /changed while it was read/)
  store.beforePut = undefined
  assert.equal(store.kept.has('/changing'), false)
})

test('a copy ends when the caller disconnects, and repeating it works', async () => {
  const stop = new AbortController()
  const files = [{ src: get('/slow'), dest: inside('slow/file') }]
  const asked = sandbox.fetch('/file/copy', {
    method: 'POST',
    body: JSON.stringify({ files }),
    headers: { 'content-type': 'application/json' },
    signal: stop.signal,
  })
  await waitFor(async () => (await sandbox.run('ls -A slow')).endsWith('.part'))
  stop.abort()
  await assert.rejects(asked)
  await waitFor(async () => (await sandbox.run('ls -A slow')) === '')
  store.kept.set('/source.txt', 'content')
  assert.deepEqual(await copy({ src: get('/source.txt'), dest: inside('slow/file') }), [{ success: true }])
})

test('networks that the operator has not allowed are not called', async () => {
  const { port } = new URL(store.url('/'))
  const elsewhere = (host: string) => ({ type: 'httpGetLocation', url: `http://${host}:${port}/` })
  for (const host of ['127.0.0.2', '[::1]', '169.254.169.254', '10.0.0.1'])
    assert.match(await problem(elsewhere(host), inside('a')), /private or reserved network/)
  assert.match(await problem({ ...get('/x'), headers: { 'a b': 'c' } }, inside('a')), /header/)
})

test('an invalid body is a 400', async () => {
  for (const body of [
    {},
    { files: [] },
    { files: [{ src: inside('a'), dest: { type: 'ftp', url: 'ftp://x' } }] },
    { files: [{ src: { type: 'httpGetLocation', url: 'ftp://x' }, dest: inside('a') }] },
    { files: [{ src: inside(''), dest: inside('a') }] },
  ]) {
    const answer = await service.post(`~/sandboxes/${sandbox.id}/file/copy`, body)
    assert.deepEqual([answer.status, answer.body.code], [400, 'request.INVALID'])
  }
  assert.equal((await service.post('~/sandboxes/absent/file/copy', { files: [] })).status, 400)
})

test('a guest that keeps swapping folders for symlinks cannot escape the sandbox', async () => {
  await sandbox.run('mkdir -p swap/real swap/other')
  const script = 'cd swap; while :; do mv real moved; ln -s /etc real; rm real; mv moved real; done'
  const process = await sandbox.machine.exec({ executable: 'sh', args: ['-c', script] })
  store.kept.set('/source.txt', 'content')
  for (let round = 0; round < 10; round++)
    for (const { success, error } of await copy(
      ...Array.from({ length: 8 }, (_, i) => ({ src: get('/source.txt'), dest: inside(`swap/real/${i}`) })),
    ))
      assert.ok(success || error)
  process.kill()
  await process.exited
  assert.equal(await sandbox.run('find /etc swap -name "*.part" 2>/dev/null | wc -l'), '0')
  assert.equal((await service.get(`~/sandboxes/${sandbox.id}/status`)).body.status, 'RUNNING')
})

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { waitFor } from '@sandglass/machines/testing'
import { cleanup } from '../../testing/cleanup.ts'
import { RunningSandbox } from '../../testing/running-sandbox.ts'
import { startMachineService } from '../../testing/test-machines.ts'

const machines = await startMachineService()
const { service } = machines
const sandbox = await RunningSandbox.start(machines)

const content = (path: string) => `/files/content?path=${encodeURIComponent(path)}`
const put = (path: string, body: NonNullable<RequestInit['body']>, headers = {}) =>
  sandbox.fetch(content(path), { method: 'PUT', body, headers, ...(body instanceof ReadableStream && half) })
const half = { duplex: 'half' } as const
const post = async (path: string, body: unknown) => {
  const headers = { 'content-type': 'application/json' }
  const answer = await sandbox.fetch(path, { method: 'POST', body: JSON.stringify(body), headers })
  return { status: answer.status, body: JSON.parse((await answer.text()) || 'null') }
}
/** Returns the JSON of a response, whose shape the test knows. */
// biome-ignore lint/suspicious/noExplicitAny: a test knows the shape of the JSON that it checks.
const json = async (answer: Response | Promise<Response>): Promise<any> => (await answer).json()
const codeOf = async (asked: Response | Promise<Response>) => {
  const answer = await asked
  return [answer.status, (await json(answer)).code]
}

test('a file is written from any body, and read back unchanged', async () => {
  const bytes = randomBytes(3_000_000)
  const before = Date.now()
  const written = await put('deep/er/file.bin', bytes, { 'content-type': 'application/json' })
  assert.equal(written.status, 200)
  const { modifiedAt, ...file } = await json(written)
  assert.deepEqual(file, {
    name: 'file.bin',
    kind: 'file',
    size: bytes.length,
    mode: '0644',
    user: 1000,
    group: 1000,
  })
  // The clock of a file system can be a tick behind.
  assert.ok(Date.parse(modifiedAt) > before - 1000 && Date.parse(modifiedAt) <= Date.now())
  const answer = await sandbox.fetch(content('/home/user/deep/er/file.bin'))
  assert.ok(bytes.equals(Buffer.from(await answer.arrayBuffer())))
  assert.equal(await sandbox.run('stat -c "%U %a" deep/er/file.bin'), 'user 644')
})

test('a body may be chunked, empty or missing, and the mode is in octal', async () => {
  const chunked = Readable.toWeb(Readable.from([Buffer.from('one '), Buffer.from('two')]))
  assert.equal((await put('chunked', chunked as ReadableStream)).status, 200)
  assert.equal(await sandbox.run('cat chunked'), 'one two')
  assert.equal((await put('empty', '')).status, 200)
  assert.equal((await sandbox.fetch(`${content('tool')}&mode=0755`, { method: 'PUT' })).status, 200)
  assert.equal(await sandbox.run('stat -c "%s %a" empty tool'), '0 644\n0 755')
  const wrong = sandbox.fetch(`${content('tool')}&mode=999`, { method: 'PUT' })
  assert.deepEqual(await codeOf(wrong), [400, 'request.INVALID'])
})

test('errors name the path of the caller, and of two paths the one that is wrong', async () => {
  const denied = (path: string) => `The sandbox reported: Permission denied: ${path}.`
  const messageOf = async (answer: Promise<Response>): Promise<string> => (await json(answer)).message
  assert.ok((await messageOf(put('/etc/new-file', 'x'))).startsWith(denied('/etc/new-file')))
  assert.ok(
    (await messageOf(put(`/home/user/${'n'.repeat(300)}`, 'x'))).includes(`/home/user/${'n'.repeat(300)}`),
  )
  await put('mine', 'x')
  for (const overwrite of [true, false]) {
    const move = async (from: string, to: string): Promise<string> =>
      (await post('/files/move', { from, to, overwrite })).body.message
    assert.ok((await move('/home/user/mine', '/etc/mine')).startsWith(denied('/etc/mine')))
    assert.ok((await move('/etc/passwd', '/home/user/passwd')).startsWith(denied('/etc/passwd')))
    assert.match(await move('/home/user/absent', '/home/user/new'), /No such file or directory: .*absent\./)
  }
})

test('a cursor that no response contained is refused by its name', async () => {
  for (const cursor of ['A', 'AB=', 'AAAAA']) {
    const answer = await sandbox.fetch(`/files?cursor=${cursor}`)
    const body = await json(answer)
    assert.equal(answer.status, 400)
    assert.deepEqual(body.issues, [
      { path: 'query.cursor', message: 'must be a nextCursor from an earlier response' },
    ])
  }
})

test('a range of a file is read, and invalid ranges are reported or ignored', async () => {
  await put('digits', '0123456789')
  const ranges: [string, number, string, string | null][] = [
    ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=-2', 206, '89', 'bytes 8-9/10'],
    ['bytes=5-100', 206, '56789', 'bytes 5-9/10'],
    ['bytes=0-1,4-5', 200, '0123456789', null],
    ['lines=1-2', 200, '0123456789', null],
    ['bytes=nonsense', 200, '0123456789', null],
  ]
  for (const [range, status, expected, contentRange] of ranges) {
    const answer = await sandbox.fetch(content('digits'), { headers: { range } })
    assert.deepEqual(
      [answer.status, await answer.text(), answer.headers.get('content-range')],
      [status, expected, contentRange],
      range,
    )
  }
  const beyond = await sandbox.fetch(content('digits'), { headers: { range: 'bytes=10-' } })
  assert.equal(beyond.headers.get('content-range'), 'bytes */10')
  assert.deepEqual(await codeOf(beyond), [416, 'file.RANGE'])
})

test('validators avoid reading an unchanged file, and guard a range', async () => {
  await put('digits', '0123456789')
  const { headers } = await sandbox.fetch(content('digits'), { method: 'HEAD' })
  const [etag, modified] = [headers.get('etag') ?? '', headers.get('last-modified') ?? '']
  const ask = async (sent: Record<string, string>) =>
    (await sandbox.fetch(content('digits'), { headers: sent })).status
  assert.equal(await ask({ 'if-none-match': etag }), 304)
  assert.equal(await ask({ 'if-modified-since': modified }), 304)
  assert.equal(await ask({ 'if-none-match': '"other"' }), 200)
  assert.equal(await ask({ range: 'bytes=1-2', 'if-range': modified }), 206)
  assert.equal(await ask({ range: 'bytes=1-2', 'if-range': 'Sun, 01 Jan 2023 00:00:00 GMT' }), 200)
  await put('digits', 'changed')
  assert.equal(await ask({ 'if-none-match': etag }), 200)
})

test('HEAD returns the length without reading the file', async () => {
  await sandbox.run('truncate -s 300M sparse')
  const answer = await sandbox.fetch(content('sparse'), { method: 'HEAD' })
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-length'), String(300 * 1024 * 1024))
  assert.equal(await answer.text(), '')
  await sandbox.run('rm sparse')
})

test("a guest's page is an attachment that no browser runs on the origin of the service", async () => {
  await put('päge".html', '<script>alert(1)</script>')
  const { headers } = await sandbox.fetch(content('päge".html'))
  assert.equal(headers.get('content-type'), 'application/octet-stream')
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
  assert.match(headers.get('content-security-policy') ?? '', /^sandbox;/)
  assert.match(
    headers.get('content-disposition') ?? '',
    /^attachment; filename=.*filename\*=utf-8''p%C3%A4ge%22\.html$/i,
  )
})

test('folders are created and listed in pages, and files are inspected, moved and removed', async () => {
  assert.equal((await post('/files/folders', { path: 'box/inner' })).status, 200)
  assert.equal((await post('/files/folders', { path: 'box/inner' })).status, 200)
  for (const name of ['b', 'a', 'c']) await put(`box/${name}`, name)
  await sandbox.run('ln -s a box/link')
  const list = async (query: string) => json(sandbox.fetch(`/files?${query}`))
  const first = await list('path=box&limit=3')
  const names = (page: { files: { name: string; kind: string }[] }) =>
    page.files.map(({ name, kind }) => `${name} ${kind}`)
  assert.deepEqual(names(first), ['a file', 'b file', 'c file'])
  const second = await list(`path=box&limit=3&cursor=${encodeURIComponent(first.nextCursor)}`)
  assert.deepEqual(names(second), ['inner directory', 'link symlink'])
  assert.equal(second.nextCursor, null)
  const link = await json(sandbox.fetch('/files/info?path=box/link'))
  assert.deepEqual([link.kind, link.target], ['symlink', 'a'])

  assert.deepEqual((await post('/files/move', { from: 'box/a', to: 'box/b' })).body.code, 'file.EXISTS')
  assert.equal((await post('/files/move', { from: 'box/a', to: 'box/b', overwrite: true })).status, 200)
  assert.equal((await post('/files/move', { from: 'box/b', to: 'new/place/d' })).status, 200)
  assert.equal(await sandbox.run('cat new/place/d'), 'a')
  for (let times = 0; times < 2; times++)
    assert.equal((await sandbox.fetch('/files?path=box', { method: 'DELETE' })).status, 200)
  assert.equal(await sandbox.run('ls -d box || true'), "ls: cannot access 'box': No such file or directory")
  assert.ok((await list('')).files.length > 0, 'the home folder is listed if no path is given')
})

test('an impossible operation is a 4xx with the reason', async () => {
  await sandbox.run('mkfifo -m 666 fifo; mkdir -p folder')
  const cases: [Promise<Response>, number, string][] = [
    [sandbox.fetch(content('absent')), 404, 'file.NOT_FOUND'],
    [sandbox.fetch(content('/etc/shadow')), 403, 'file.DENIED'],
    [sandbox.fetch(content('folder')), 409, 'file.WRONG_KIND'],
    [sandbox.fetch(content('fifo')), 409, 'file.WRONG_KIND'],
    [sandbox.fetch(content('/dev/zero')), 409, 'file.WRONG_KIND'],
    [sandbox.fetch(content('x'.repeat(3000))), 400, 'file.INVALID'],
    [sandbox.fetch(content('a\0b')), 400, 'request.INVALID'],
    [sandbox.fetch('/files/content'), 400, 'request.INVALID'],
    [put('/etc/passwd', 'x'), 403, 'file.DENIED'],
    [put('folder', 'x'), 409, 'file.WRONG_KIND'],
    [put('fifo', 'x'), 409, 'file.WRONG_KIND'],
    [sandbox.fetch('/files?path=/etc/passwd'), 409, 'file.WRONG_KIND'],
    [sandbox.fetch('/files?path=folder&cursor=%21'), 400, 'request.INVALID'],
    [sandbox.fetch('/files?path=folder&limit=0'), 400, 'request.INVALID'],
    [sandbox.fetch('/files/changes?path=absent'), 404, 'file.NOT_FOUND'],
    [sandbox.fetch('/files?path=/usr', { method: 'DELETE' }), 403, 'file.DENIED'],
  ]
  for (const [answer, status, code] of cases) assert.deepEqual(await codeOf(answer), [status, code])
})

test('a full disk is reported as such, and nothing is left behind', async () => {
  // Hundreds of megabytes would take so long on a busy box that the rest of a refused body is no longer awaited.
  await sandbox.run("fallocate -l $(($(df --output=avail -BM . | tr -dc '0-9') - 48))M most")
  const more = Readable.toWeb(Readable.from(lots(80)))
  assert.deepEqual(await codeOf(put('too-large', more as ReadableStream)), [409, 'file.NO_SPACE'])
  assert.equal(await sandbox.run('ls -A | grep -c part || true'), '0')
  assert.equal((await put('small', 'fits')).status, 200)
  const sized = await put('too-large', Buffer.alloc(80 << 20))
  assert.deepEqual(await codeOf(sized), [409, 'file.NO_SPACE'])
  assert.equal((await put('small', 'fits')).status, 200)
  await sandbox.run('rm most')
})

test('an aborted upload leaves nothing behind', async () => {
  const { hostname, port } = new URL(service.service.url)
  const path = service.expand(`~/sandboxes/${sandbox.id}${content('broken/off')}`)
  const socket = connect(Number(port), hostname)
  socket.write(
    `PUT ${path} HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${service.service.credentials.apiKey}\r\nContent-Length: 1000\r\n\r\nhalf`,
  )
  await waitFor(async () => (await sandbox.run('ls -A broken')).endsWith('.part'))
  socket.destroy()
  await waitFor(async () => (await sandbox.run('ls -A broken')) === '')
})

test('the files of a form are written as they arrive, and one that fails does not stop the others', async () => {
  const form = new FormData()
  form.append('note', 'a field that is no file')
  form.append('one', new File(['first'], 'one.txt'))
  form.append('two', new File([Buffer.alloc(500_000, 'x')], 'taken'))
  form.append('three', new File(['third'], '../../etc/näme.txt'))
  form.append('four', new File([Buffer.alloc(500_000, 'y')], '..'))
  form.append('five', new File([], 'five'))
  await sandbox.run('mkdir -p form/taken')
  const answer = await sandbox.fetch('/files/content?path=form', { method: 'POST', body: form })
  const { results } = await json(answer)
  assert.deepEqual(
    results.map(({ name, success, file }: Record<string, unknown> & { file?: { size: number } }) => [
      name,
      success,
      file?.size,
    ]),
    [
      ['one.txt', true, 5],
      ['taken', false, undefined],
      ['näme.txt', true, 5],
      ['', false, undefined],
      ['five', true, 0],
    ],
  )
  assert.match(results[1].error, /folder/)
  assert.equal(await sandbox.run('cat form/one.txt form/näme.txt'), 'firstthird')
})

test('an invalid or incomplete form is a 400 and writes no partial file', async () => {
  const send = (body: string, type = 'multipart/form-data; boundary=b') =>
    sandbox.fetch('/files/content?path=formless', { method: 'POST', body, headers: { 'content-type': type } })
  assert.deepEqual(await codeOf(send('{}', 'application/json')), [400, 'file.FORM'])
  assert.deepEqual(await codeOf(send('--b--\r\n')), [400, 'file.FORM'])
  const head = '--b\r\nContent-Disposition: form-data; name="f"; filename="cut.txt"\r\n\r\n'
  assert.deepEqual(await codeOf(send(`${head}half`)), [400, 'file.FORM'])
  assert.deepEqual(await codeOf(send('nonsense')), [400, 'file.FORM'])
  assert.equal(await sandbox.run('ls -A formless'), '')
})

test('a large file is uploaded and downloaded with flat memory', async () => {
  const megabytes = 256
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-files-'))
  cleanup.defer(() => rm(folder, { recursive: true, force: true }))
  await writeFile(`${folder}/large`, lots(megabytes))
  const before = usedMiB()
  let maxGrowth = 0
  let watch: NodeJS.Timeout | undefined
  // Garbage collection uses the whole processor, so leave the transfer several times as long in between.
  const sample = () => {
    const beganMs = performance.now()
    maxGrowth = Math.max(maxGrowth, usedMiB() - before)
    watch = setTimeout(sample, Math.max(200, 5 * (performance.now() - beganMs)))
  }
  sample()
  // Transfer in another process, so that the memory of this one is that of the service.
  const curl = (...args: string[]) => {
    const key = `x-api-key: ${service.service.credentials.apiKey}`
    return promisify(execFile)('curl', ['-sSf', '-H', key, ...args, sandbox.url(content('large'))])
  }
  await curl('-T', `${folder}/large`)
  await curl('-o', `${folder}/back`)
  clearTimeout(watch)
  await promisify(execFile)('cmp', [`${folder}/large`, `${folder}/back`])
  assert.ok(maxGrowth < 32, `${maxGrowth} MiB more than before`)
  await sandbox.run('rm large')
})

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** Returns the memory in MiB that this process holds outside the heap, where the content of files would be. */
function usedMiB(): number {
  collect()
  return process.memoryUsage().arrayBuffers / 2 ** 20
}

function* lots(megabytes: number): Generator<Buffer> {
  for (let i = 0; i < megabytes; i++) yield Buffer.alloc(2 ** 20, `piece ${i} `)
}

test('an aborted download closes the file', async () => {
  await sandbox.run('truncate -s 300M let-go')
  const held = async () => {
    const links = await Promise.all(
      (await readdir('/proc/self/fd')).map(fd => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
    )
    return links.some(path => path.endsWith('/let-go'))
  }
  const stop = new AbortController()
  const answer = await sandbox.fetch(content('let-go'), { signal: stop.signal })
  await answer.body?.getReader().read()
  assert.ok(await held())
  stop.abort()
  await waitFor(async () => !(await held()))
  await sandbox.run('rm let-go')
})

test('changes are reported as they happen, until the caller disconnects', async () => {
  await sandbox.run('mkdir -p watched/deep')
  const stop = new AbortController()
  const answer = await sandbox.fetch('/files/changes?path=watched&recursive=true', { signal: stop.signal })
  assert.equal(answer.headers.get('content-type'), 'text/event-stream')
  const events = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  assert.ok(events)
  let seen = ''
  const until = async (expected: string) => {
    while (!seen.includes(expected)) {
      const { value, done } = await events.read()
      assert.ok(!done, seen)
      seen += value
    }
  }
  await until(': here\n\n')
  await put('watched/deep/file', 'x')
  await until('data: {"change":"created","path":"deep/file","kind":"file"}\n\n')
  stop.abort()
  // Only the agent is left, and no process that watches.
  await waitFor(
    async () => (await sandbox.run('grep -sl guest/agent[.]py /proc/[0-9]*/cmdline | wc -l')) === '1',
  )
})

test('a watch ends with its sandbox', async () => {
  const other = await RunningSandbox.start(machines)
  const answer = await other.fetch('/files/changes')
  assert.equal(answer.status, 200)
  assert.equal((await service.delete(`~/sandboxes/${other.id}`)).status, 200)
  assert.match(await answer.text(), /^: here\n\n/)
})

test('operations that change files are in the audit log, and those that only read are not', async () => {
  await put('audited.txt', 'content')
  await post('/files/move', { from: 'audited.txt', to: 'moved.txt' })
  await sandbox.fetch(content('moved.txt'))
  await sandbox.fetch('/files?path=moved.txt', { method: 'DELETE' })
  const operations = async () => {
    const { body } = await service.get(`~/audit-log?target=${sandbox.id}`)
    return body.entries.map(({ operation }: { operation: string }) => operation)
  }
  await waitFor(async () => (await operations()).includes('removeSandboxFile'))
  const seen = new Set(await operations())
  assert.ok(seen.has('writeSandboxFile') && seen.has('moveSandboxFile'))
  assert.ok(!seen.has('readSandboxFile'))
})

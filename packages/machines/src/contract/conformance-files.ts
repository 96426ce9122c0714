import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { Readable, Writable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { it } from 'node:test'
import { fails, output, shell } from './conformance-tools.ts'
import type { FileRange } from './files.ts'
import type { Machine } from './machine.ts'
import type { Surroundings } from './surroundings.ts'

/** What the files of every machine do. */
export function files(context: () => Surroundings & { readonly machine: Machine }): void {
  const machine = () => context().machine
  const folder = () => `${context().home}/${randomUUID()}`

  it('writes and reads a file whole and by range, making its folders', async () => {
    const path = `${folder()}/deep/er/file.bin`
    const content = Buffer.alloc(9_000_000, 'sandglass')
    for (const options of [{}, { size: content.length }, { size: 5_000_000 }]) {
      const pieces = Readable.from([content.subarray(0, 70_000), content.subarray(70_000)])
      assert.equal((await machine().files.write(path, pieces, options)).size, content.length)
      assert.ok(content.equals(await buffer(await machine().files.read(path))))
    }
    assert.equal(await text(await machine().files.read(path, { offset: 9, length: 4 })), 'sand')
    const { kind, size, mode } = await machine().files.stat(path)
    assert.deepEqual({ kind, size, mode }, { kind: 'file', size: content.length, mode: 0o644 })
    assert.equal(
      (await output(machine(), { executable: 'stat', args: ['-c', '%U', path] })).stdout,
      `${context().user}\n`,
    )
  })

  it('never shows a part of a file under its name', async () => {
    const path = `${folder()}/whole.txt`
    const broken = Readable.from(
      (async function* () {
        yield Buffer.from('first half')
        throw new Error('the source broke')
      })(),
    )
    await assert.rejects(machine().files.write(path, broken), /the source broke/)
    await assert.rejects(machine().files.stat(path), fails('NOT_FOUND'))
    // The child that wrote it takes the part away when it sees the end.
    for (;;) if ((await machine().files.list(path.replace('/whole.txt', ''))).entries.length === 0) break
  })

  it('lists, moves and removes', async () => {
    const path = folder()
    const { files } = machine()
    await files.makeDirectory(`${path}/sub`)
    await files.write(`${path}/a.txt`, Buffer.from('a'), { mode: 0o600 })
    assert.equal(
      (await output(machine(), { executable: 'ln', args: ['-s', 'a.txt', `${path}/link`] })).code,
      0,
    )
    const kinds = (await files.list(path)).entries.map(({ name, kind, target }) => [name, kind, target])
    assert.deepEqual(kinds, [
      ['a.txt', 'file', undefined],
      ['link', 'symlink', 'a.txt'],
      ['sub', 'directory', undefined],
    ])
    await files.move(`${path}/a.txt`, `${path}/sub/b.txt`)
    assert.equal((await files.stat(`${path}/sub/b.txt`)).mode, 0o600)
    await files.remove(path)
    await files.remove(path)
    await assert.rejects(files.stat(path), fails('NOT_FOUND'))
  })

  it('acts with the rights of the user who is named', async () => {
    await assert.rejects(machine().files.write('/etc/nope', Buffer.from('x')), fails('DENIED'))
    const asRoot = machine().files.write('/etc/yes', Buffer.from('x'), { user: 'root' })
    if (!context().hasRoot) return assert.rejects(asRoot, fails('INVALID'))
    await asRoot
    assert.equal(await text(await machine().files.read('/etc/yes')), 'x')
  })

  it('says what is wrong with a path', async () => {
    await assert.rejects(machine().files.read('/no/such/file'), fails('NOT_FOUND'))
    await assert.rejects(machine().files.read('/usr'), fails('WRONG_KIND'))
    await assert.rejects(machine().files.read('/dev/zero'), fails('WRONG_KIND'))
    await assert.rejects(machine().files.list(''), fails('INVALID'))
    await assert.rejects(machine().files.list('/etc/passwd'), fails('WRONG_KIND'))
    await assert.rejects(machine().files.write(context().home, Buffer.from('x')), fails('WRONG_KIND'))
    await assert.rejects(machine().files.write('folder/', Buffer.from('x')), fails('WRONG_KIND'))
    await assert.rejects(machine().files.makeDirectory('/etc/passwd'), fails('EXISTS'))
    await assert.rejects(machine().files.stat('x'.repeat(300)), fails('INVALID'))
  })

  it('waits for no FIFO, and puts no file in the place of one', async () => {
    const path = folder()
    await machine().files.makeDirectory(path)
    await output(machine(), { executable: 'mkfifo', args: [`${path}/fifo`] })
    await assert.rejects(machine().files.open(`${path}/fifo`), fails('WRONG_KIND'))
    await assert.rejects(machine().files.write(`${path}/fifo`, Buffer.from('x')), fails('WRONG_KIND'))
    await assert.rejects(machine().files.copy(`${path}/fifo`, `${path}/copy`), fails('WRONG_KIND'))
  })

  it('reads of the file that was opened, whatever happens to its name', async () => {
    const path = `${folder()}/a`
    const { files } = machine()
    await files.write(path, Buffer.from('first'))
    const [whole, unread] = [await files.open(path), await files.open(path)]
    unread.close()
    await files.write(path, Buffer.from('another'))
    assert.deepEqual([whole.info.name, whole.info.size], ['a', 5])
    assert.equal(await text(whole.read()), 'first')
  })

  it('sends a file to a sink, whole and by range, small and large', async () => {
    const path = `${folder()}/a`
    const { files } = machine()
    for (const content of [randomBytes(1000), randomBytes(9_000_000)]) {
      await files.write(path, content)
      for (const range of [{}, { offset: 10, length: 500 }, { offset: 990 }]) {
        const got: Buffer[] = []
        const write = (piece: Buffer, _: string, done: () => void) => {
          got.push(Buffer.from(piece))
          done()
        }
        await (await files.open(path)).sendTo(new Writable({ write }), range)
        const { offset = 0, length = content.length } = range as FileRange
        assert.ok(content.subarray(offset, offset + length).equals(Buffer.concat(got)))
      }
    }
  })

  it('frees the buffers that it may consume, and leaves others alone', async () => {
    const path = `${folder()}/a`
    const write = async (consume: boolean) => {
      const pieces = Array.from({ length: 6 }, () => Buffer.from(new ArrayBuffer(1_000_000)).fill('x'))
      const { size } = await machine().files.write(path, Readable.from(pieces), { size: 6_000_000, consume })
      assert.equal(size, 6_000_000)
      return pieces.map(({ length }) => length)
    }
    assert.deepEqual(await write(false), Array(6).fill(1_000_000))
    assert.ok([0, 1_000_000].includes((await write(true))[0] ?? -1))
    assert.ok((await buffer(await machine().files.read(path))).equals(Buffer.alloc(6_000_000, 'x')))
  })

  it('tells when a file became shorter while it was read, and with steady when it changed at all', async () => {
    const path = `${folder()}/a`
    const { files } = machine()
    await files.write(path, Buffer.alloc(9_000_000))
    const [grown, sent, cut] = [await files.open(path), await files.open(path), await files.open(path)]
    await output(machine(), shell(`printf more >> ${path}`))
    await assert.rejects(buffer(grown.read({ steady: true })), fails('STATE'))
    const sink = new Writable({ write: (_piece, _encoding, done) => done() })
    await assert.rejects(sent.sendTo(sink, { steady: true }), fails('STATE'))
    await output(machine(), shell(`printf less > ${path}`))
    await assert.rejects(buffer(cut.read()), fails('STATE'))

    await files.write(path, Buffer.from('0123456789'))
    const [shorter, longer, steady] = [await files.open(path), await files.open(path), await files.open(path)]
    await output(machine(), shell(`printf more >> ${path}`))
    assert.equal(await text(longer.read()), '0123456789')
    await assert.rejects(text(steady.read({ steady: true })), fails('STATE'))
    await output(machine(), shell(`printf 01 > ${path}`))
    await assert.rejects(text(shorter.read()), fails('STATE'))
  })

  it('copies within the machine, with the mode', async () => {
    const path = folder()
    const { files } = machine()
    await files.write(`${path}/a`, Buffer.alloc(100_000, 'a'), { mode: 0o750 })
    assert.equal((await files.copy(`${path}/a`, `${path}/new/b`)).size, 100_000)
    const { size, mode } = await files.stat(`${path}/new/b`)
    assert.deepEqual({ size, mode }, { size: 100_000, mode: 0o750 })
    await assert.rejects(files.copy(`${path}/none`, `${path}/c`), fails('NOT_FOUND'))
    await assert.rejects(files.copy(path, `${path}/c`), fails('WRONG_KIND'))
  })

  it('lists a folder by pages, also names that are no UTF-8', async () => {
    const path = folder()
    await output(machine(), shell(`mkdir ${path} && cd ${path} && touch b a c "$(printf '\\377')" d`))
    const pages: string[][] = []
    let next: string | undefined
    do {
      const page = await machine().files.list(path, { limit: 2, ...(next !== undefined && { after: next }) })
      pages.push(page.entries.map(({ name }) => name))
      next = page.next
    } while (next !== undefined)
    assert.deepEqual(pages, [['a', 'b'], ['c', 'd'], ['\ufffd']])
  })

  it('moves over a file only where it is told to', async () => {
    const path = folder()
    const { files } = machine()
    await files.write(`${path}/a`, Buffer.from('a'))
    await files.write(`${path}/b`, Buffer.from('b'))
    await assert.rejects(files.move(`${path}/a`, `${path}/b`, { overwrite: false }), fails('EXISTS'))
    await files.move(`${path}/a`, `${path}/far/away/c`, { overwrite: false })
    await files.move(`${path}/far/away/c`, `${path}/b`)
    assert.equal(await text(await files.read(`${path}/b`)), 'a')
    await assert.rejects(files.move(`${path}/none`, `${path}/b`, { overwrite: false }), fails('NOT_FOUND'))
  })

  it('puts a file into the folder that it found, though that is swapped for a symlink meanwhile', async () => {
    const path = folder()
    await output(machine(), shell(`mkdir -p ${path}/real ${path}/other`))
    const swapped = Promise.withResolvers<void>()
    const content = Readable.from(
      (async function* () {
        yield Buffer.from('one ')
        await swapped.promise
        yield Buffer.from('two')
      })(),
    )
    const written = machine().files.write(`${path}/real/file`, content)
    // The part is there, so the folder was found.
    for (;;) if ((await machine().files.list(`${path}/real`)).entries.length > 0) break
    await output(machine(), shell(`cd ${path} && mv real moved && ln -s other real`))
    swapped.resolve()
    await written
    assert.equal(await text(await machine().files.read(`${path}/moved/file`)), 'one two')
    assert.deepEqual((await machine().files.list(`${path}/other`)).entries, [])
    assert.equal((await machine().files.list(`${path}/moved`)).entries.length, 1)
  })

  it('answers a short request while a long one is under way', async () => {
    const path = `${folder()}/large`
    await output(
      machine(),
      shell(`mkdir -p ${path.replace('/large', '')} && head -c 4000000 /dev/zero > ${path}`),
    )
    // More than fits between the two, so its process waits for a reader.
    const long = (await machine().files.open(path)).read()
    const [one, other] = await Promise.all([
      machine().files.read(path),
      machine().files.read('/etc/hostname'),
    ])
    assert.equal((await buffer(one)).length, 4_000_000)
    assert.ok((await text(other)).length > 0)
    assert.equal((await buffer(long)).length, 4_000_000)
  })

  it('tells what changes in a folder and below it, until the folder goes', async () => {
    const path = folder()
    await machine().files.makeDirectory(`${path}/old`)
    const { canWatchBelow: recursive } = context()
    if (!recursive) await assert.rejects(machine().files.watch(path, { recursive: true }), fails('INVALID'))
    const changes = (await machine().files.watch(path, { recursive }))[Symbol.asyncIterator]()
    const seen = new Set<string>()
    const after = async (script: string, ...expected: string[]) => {
      await output(machine(), shell(`cd ${path} && ${script}`))
      while (!expected.every(change => seen.has(change))) {
        const { value } = await changes.next()
        assert.ok(value?.change !== 'overflow' && value, `${expected} is not in ${[...seen]}`)
        seen.add(`${value.change} ${value.kind} ${value.path}`)
      }
    }
    await after('echo > a', 'created file a', 'modified file a')
    if (recursive) {
      await after(
        'mkdir -p new/deep && echo > new/deep/b',
        'created directory new/deep',
        'created file new/deep/b',
      )
      await after('mv a old/c', 'removed file a', 'created file old/c')
      await after('mv old older', 'removed directory old', 'created directory older')
      await after('rm older/c', 'removed file older/c')
      await after('rm -r new', 'removed file new/deep/b', 'removed directory new')
    } else {
      await after("mv a 'a name'", 'removed file a', 'created file a name')
      await after("rm 'a name'", 'removed file a name')
    }
    await output(machine(), shell(`rm -r ${path}`))
    for (let ended = false; !ended; ) ended = (await changes.next()).done ?? false
  })

  it('watches until the signal fires, and says when a folder cannot be watched', async () => {
    const stop = new AbortController()
    const changes = await machine().files.watch(context().home, { signal: stop.signal })
    stop.abort()
    for await (const _ of changes);
    await assert.rejects(machine().files.watch('/no/such'), fails('NOT_FOUND'))
    await assert.rejects(machine().files.watch('/etc/passwd'), fails('WRONG_KIND'))
    await assert.rejects(machine().files.watch('/root'), fails('DENIED'))
  })
}

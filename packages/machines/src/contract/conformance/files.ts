import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { it } from 'node:test'
import { waitFor } from '../../testing/wait-for.ts'
import { maxSmallFile } from '../files.ts'
import { fails, output } from './running.ts'
import type { Inside } from './subject.ts'

/** Tests how files are written, listed, moved, copied and removed. */
export function files(context: () => Inside): void {
  const machine = () => context().machine
  const join = (...parts: string[]) => parts.reduce(context().guest.paths.join)
  const folder = () => join(context().guest.home, randomUUID())
  const hasModes = () => context().guest.os !== 'windows'

  it('writes and reads a file whole and by range, and makes its folders', async () => {
    const { guest, programs } = context()
    const path = join(folder(), 'deep', 'er', 'file.bin')
    const content = Buffer.alloc(9_000_000, 'sandglass')
    for (const options of [{}, { size: content.length }, { size: 5_000_000 }]) {
      const pieces = Readable.from([content.subarray(0, 70_000), content.subarray(70_000)])
      assert.equal((await machine().files.write(path, pieces, options)).size, content.length)
      assert.ok(content.equals(await buffer(await machine().files.read(path))))
    }
    assert.equal(await text(await machine().files.read(path, { offset: 9, length: 4 })), 'sand')
    const { kind, size, mode } = await machine().files.stat(path)
    assert.deepEqual({ kind, size }, { kind: 'file', size: content.length })
    if (hasModes()) assert.equal(mode, 0o644)
    assert.equal((await output(machine(), programs.printOwner(path))).stdout, `${guest.user}\n`)
  })

  it('never shows an incomplete file under its name', async () => {
    const path = folder()
    const broken = Readable.from(
      (async function* () {
        yield Buffer.from('first half')
        throw new Error('the source broke')
      })(),
    )
    await assert.rejects(machine().files.write(join(path, 'whole.txt'), broken), /the source broke/)
    await assert.rejects(machine().files.stat(join(path, 'whole.txt')), fails('NOT_FOUND'))
    // The process that wrote the incomplete file removes it when its input ends.
    await waitFor(async () => (await machine().files.list(path)).entries.length === 0)
  })

  it('creates small files, reads them at once, and leaves an existing one alone', async () => {
    const path = folder()
    const { files } = machine()
    for (const content of [Buffer.from('first'), Buffer.alloc(0), Buffer.alloc(700_000, 'sandglass')]) {
      assert.equal((await files.create(path, content)).size, content.length)
      await assert.rejects(files.create(path, Buffer.from('second')), fails('EXISTS'))
      const small = await files.readSmall(path)
      assert.ok(small.content?.equals(content))
      assert.equal(small.info.size, content.length)
      await files.write(path, Buffer.from('third'))
      assert.equal(String((await files.readSmall(path)).content), 'third')
      await files.remove(path, { durable: false })
      await files.remove(path, { durable: false })
      await assert.rejects(files.readSmall(path), fails('NOT_FOUND'))
    }
    await assert.rejects(files.readSmall(context().expected.landmarks.protected), fails('WRONG_KIND'))
    await files.makeDirectory(join(path, 'deep'))
    await files.remove(path, { durable: false })
    await assert.rejects(files.stat(path), fails('NOT_FOUND'))
  })

  it('only describes a file that is not small', async () => {
    const path = folder()
    const { files } = machine()
    await files.write(path, Buffer.alloc(maxSmallFile))
    assert.equal((await files.readSmall(path)).content?.length, maxSmallFile)
    await files.write(path, Buffer.alloc(maxSmallFile + 1))
    const { info, content } = await files.readSmall(path)
    assert.equal(info.size, maxSmallFile + 1)
    assert.equal(content, undefined)
  })

  it('lists, moves and removes', async () => {
    const path = folder()
    const { files } = machine()
    await files.makeDirectory(join(path, 'sub'))
    await files.write(join(path, 'a.txt'), Buffer.from('a'), { mode: 0o600 })
    const link = context().programs.makeSymlink('a.txt', join(path, 'link'))
    assert.equal((await output(machine(), link)).code, 0)
    const kinds = (await files.list(path)).entries.map(({ name, kind, target }) => [name, kind, target])
    assert.deepEqual(kinds, [
      ['a.txt', 'file', undefined],
      ['link', 'symlink', 'a.txt'],
      ['sub', 'directory', undefined],
    ])
    await files.move(join(path, 'a.txt'), join(path, 'sub', 'b.txt'))
    const { size, mode } = await files.stat(join(path, 'sub', 'b.txt'))
    assert.equal(size, 1)
    if (hasModes()) assert.equal(mode, 0o600)
    await files.remove(path)
    await files.remove(path)
    await assert.rejects(files.stat(path), fails('NOT_FOUND'))
  })

  it('acts with the permissions of the user who is named', async () => {
    const { guest, expected } = context()
    const path = (name: string) => join(expected.landmarks.protected, name)
    await assert.rejects(machine().files.write(path('nope'), Buffer.from('x')), fails('DENIED'))
    const user = guest.administrator ?? 'root'
    const written = machine().files.write(path('yes'), Buffer.from('x'), { user })
    if (guest.administrator === undefined) return assert.rejects(written, fails('INVALID'))
    await written
    assert.equal(await text(await machine().files.read(path('yes'))), 'x')
  })

  it('reports what is wrong with a path', async () => {
    const { guest, expected } = context()
    const { landmarks } = expected
    const { files } = machine()
    await assert.rejects(files.read(landmarks.missing), fails('NOT_FOUND'))
    await assert.rejects(files.read(landmarks.protected), fails('WRONG_KIND'))
    if (landmarks.device !== undefined)
      await assert.rejects(files.read(landmarks.device), fails('WRONG_KIND'))
    await assert.rejects(files.list(''), fails('INVALID'))
    await assert.rejects(files.list(landmarks.readable), fails('WRONG_KIND'))
    await assert.rejects(files.write(guest.home, Buffer.from('x')), fails('WRONG_KIND'))
    const folder = `folder${guest.paths.separator}`
    await assert.rejects(files.write(folder, Buffer.from('x')), fails('WRONG_KIND'))
    await assert.rejects(files.makeDirectory(landmarks.readable), fails('EXISTS'))
    await assert.rejects(files.stat('x'.repeat(300)), fails('INVALID'))
  })

  it('does not wait for a named pipe, and does not replace one with a file', async () => {
    const { makeFifo } = context().programs
    if (!makeFifo) return
    const path = folder()
    const { files } = machine()
    await files.makeDirectory(path)
    const fifo = join(path, 'fifo')
    assert.equal((await output(machine(), makeFifo(fifo))).code, 0)
    await assert.rejects(files.open(fifo), fails('WRONG_KIND'))
    await assert.rejects(files.write(fifo, Buffer.from('x')), fails('WRONG_KIND'))
    await assert.rejects(files.copy(fifo, join(path, 'copy')), fails('WRONG_KIND'))
  })

  it('copies within the machine, and keeps the mode', async () => {
    const path = folder()
    const { files } = machine()
    await files.write(join(path, 'a'), Buffer.alloc(100_000, 'a'), { mode: 0o750 })
    assert.equal((await files.copy(join(path, 'a'), join(path, 'new', 'b'))).size, 100_000)
    const { size, mode } = await files.stat(join(path, 'new', 'b'))
    assert.equal(size, 100_000)
    if (hasModes()) assert.equal(mode, 0o750)
    await assert.rejects(files.copy(join(path, 'none'), join(path, 'c')), fails('NOT_FOUND'))
    await assert.rejects(files.copy(path, join(path, 'c')), fails('WRONG_KIND'))
  })

  it('lists a folder by pages, also names that are not valid UTF-8', async () => {
    const { makeUndecodableName } = context().programs
    const path = folder()
    for (const name of ['b', 'a', 'c', 'd']) await machine().files.write(join(path, name), Buffer.from(''))
    if (makeUndecodableName) assert.equal((await output(machine(), makeUndecodableName(path))).code, 0)
    const pages: string[][] = []
    let next: string | undefined
    do {
      const page = await machine().files.list(path, { limit: 2, ...(next !== undefined && { after: next }) })
      pages.push(page.entries.map(({ name }) => name))
      next = page.next
    } while (next !== undefined)
    assert.deepEqual(pages, [['a', 'b'], ['c', 'd'], ...(makeUndecodableName ? [['\ufffd']] : [])])
  })

  it('moves over a file only if that is allowed', async () => {
    const path = folder()
    const { files } = machine()
    const [a, b, c] = [join(path, 'a'), join(path, 'b'), join(path, 'far', 'away', 'c')]
    await files.write(a, Buffer.from('a'))
    await files.write(b, Buffer.from('b'))
    await assert.rejects(files.move(a, b, { overwrite: false }), fails('EXISTS'))
    await files.move(a, c, { overwrite: false })
    await files.move(c, b)
    assert.equal(await text(await files.read(b)), 'a')
    await assert.rejects(files.move(join(path, 'none'), b, { overwrite: false }), fails('NOT_FOUND'))
  })

  it('puts a file into the folder that it found, even if a symlink replaces that folder meanwhile', async () => {
    const path = folder()
    const { files } = machine()
    await files.makeDirectory(join(path, 'real'))
    await files.makeDirectory(join(path, 'other'))
    const swapped = Promise.withResolvers<void>()
    const content = Readable.from(
      (async function* () {
        yield Buffer.from('one ')
        await swapped.promise
        yield Buffer.from('two')
      })(),
    )
    const written = files.write(join(path, 'real', 'file'), content)
    // As soon as the incomplete file is there, the folder was found.
    await waitFor(async () => (await files.list(join(path, 'real'))).entries.length > 0)
    await files.move(join(path, 'real'), join(path, 'moved'))
    const link = context().programs.makeSymlink('other', join(path, 'real'))
    assert.equal((await output(machine(), link)).code, 0)
    swapped.resolve()
    await written
    assert.equal(await text(await files.read(join(path, 'moved', 'file'))), 'one two')
    assert.deepEqual((await files.list(join(path, 'other'))).entries, [])
    assert.equal((await files.list(join(path, 'moved'))).entries.length, 1)
  })
}

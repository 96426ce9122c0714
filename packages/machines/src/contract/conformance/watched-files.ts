import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { it } from 'node:test'
import { fails, output } from './running.ts'
import type { Inside } from './subject.ts'

/** Tests how changes of files are reported. */
export function watchedFiles(context: () => Inside): void {
  const machine = () => context().machine

  it('reports what changes in a folder, and below it if it can, until the folder is removed', async () => {
    const { guest, expected, programs } = context()
    const { files } = machine()
    const path = guest.paths.join(guest.home, randomUUID())
    const at = (name: string) => name.split('/').reduce(guest.paths.join, path)
    await files.makeDirectory(at('old'))
    const recursive = expected.canWatchRecursively
    if (!recursive) await assert.rejects(files.watch(path, { recursive: true }), fails('INVALID'))
    const changes = (await files.watch(path, { recursive }))[Symbol.asyncIterator]()
    const seen = new Set<string>()
    const after = async (work: Promise<unknown>, ...expected: string[]) => {
      await work
      while (!expected.every(change => seen.has(change))) {
        const { value } = await changes.next()
        assert.ok(value?.change !== 'overflow' && value, `${expected} is not in ${[...seen]}`)
        seen.add(`${value.change} ${value.kind} ${value.path}`)
      }
    }
    const write = (name: string) => output(machine(), programs.overwrite(at(name), 'x'))
    const move = (from: string, to: string) => files.move(at(from), at(to))
    await after(write('a'), 'created file a', 'modified file a')
    if (recursive) {
      await after(
        files.makeDirectory(at('new/deep')).then(() => write('new/deep/b')),
        'created directory new/deep',
        'created file new/deep/b',
      )
      await after(move('a', 'old/c'), 'removed file a', 'created file old/c')
      await after(move('old', 'older'), 'removed directory old', 'created directory older')
      await after(files.remove(at('older/c')), 'removed file older/c')
      await after(files.remove(at('new')), 'removed file new/deep/b', 'removed directory new')
    } else {
      await after(move('a', 'a name'), 'removed file a', 'created file a name')
      await after(files.remove(at('a name')), 'removed file a name')
    }
    await files.remove(path)
    for (let ended = false; !ended; ) ended = (await changes.next()).done ?? false
  })

  it('watches until the signal fires, and reports why a folder cannot be watched', async () => {
    const { guest, expected } = context()
    const { missing, readable, forbidden } = expected.landmarks
    const { files } = machine()
    const stop = new AbortController()
    const changes = await files.watch(guest.home, { signal: stop.signal })
    stop.abort()
    for await (const _ of changes);
    await assert.rejects(files.watch(missing), fails('NOT_FOUND'))
    await assert.rejects(files.watch(readable), fails('WRONG_KIND'))
    await assert.rejects(files.watch(forbidden), fails('DENIED'))
  })
}

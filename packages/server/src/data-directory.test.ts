import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { DataDirectory } from './data-directory.ts'

const folder = await mkdtemp(join(tmpdir(), 'sandglass-data-'))
after(() => rm(folder, { recursive: true }))

test('a second process is refused while the first holds the directory', async () => {
  const path = join(folder, 'held')
  const first = await DataDirectory.lock(path)
  await assert.rejects(DataDirectory.lock(path), {
    message: `Another sandglass (process ${process.pid}) runs in ${path}. Stop it, or give this one a SANDGLASS_DATA of its own.`,
  })
  first.release()
  await waitFor(async () => {
    const second = await DataDirectory.lock(path).catch(() => undefined)
    second?.release()
    return second !== undefined
  })
})

test('a process that was killed holds nothing', async () => {
  const path = join(folder, 'killed')
  const module = new URL('data-directory.ts', import.meta.url).href
  const script = `const { DataDirectory } = await import(${JSON.stringify(module)})
    await DataDirectory.lock(${JSON.stringify(path)}); console.log('locked'); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script])
  await once(child.stdout, 'data')
  await assert.rejects(DataDirectory.lock(path), /Another sandglass/)
  child.kill('SIGKILL')
  await once(child, 'exit')
  await waitFor(async () => {
    const next = await DataDirectory.lock(path).catch(() => undefined)
    next?.release()
    return next !== undefined
  })
})

test('what is written is whole, private and kept', async () => {
  const data = await DataDirectory.lock(join(folder, 'written'))
  await data.write('note', 'first')
  await data.write('note', 'second')
  assert.equal(await data.read('note'), 'second')
  assert.equal((await stat(join(data.path, 'note'))).mode & 0o777, 0o600)
  assert.equal(await data.nodeId(), await data.nodeId())
  data.release()
})

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, readlink, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { DataDirectory } from './data-directory.ts'

const folder = await mkdtemp(join(tmpdir(), 'sandglass-data-'))
after(() => rm(folder, { recursive: true }))

/** Starts a process that locks a directory, starts a child, and stays until it is killed. */
async function holderOf(path: string): Promise<ChildProcess> {
  const module = new URL('data-directory.ts', import.meta.url).href
  const script = `const { DataDirectory } = await import(${JSON.stringify(module)})
    const { spawn } = await import('node:child_process')
    await DataDirectory.lock(${JSON.stringify(path)})
    spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] }).once('spawn', () => console.log('locked'))
    setInterval(() => {}, 1000)`
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script])
  after(() => holder.kill('SIGKILL'))
  await once(holder.stdout, 'data')
  return holder
}

async function childrenOf(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return children.split(' ').filter(Boolean).map(Number)
}

async function hasOpen(pid: number, file: string): Promise<boolean> {
  const folder = `/proc/${pid}/fd`
  const links = (await readdir(folder)).map(name => readlink(join(folder, name)).catch(() => ''))
  return (await Promise.all(links)).includes(file)
}

test('a second process is refused while the first holds the lock', async () => {
  const path = join(folder, 'held')
  const first = await DataDirectory.lock(path)
  await assert.rejects(DataDirectory.lock(path), {
    message: `Another sandglass (process ${process.pid}) is running in ${path}. Stop it, or set SANDGLASS_DATA to a different folder.`,
    pid: String(process.pid),
  })
  first.release()
  const second = await DataDirectory.lock(path)
  second.release()
})

test('only the process itself holds the lock, so that killing its children does not release it', async () => {
  const path = join(folder, 'childless')
  const { pid = 0 } = await holderOf(path)
  const children = await childrenOf(pid)
  assert.ok(children.length > 0)
  assert.ok(await hasOpen(pid, join(path, 'lock')))
  for (const child of children) {
    assert.ok(!(await hasOpen(child, join(path, 'lock'))), 'a child inherited the lock')
    process.kill(child, 'SIGKILL')
  }
  await waitFor(async () => (await childrenOf(pid)).length === 0)
  await assert.rejects(DataDirectory.lock(path), /Another sandglass/)
})

test('a killed process holds no lock', async () => {
  const path = join(folder, 'killed')
  const holder = await holderOf(path)
  await assert.rejects(DataDirectory.lock(path), /Another sandglass/)
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  const next = await DataDirectory.lock(path)
  next.release()
})

test('files are written atomically, and are readable only by their owner', async () => {
  const data = await DataDirectory.lock(join(folder, 'written'))
  await data.write('note', 'first')
  await data.write('note', 'second')
  assert.equal(await data.read('note'), 'second')
  assert.equal((await stat(join(data.path, 'note'))).mode & 0o777, 0o600)
  assert.equal(await data.nodeId(), await data.nodeId())
  data.release()
})

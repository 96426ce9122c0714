import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { EmbeddedPostgres } from './server.ts'

const run = promisify(execFile)

test('a database does not keep the mounts of machines', async t => {
  await mkdir('/run/sandglass', { recursive: true })
  const mounted = await mkdtemp('/run/sandglass/mounts-')
  await run('mount', ['-t', 'tmpfs', 'machine', mounted])
  t.after(async () => {
    await run('umount', ['-l', mounted])
    await rm(mounted, { recursive: true })
  })
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-database-'))
  const server = await EmbeddedPostgres.start(join(folder, 'postgres'), {
    info: () => {},
    warn: console.warn,
  })
  t.after(async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  })
  const [pid] = (await readFile(join(folder, 'postgres/cluster/postmaster.pid'), 'utf8')).split('\n')
  assert.doesNotMatch(await readFile(`/proc/${pid}/mounts`, 'utf8'), / \/run\/sandglass\//)
})

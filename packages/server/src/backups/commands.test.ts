import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { cleanup } from '../testing/cleanup.ts'
import { createTestDatabase } from '../testing/database.ts'
import { startTestService } from '../testing/test-service.ts'

const service = await startTestService()
const folder = await mkdtemp(join(tmpdir(), 'sandglass-backup-commands-'))
cleanup.defer(() => rm(folder, { recursive: true, force: true }))

interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command as npm does, with these settings and no others. */
function run(script: string, env: Record<string, string>, ...args: string[]): Promise<Ran> {
  const others = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('SANDGLASS_') && name !== 'DATABASE_URL',
  )
  const settings = { ...Object.fromEntries(others), SANDGLASS_MACHINES: 'none', SANDGLASS_VMS: 'off', ...env }
  const program = join(import.meta.dirname, '..', script)
  return new Promise(resolve =>
    execFile(process.execPath, [program, ...args], { env: settings }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    ),
  )
}

test('an operator backs up a running service, looks at the backups, and restores one', async () => {
  const { stdout: key } = await run('backup.ts', {}, '--new-key')
  assert.match(key, /^sgb_[\w-]{43}\n$/)
  const file = join(folder, 'key')
  await writeFile(file, key, { mode: 0o600 })
  const to = join(folder, 'backups')
  const source = {
    SANDGLASS_DATA: service.folder,
    SANDGLASS_BACKUP_KEY_FILE: file,
    SANDGLASS_BACKUP_TO: to,
    ...(service.databaseUrl !== undefined && { DATABASE_URL: service.databaseUrl }),
  }
  const made = await run('backup.ts', source)
  assert.equal(made.code, 0, made.stderr)
  const [id = ''] = made.stdout.split(' ')
  assert.deepEqual(await readdir(join(to, 'backups')), [id])
  assert.equal((await run('backup.ts', source, '--list')).stdout.trim(), made.stdout.trim())
  assert.equal((await run('backup.ts', source, '--verify')).stdout, `The backup ${id} is complete.\n`)

  const database = await createTestDatabase()
  if (database) cleanup.defer(() => database.drop())
  const target = {
    SANDGLASS_DATA: join(folder, 'data'),
    SANDGLASS_DISK_RESERVE: '0',
    ...(database && { DATABASE_URL: database.url }),
  }
  const locked = await run('restore.ts', target, '--from', to)
  assert.deepEqual(
    [locked.code, locked.stderr],
    [1, `The backups in ${to} are encrypted; set SANDGLASS_BACKUP_KEY_FILE to the file with their key.\n`],
  )
  const restored = await run('restore.ts', { ...target, SANDGLASS_BACKUP_KEY_FILE: file }, '--from', to)
  assert.equal(restored.code, 0, restored.stderr)
  const files = await readdir(target.SANDGLASS_DATA)
  for (const name of ['credentials.json', 'installation', 'node-id', 'secret-key'])
    assert.ok(files.includes(name), `${name} is not among ${files}`)
})

test('a command that cannot do what it is asked for says why in one line', async () => {
  for (const [script, env, args, says] of [
    ['backup.ts', {}, [], 'Name a folder or s3://bucket/prefix with --to, or set SANDGLASS_BACKUP_TO.'],
    ['restore.ts', {}, ['--from', 'ftp://x'], '--from must be a folder, or s3://bucket/prefix.'],
  ] as const) {
    const { code, stderr } = await run(script, env, ...args)
    assert.deepEqual([code, stderr], [1, `${says}\n`])
  }
})

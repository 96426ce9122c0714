import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { hashOf, newSecret } from './auth/secret.ts'
import { CredentialsFile } from './credentials-file.ts'
import { DataDirectory } from './data-directory.ts'
import { startTestService } from './testing/test-service.ts'

const { pool, folder, service } = await startTestService()
const data = await DataDirectory.lock(join(folder, 'other'))
const file = new CredentialsFile(data)
const path = join(folder, 'other', 'credentials.json')
const credentials = { ...service.credentials }

/** The variables that any POSIX shell has after it has read `env`. */
function shellVariables(): Record<string, string> {
  const script =
    '. "$0"; printf "%s\\n" "$SANDGLASS_URL" "$SANDGLASS_ORG"; exec sh -c \'echo "$SANDGLASS_API_KEY"\''
  const [url = '', orgId = '', apiKey = ''] = execFileSync(
    'sh',
    ['-c', script, join(folder, 'other', 'env')],
    {
      encoding: 'utf8',
    },
  ).split('\n')
  return { url, orgId, apiKey }
}

async function keyInDatabase(): Promise<string> {
  const { text, prefix, hash } = newSecret('operator')
  await pool.db.insertInto('operator_keys').values({ id: randomUUID(), prefix, hash }).execute()
  return text
}

test('after a crash in a rotation the file keeps the secret that the database knows', async () => {
  const { operatorKey: old } = credentials
  for (const [fresh, expected] of [
    ['sgo_never-committed', old],
    [await keyInDatabase(), undefined],
  ] as const) {
    await file.write(credentials)
    assert.equal(await file.offer('operatorKey', hashOf(old), fresh), true)
    // Both are in the file until it is known which of them counts.
    const text = await readFile(path, 'utf8')
    assert.ok(text.includes(old) && text.includes(fresh))
    await file.settle(pool.db)
    assert.deepEqual(JSON.parse(await readFile(path, 'utf8')), {
      ...credentials,
      operatorKey: expected ?? fresh,
    })
  }
})

test('a file with another key, and a damaged one, are left as they are', async () => {
  await file.write(credentials)
  assert.equal(await file.offer('operatorKey', hashOf('sgo_another'), 'sgo_new'), false)
  assert.deepEqual(await file.read(), credentials)
  await writeFile(path, 'damaged')
  assert.equal(await file.offer('apiKey', hashOf(credentials.apiKey), 'sgk_new'), false)
  assert.equal(await readFile(path, 'utf8'), 'damaged')
  await assert.rejects(file.read(), /credentials\.json in the data directory is damaged/)
})

test('a shell that reads env, and the programs that it starts, have the variables of clients', async () => {
  const { operatorKey, ...rest } = credentials
  const odd = { ...rest, url: 'http://it\'s $HOME; `false` \\ "here"' }
  await file.write({ ...odd, operatorKey })
  assert.deepEqual(shellVariables(), odd)
  const env = join(folder, 'other', 'env')
  assert.equal((await stat(env)).mode & 0o777, 0o600)
  assert.ok(!(await readFile(env, 'utf8')).includes(operatorKey))
})

test('env has the new secret while a key is rotated, and afterwards the one that the database knows', async () => {
  await file.write(credentials)
  await file.offer('apiKey', hashOf(credentials.apiKey), 'sgk_never-committed')
  assert.equal(shellVariables()['apiKey'], 'sgk_never-committed')
  await file.settle(pool.db)
  assert.equal(shellVariables()['apiKey'], credentials.apiKey)
})

test('env is written again for another database', async () => {
  await file.switchInstallation('first')
  await file.write(credentials)
  await file.switchInstallation('second')
  await assert.rejects(stat(join(folder, 'other', 'env')), { code: 'ENOENT' })
})

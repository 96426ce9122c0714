import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordCalls } from '../../packages/server/src/testing/e2b-calls/record-calls.ts'
import { startDesktop } from './e2b-desktop/start-desktop.ts'

recordCalls(import.meta.filename)
const { desktop: sandbox } = await startDesktop()
const { git } = sandbox
const [origin, work, copy] = ['/home/user/origin.git', '/home/user/work', '/home/user/copy']

test('a repository is made, changed on branches, and pushed to another one', async () => {
  await git.configureUser('Ada', 'ada@example.test')
  await git.setConfig('pull.rebase', 'false', { scope: 'global' })
  assert.equal(await git.getConfig('user.name', { scope: 'global' }), 'Ada')
  await git.init(origin, { bare: true, initialBranch: 'main' })
  await git.init(work, { initialBranch: 'main' })
  await git.remoteAdd(work, 'origin', origin)
  assert.equal(await git.remoteGet(work, 'origin'), origin)

  await sandbox.files.write(`${work}/note`, 'one\n')
  assert.equal((await git.status(work)).untrackedCount, 1)
  await git.add(work)
  assert.equal((await git.status(work)).stagedCount, 1)
  await git.reset(work, { paths: ['note'] }).catch(() => undefined)
  await git.add(work, { files: ['note'] })
  await git.commit(work, 'Begin')
  await git.createBranch(work, 'draft')
  await git.checkoutBranch(work, 'main')
  assert.deepEqual((await git.branches(work)).branches.toSorted(), ['draft', 'main'])
  await git.deleteBranch(work, 'draft')
  assert.deepEqual((await git.branches(work)).branches, ['main'])

  await sandbox.files.write(`${work}/note`, 'two\n')
  await git.restore(work, { paths: ['note'] })
  assert.equal(await sandbox.files.read(`${work}/note`), 'one\n')
  await git.push(work, { remote: 'origin', branch: 'main' })
  await git.clone(origin, { path: copy })
  assert.equal(await sandbox.files.read(`${copy}/note`), 'one\n')

  await sandbox.files.write(`${work}/note`, 'three\n')
  await git.add(work)
  await git.commit(work, 'Try')
  await git.reset(work, { mode: 'soft', target: 'HEAD~1' })
  assert.equal((await git.status(work)).stagedCount, 1)
  await git.commit(work, 'Go on')
  await git.push(work, { remote: 'origin', branch: 'main' })
  await git.pull(copy)
  assert.equal(await sandbox.files.read(`${copy}/note`), 'three\n')
})

test('credentials for a host are kept in the sandbox', async () => {
  await git.dangerouslyAuthenticate({ username: 'ada', password: 'not real', host: 'git.example.test' })
  const { stdout } = await sandbox.commands.run(
    'printf "protocol=https\\nhost=git.example.test\\n\\n" | git credential fill',
  )
  assert.match(stdout, /^username=ada\npassword=not real$/m)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Sandglass } from '@sandglass/client'
import type { EngineHealth } from '@sandglass/machines/contract'
import { waitFor } from '@sandglass/machines/testing'
import { enginesOf } from '../../packages/server/src/testing/engines-of.ts'
import { startTestService } from '../../packages/server/src/testing/test-service.ts'
import { CliUser, variablesOf } from '../support/cli-user.ts'
import { paperEngines } from '../support/paper-engine.ts'

const built: EngineHealth = { ready: true, unavailable: {} }
let health: EngineHealth = built
const isBuilding = (seconds: number): EngineHealth => ({
  ready: true,
  unavailable: { desktop: `The image desktop has been building for ${seconds} s.` },
  preparing: ['desktop'],
})

const service = await startTestService({}, async () => {
  const engine = paperEngines().get('local') ?? assert.fail()
  return enginesOf({ ...engine, health: async () => health })
})
const { credentials } = service.service
const client = new Sandglass(credentials)
const person = await CliUser.create(variablesOf(credentials))
const sandboxes = async () => (await client.listSandboxes()).map(({ id }) => id)

test('a create waits for the image, says on stderr what happens, and prints only the id on stdout', async () => {
  health = isBuilding(10)
  const child = person.start('sandglass', ['sandbox', 'create', '-s', 'linux-desktop'])
  const read = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', text => {
    read.stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', text => {
    read.stderr += text
  })
  const ended = new Promise<number | null>(resolve => child.on('close', resolve))
  await waitFor(() => read.stderr.includes('building for 10 s.\n'))
  health = isBuilding(20)
  await waitFor(() => read.stderr.includes('building for 20 s.\n'))
  assert.equal(read.stdout, '')
  health = built
  assert.equal(await ended, 0, read.stderr)
  assert.deepEqual(read.stdout.split('\n'), [...(await sandboxes()), ''])
  await client.deleteSandbox({ sandboxId: read.stdout.trim() })
})

test('on a terminal it is one line, and Ctrl-C ends the wait without a sandbox', async () => {
  health = isBuilding(10)
  const terminal = person.terminal('sandglass sandbox create -s linux-desktop; echo "code $?"')
  await terminal.shows(/building for 10 s\./)
  assert.ok(terminal.shown.includes('\r\u001b[KThe image desktop'), 'the line is replaced')
  terminal.type('\u0003')
  await terminal.shows(/code 130/)
  assert.deepEqual(await sandboxes(), [])
})

test('--no-wait does not wait for it, and an image that could not be built is not waited for', async () => {
  health = isBuilding(10)
  const refused = await person.run('sandbox', 'create', '-s', 'linux-desktop', '--no-wait')
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /has been building for 10 s/)
  health = { ready: true, unavailable: { desktop: 'The image desktop could not be built: no network.' } }
  const failed = await person.run('sandbox', 'create', '-s', 'linux-desktop')
  assert.equal(failed.code, 1)
  assert.match(failed.stderr, /could not be built: no network/)
})

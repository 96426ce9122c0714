import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { BuildError, Sandbox, Template, type TemplateClass } from 'e2b'
import { e2bOptions } from '../../packages/server/src/testing/e2b-options.ts'
import { startMachineService, testShapes } from '../../packages/server/src/testing/test-machines.ts'
import { startTestService, type TestService } from '../../packages/server/src/testing/test-service.ts'
import { temporaryFolder } from '../support/service-process.ts'
import { sharedDatabase } from '../support/shared-database.ts'

const { env } = await sharedDatabase()
const folder = await temporaryFolder()
await writeFile(join(folder, 'note.txt'), 'a note')

const { service: one, engine } = await startMachineService({ env })
const { service: two } = await startMachineService({ env })
const front = await startTestService({ ...env, SANDGLASS_SHAPES: await testShapes(folder, 0) })
const all = [one, two, front]

/** Builds a template through one of the processes, and returns what its log says. */
async function build(through: TestService, template: TemplateClass, name: string): Promise<string> {
  const lines: string[] = []
  const onBuildLogs = ({ message }: { message: string }) => void lines.push(message)
  await Template.build(template, name, { ...e2bOptions(through), onBuildLogs })
  return lines.join('\n')
}

/** Runs a command in a new sandbox of a template, through one of the processes. */
async function runIn(through: TestService, template: string, command: string): Promise<string> {
  const sandbox = await Sandbox.create(template, e2bOptions(through))
  try {
    return (await sandbox.commands.run(command)).stdout
  } finally {
    await sandbox.kill()
  }
}

const first = () =>
  Template({ fileContextPath: folder })
    .fromTemplate('small')
    .copy('note.txt', '/opt/note.txt')
    .runCmd('echo "built $(cat /opt/note.txt)" | tee made')

test('a template is built through a process without machines, with its files and its log', async () => {
  const log = await build(front, first(), 'noted')
  assert.match(log, /built a note/)
  for (const service of all) {
    assert.equal(await Template.exists('noted', e2bOptions(service)), true)
    assert.equal(await runIn(service, 'noted', 'cat made'), 'built a note\n')
  }
})

test('a template is built on the node that has the disk of its base, whoever is asked', async () => {
  for (const [index, service] of all.entries()) {
    const name = `below-${index}`
    const log = await build(
      service,
      Template().fromTemplate('noted').runCmd(`echo ${name} | tee -a made`),
      name,
    )
    assert.match(log, new RegExp(name))
    assert.equal(await runIn(two, name, 'cat made'), `built a note\n${name}\n`)
  }
})

test('a build that fails says why through every process, also to one that asks later', async () => {
  const template = Template().fromTemplate('noted').runCmd('echo "no such luck" >&2; exit 3')
  for (const service of all) await assert.rejects(build(service, template, 'failing'), BuildError)
  const begun = await Template.buildInBackground(template, 'failing', e2bOptions(front))
  for (const service of all)
    await waitFor(async () => {
      const { status, reason } = await Template.getBuildStatus(begun, e2bOptions(service))
      return status === 'error' && /3/.test(reason?.message ?? '')
    })
})

test('no machine is left', async () => {
  await waitFor(async () => (await engine.list()).length === 0)
})

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { BuildError, Sandbox, Template, type TemplateClass } from 'e2b'
import { cleanup } from '../../../testing/cleanup.ts'
import { recordCalls } from '../../../testing/e2b-calls/record-calls.ts'
import { e2bOptions } from '../../../testing/e2b-options.ts'
import { startMachineService } from '../../../testing/test-machines.ts'

recordCalls(import.meta.filename)
const { service, engine } = await startMachineService()
const options = e2bOptions(service)

const folder = await mkdtemp(join(tmpdir(), 'sandglass-template-'))
cleanup.defer(() => rm(folder, { recursive: true, force: true }))
const inFolder = { fileContextPath: folder }
await mkdir(join(folder, 'app/below'), { recursive: true })
await writeFile(join(folder, 'app/main.txt'), 'main')
await writeFile(join(folder, 'app/below/deep.txt'), 'deep')
await symlink('main.txt', join(folder, 'app/link.txt'))
await writeFile(join(folder, 'note.txt'), 'a note')
await writeFile(join(folder, 'other.md'), 'other')

/** Builds a template, and returns what its log says. */
async function build(template: TemplateClass, name: string, more: { skipCache?: boolean } = {}) {
  const lines: string[] = []
  const onBuildLogs = ({ message }: { message: string }) => void lines.push(message)
  const info = await Template.build(template, name, { ...options, ...more, onBuildLogs })
  return { info, log: lines.join('\n') }
}

/** Runs a command as root in a new sandbox of a template. */
async function runIn(template: string, command: string): Promise<string> {
  const sandbox = await Sandbox.create(template, options)
  try {
    return (await sandbox.commands.run(command, { user: 'root' })).stdout
  } finally {
    await sandbox.kill()
  }
}

const noMachines = () => waitFor(async () => (await engine.list()).length === 0)

const first = () =>
  Template(inFolder)
    .fromTemplate('small')
    .setEnvs({ GREETING: 'hello', PLACE: 'a "large" world' })
    .copy('app', '/opt/app')
    .copy('note.txt', 'notes/', { mode: 0o600 })
    .copyItems([
      { src: '*.md', dest: '/opt/patterns' },
      { src: 'note.txt', dest: '/opt/renamed.txt', user: 'root' },
    ])
    .setWorkdir('work')
    .runCmd(['echo "$GREETING $PLACE"', 'echo "$(id -un) $(pwd)" > made'])
    .runCmd('echo "$(id -un) $(pwd)" > /etc/other', { user: 'root' })
    .setUser('root')
    .runCmd('id -un > who')
    .makeDir('/opt/made', { mode: 0o750 })
    .rename('/opt/app/main.txt', '/opt/made/moved.txt')
    .makeSymlink('/opt/made', '/opt/short')
    .remove('/opt/app/below', { recursive: true })

test('a template is built from steps and files, and sandboxes are created from it', async () => {
  assert.equal(await Template.exists('my-template', options), false)
  const { info, log } = await build(first(), 'my-template')
  assert.match(log, /Uploaded 'app'/)
  assert.match(log, /^hello a "large" world$/m)
  assert.deepEqual([info.name, info.tags], ['my-template', ['default']])
  await noMachines()
  const found = await runIn(
    'my-template',
    `cd /home/user; cat work/made work/who /etc/other notes/note.txt /opt/patterns/other.md /opt/short/moved.txt
     echo; stat -c '%U %a %n' notes notes/note.txt work /opt/app/link.txt /opt/made /opt/renamed.txt; ls /opt/app; echo $GREETING $PLACE`,
  )
  assert.deepEqual(found.split('\n'), [
    'user /home/user/work',
    'root',
    'root /home/user/work',
    'a noteothermain',
    'user 755 notes',
    'user 600 notes/note.txt',
    'user 755 work',
    'user 777 /opt/app/link.txt',
    'root 750 /opt/made',
    'root 644 /opt/renamed.txt',
    'link.txt',
    'hello a "large" world',
    '',
  ])
})

test('files and steps of an earlier build are used again, unless that is not wanted', async () => {
  const { log } = await build(first(), 'my-template')
  assert.match(log, /Skipping upload of 'app'/)
  assert.equal(log.match(/The result of an earlier build is used\./g)?.length, 14)
  const again = await build(Template().fromTemplate('my-template').skipCache().runCmd('echo again'), 'again')
  assert.match(again.log, /^again$/m)
  const forced = await build(Template().fromTemplate('my-template').runCmd('echo again'), 'again', {
    skipCache: true,
  })
  assert.doesNotMatch(forced.log, /earlier build/)
})

test('a template has names and tags, and the newest build of a name counts', async () => {
  assert.equal(await Template.exists('my-template', options), true)
  assert.equal(await Template.aliasExists('my-template:latest', options), true)
  assert.equal(await Template.exists('my-template:v1', options), false)
  const { info } = await build(
    Template().fromTemplate('my-template').runCmd('echo one > /version', { user: 'root' }),
    'my-template:v1',
  )
  assert.deepEqual(info.tags, ['v1'])
  assert.equal(await Template.exists('my-template:v1', options), true)
  const tags = await Template.getTags('my-template', options)
  assert.deepEqual(tags.map(({ tag }) => tag).sort(), ['default', 'v1'])
  assert.equal(tags.find(({ tag }) => tag === 'v1')?.buildId, info.buildId)
  assert.equal(await runIn('my-template:v1', 'cat /version'), 'one\n')
  const { templateId } = (
    await build(
      Template().fromTemplate('my-template:v1').runCmd('echo two > /version', { user: 'root' }),
      'my-template:v1',
    )
  ).info
  assert.equal(await runIn(templateId, 'cat /version'), 'two\n')
})

test('a build in the background goes on without its client, and says how it stands', async () => {
  const template = Template()
    .fromTemplate('small')
    .runCmd('echo begun; until [ -e /go ]; do sleep 0.1; done', { user: 'root' })
  const data = await Template.buildInBackground(template, 'slow', options)
  const seen = async () =>
    (await Template.getBuildStatus(data, options)).logEntries.map(({ message }) => message)
  await waitFor(async () => (await seen()).includes('begun'))
  const { status } = await Template.getBuildStatus(data, { ...options, logsOffset: 0 })
  assert.equal(status, 'building')
  await service.delete(`~/machine-images/${data.buildId}`)
  await assert.rejects(Template.getBuildStatus(data, options), BuildError)
  await noMachines()
})

test('a step that fails is the error of the build, where the template has it', async () => {
  const template = Template().fromTemplate('small').runCmd('true').runCmd('echo why >&2; exit 7')
  await assert.rejects(build(template, 'broken'), (error: unknown) => {
    assert.ok(error instanceof BuildError)
    assert.equal(error.message, 'The script ended with code 7.')
    assert.match(error.stack ?? '', /templates\.test\.ts/)
    return true
  })
  const data = await Template.buildInBackground(template, 'broken', options)
  await waitFor(async () => (await Template.getBuildStatus(data, options)).status === 'error')
  const { reason, logEntries } = await Template.getBuildStatus(data, options)
  assert.equal(reason?.step, '2')
  assert.ok(logEntries.some(({ message, level }) => message === 'why' && level === 'error'))
  assert.equal(await Template.exists('broken', options), false)
  await assert.rejects(build(Template().fromTemplate('small').setUser('stranger'), 'broken'), BuildError)
})

test('a Dockerfile is built from an image of this service', async () => {
  const dockerfile = [
    'FROM base',
    'ENV COLOUR=green',
    'COPY note.txt /opt/',
    'WORKDIR /opt',
    'RUN cat note.txt > copy; echo $COLOUR',
  ]
  const { log } = await build(Template(inFolder).fromDockerfile(dockerfile.join('\n')), 'from-docker')
  assert.match(log, /^green$/m)
  assert.equal(await runIn('from-docker', 'cat /opt/copy; stat -c " %U" /opt/copy'), 'a note root\n')
  assert.match(
    Template.toDockerfile(Template().fromBaseImage().runCmd('true')),
    /FROM e2bdev\/base\nRUN true/,
  )
  assert.match(await Template.toJSON(first()), /"filesHash"/)
  await build(Template().fromImage('small').runCmd('true'), 'from-image')
  await build(Template().fromBaseImage(), 'from-base')
})

test('programs are installed: Debian packages by the service, and others by the installers that a template has', async () => {
  const bin = join(folder, 'bin')
  await mkdir(bin)
  for (const name of ['pip', 'npm', 'bun'])
    await writeFile(
      join(bin, name),
      `#!/bin/sh\necho "$(id -un): ${name} $* $PIP_BREAK_SYSTEM_PACKAGES" >> /var/installs\n`,
    )
  const template = Template(inFolder)
    .fromTemplate('small')
    .aptInstall(['git', 'hello'], { noInstallRecommends: true })
    .runCmd(
      'git init -q -b main /opt/origin && cd /opt/origin && git -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m one',
      { user: 'root' },
    )
    .runCmd('git config --system safe.directory "*"; touch /var/installs; chmod 666 /var/installs', {
      user: 'root',
    })
    .gitClone('/opt/origin', 'clone')
    .copy('bin', '/usr/local/bin', { mode: 0o755 })
    .pipInstall('numpy')
    .pipInstall(['a', 'b'], { g: false })
    .npmInstall('left-pad', { g: true })
    .bunInstall()
  const { log } = await build(template, 'with-git')
  assert.match(log, /Installed .*git/)
  assert.deepEqual(
    (await runIn('with-git', 'cat /var/installs; hello; git -C /home/user/clone log --format=%s')).split(
      '\n',
    ),
    [
      'root: pip install numpy 1',
      'user: pip install --user a b 1',
      'root: npm install -g left-pad ',
      'user: bun install ',
      'Hello, world!',
      'one',
      '',
    ],
  )
})

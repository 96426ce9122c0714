import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { installMissing } from '@sandglass/machines/local'
import { installService } from './install-service.ts'
import { serviceUnit } from './service-unit.ts'

await installMissing([{ name: 'systemd', file: '/usr/bin/systemd-analyze', why: 'checks units' }])
const folder = await mkdtemp(join(tmpdir(), 'sandglass-unit-'))
after(() => rm(folder, { recursive: true, force: true }))
const checkout = resolve(import.meta.dirname, '../../../..')
const unit = { checkout, node: process.execPath }

/** What systemd says about a unit. It exits with 0 although it ignores settings that it does not know. */
async function verified(text: string): Promise<string> {
  const file = join(folder, 'sandglass.service')
  await writeFile(file, text)
  const { stdout, stderr } = await promisify(execFile)('systemd-analyze', ['verify', '--man=no', file], {
    env: { ...process.env, SYSTEMD_LOG_LEVEL: 'warning' },
  })
  return (stdout + stderr).trim()
}

test('systemd accepts the unit without a warning', async () => {
  assert.equal(await verified(serviceUnit(unit)), '')
  const wrong = serviceUnit(unit).replace('KillMode=mixed', 'KillMood=mixed')
  assert.match(await verified(wrong), /KillMood/)
})

test('the folder of the checkout can have a name with spaces, but none that systemd does not accept', async () => {
  const odd = join(folder, 'Sandglass 100%h (é), 2')
  const node = join(odd, 'node')
  await mkdir(odd)
  await writeFile(node, '#!/bin/sh\n', { mode: 0o755 })
  // It looks for the program, so it has understood the path.
  assert.equal(await verified(serviceUnit({ checkout: odd, node })), '')
  await rm(node)
  assert.match(
    await verified(serviceUnit({ checkout: odd, node })).catch(String),
    /not executable|No such file/,
  )
})

test('the unit and a file for its settings are written once, and the settings of the operator are kept', async () => {
  const root = join(folder, 'root')
  const install = async () => {
    const said: string[] = []
    const hasChanged = await installService({ ...unit, root, tell: line => said.push(line) })
    return { hasChanged, said: said.join('\n') }
  }
  const first = await install()
  const file = join(root, 'etc/systemd/system/sandglass.service')
  const settings = join(root, 'etc/sandglass/sandglass.env')
  assert.ok(first.hasChanged && first.said.includes(`Wrote ${file}.`) && first.said.includes(settings))
  assert.equal(await readFile(file, 'utf8'), serviceUnit(unit))
  assert.equal((await stat(file)).mode & 0o777, 0o644)
  assert.equal((await stat(settings)).mode & 0o777, 0o600)
  await writeFile(settings, 'SANDGLASS_PORT=8080\n')
  const second = await install()
  assert.ok(!second.hasChanged && second.said.includes(`${file} is up to date.`), second.said)
  assert.equal(await readFile(settings, 'utf8'), 'SANDGLASS_PORT=8080\n')
  await writeFile(file, 'changed by hand')
  assert.ok((await install()).hasChanged)
  assert.equal(await readFile(file, 'utf8'), serviceUnit(unit))
})

test('whoever can change the code that root runs is named', async () => {
  const shared = join(folder, 'shared')
  await mkdir(shared)
  await promisify(execFile)('chmod', ['0777', shared])
  const said: string[] = []
  const place = { checkout: shared, node: process.execPath, root: join(folder, 'other') }
  await installService({ ...place, tell: line => said.push(line) })
  assert.ok(said.some(line => line.startsWith(`Other users can change ${shared}, and so what runs as root.`)))
})

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { installMissing } from '@sandglass/machines/local'
import { temporaryFolder } from './support/service-process.ts'

const script = new URL('../packages/server/src/doctor.ts', import.meta.url).pathname

async function doctor(env: Record<string, string>) {
  const base = {
    PATH: process.env['PATH'] ?? '',
    SANDGLASS_DATA: await temporaryFolder(),
    SANDGLASS_PORT: '0',
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], {
    env: { ...base, ...env },
    encoding: 'utf8',
  })
  return { status, lines: stdout.trim().split('\n'), stderr }
}

test('doctor looks at everything and says what it found', async () => {
  await installMissing()
  const { status, lines } = await doctor({ SANDGLASS_UPLINK: 'none' })
  assert.equal(status, 0, lines.join('\n'))
  for (const name of [
    'kernel',
    'cgroups',
    'packages',
    'runtime',
    'user ids',
    'disks',
    'capacity',
    'image desktop',
    'port',
  ])
    assert.ok(
      lines.some(line => line.includes(`  ${name}: `)),
      name,
    )
})

test('a check that fails names the command that fixes it', async () => {
  const { status, lines } = await doctor({ SANDGLASS_UPLINK: 'none', SANDGLASS_RUNTIME: '/nowhere/runc' })
  assert.equal(status, 1)
  const at = lines.findIndex(line => line.startsWith('FAIL  runtime: /nowhere/runc'))
  assert.ok(at >= 0, lines.join('\n'))
  assert.match(lines[at + 1] ?? '', /fix: apt-get install runc/)
})

test('a wrong setting is named', async () => {
  const { status, stderr } = await doctor({ SANDGLASS_UPLINK: 'moon' })
  assert.equal(status, 1)
  assert.match(stderr, /^SANDGLASS_UPLINK must be host, none or netns:NAME/)
})

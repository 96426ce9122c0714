import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { installMissing } from '@sandglass/machines/local'
import { z } from 'zod'
import { temporaryFolder } from './support/service-process.ts'

const Report = z.strictObject({
  ok: z.boolean(),
  checks: z.array(
    z.strictObject({
      name: z.string(),
      result: z.enum(['ok', 'warn', 'fail']),
      what: z.string(),
      fix: z.string().optional(),
    }),
  ),
})

const script = new URL('../packages/server/src/doctor.ts', import.meta.url).pathname

async function doctor(env: Record<string, string>, ...args: readonly string[]) {
  const base = {
    PATH: process.env['PATH'] ?? '',
    SANDGLASS_DATA: await temporaryFolder(),
    SANDGLASS_PORT: '0',
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    env: { ...base, ...env },
    encoding: 'utf8',
  })
  return { status, stdout, lines: stdout.trim().split('\n'), stderr }
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

test('with --json, doctor prints one document for programs, also about a wrong setting', async () => {
  const failing = await doctor({ SANDGLASS_UPLINK: 'none', SANDGLASS_RUNTIME: '/nowhere/runc' }, '--json')
  const report = Report.parse(JSON.parse(failing.stdout))
  assert.deepEqual([failing.status, report.ok], [1, false])
  const runtime = report.checks.find(({ name }) => name === 'runtime')
  assert.deepEqual([runtime?.result, runtime?.fix?.includes('apt-get install')], ['fail', true])
  assert.ok(report.checks.some(({ name, result }) => name === 'port' && result === 'ok'))

  const wrong = await doctor({ SANDGLASS_UPLINK: 'moon' }, '--json')
  const { ok, checks } = Report.parse(JSON.parse(wrong.stdout))
  assert.deepEqual([wrong.status, ok, checks.map(({ name }) => name)], [1, false, ['settings']])
  assert.match(checks[0]?.what ?? '', /^SANDGLASS_UPLINK must be/)
})

test('a wrong setting is named', async () => {
  const { status, stderr } = await doctor({ SANDGLASS_UPLINK: 'moon' })
  assert.equal(status, 1)
  assert.match(stderr, /^SANDGLASS_UPLINK must be host, none or netns:NAME/)
})

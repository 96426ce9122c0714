import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { machineData, makeSandboxes, runningMachines, statusesOf } from './support/machine-process.ts'
import { temporaryFolder } from './support/service-process.ts'
import { UnitProcess } from './support/unit-process.ts'

const program = new URL('../packages/server/src/install-service.ts', import.meta.url).pathname

async function install(...args: readonly string[]): Promise<string> {
  const env = { PATH: process.env['PATH'] ?? '' }
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], { env })
  return stdout
}

test('--print shows what is written, and --root writes it below another folder and starts nothing', async () => {
  const root = await temporaryFolder()
  const printed = await install('--print')
  assert.match(
    await install('--root', root),
    /^Wrote .*sandglass\.service\.\nWrote .*sandglass\.env for the settings\./,
  )
  assert.equal(await readFile(join(root, 'etc/systemd/system/sandglass.service'), 'utf8'), printed)
  assert.match(await install('--root', root), /sandglass\.service is up to date/)
  await assert.rejects(install('--root', root, '--now'), /--now starts the service on this system/)
  await assert.rejects(install('--user'), /Unknown option '--user'[\s\S]*npm run install-service/)
})

test('machines of a service that systemd runs go on when it crashes and when it is stopped', async () => {
  const { data, env, engine } = await machineData()
  const file = join(data, 'sandglass.env')
  const settings = { ...env, SANDGLASS_DATA: data, SANDGLASS_PORT: '0', SANDGLASS_LIVE_UDP_PORT: 'none' }
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`)
  await writeFile(file, lines.join(''), { mode: 0o600 })
  const unit = await install('--print')
  const start = async () => {
    const running = await UnitProcess.start(unit, data, file)
    cleanup.defer(() => running.crash())
    return running
  }
  const credentials = async () => JSON.parse(await readFile(join(data, 'credentials.json'), 'utf8'))

  const first = await start()
  const { apiKey } = await credentials()
  const printed = await first.printed()
  assert.ok(!printed.includes(apiKey) && !printed.includes('#code='), 'no secret is in the journal')
  assert.ok(printed.includes(`API key        in ${data}/credentials.json`), printed)
  assert.equal((await stat(join(data, 'env'))).mode & 0o777, 0o600)
  const [id = ''] = await makeSandboxes(await credentials(), 1)
  const machines = await runningMachines(engine)
  assert.equal(machines.length, 1)
  await first.crash()
  assert.deepEqual(await runningMachines(engine), machines)

  const second = await start()
  assert.equal((await statusesOf(await credentials())).get(id), 'RUNNING')
  assert.equal(await second.stop(), 0)
  assert.deepEqual(await runningMachines(engine), machines)
})

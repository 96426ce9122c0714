import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { installMissing } from '@sandglass/machines/local'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { machineData, makeSandboxes, runningMachines, statusesOf } from './support/machine-process.ts'
import { temporaryFolder } from './support/service-process.ts'
import { UnitProcess } from './support/unit-process.ts'

await installMissing([{ name: 'systemd', file: '/usr/bin/systemctl', why: 'starts services' }])

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

/** Runs the program as root of a host whose /etc is a copy, and where no systemd can be reached. */
const onCopyOfHost = `
  mount -t tmpfs tmpfs /mnt && mkdir /mnt/changes /mnt/work &&
  mount -t overlay -o lowerdir=/etc,upperdir=/mnt/changes,workdir=/mnt/work overlay /etc &&
  mount -t tmpfs tmpfs /run && "$@"; echo "exit code $?"; ls -R /mnt/changes`

async function installHere(...args: readonly string[]): Promise<string> {
  const script = [
    'unshare',
    '--mount',
    'sh',
    '-c',
    `exec 2>&1; ${onCopyOfHost}`,
    'sh',
    process.execPath,
    program,
  ]
  const env = {
    PATH: process.env['PATH'] ?? '',
    SANDGLASS_PORT: '8080',
    SANDGLASS_URL: 'http://127.0.0.1:4780',
  }
  const { stdout } = await promisify(execFile)('sh', ['-c', '"$@"', 'sh', ...script, ...args], { env })
  return stdout
}

test('without --now it says which commands follow, and with it which of them failed', async () => {
  const written = await installHere()
  assert.match(
    written,
    /Next:\n {2}systemctl daemon-reload\n {2}systemctl enable --now sandglass\.service\nexit code 0/,
  )
  assert.match(written, /does not see the variables of this shell\. Put SANDGLASS_PORT into \/etc\/sandglass/)
  assert.match(written, /changes\/systemd\/system:\nsandglass\.service/)
  const failed = await installHere('--now')
  assert.match(failed, /systemctl daemon-reload failed.* The unit is written; start it with this command/)
  assert.match(failed, /exit code 1/)
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

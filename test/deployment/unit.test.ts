import assert from 'node:assert/strict'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { groupFolders } from '@sandglass/machines/test-cluster'
import { waitFor } from '@sandglass/machines/testing'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { DeployedService } from './deployed-service.ts'
import { checkout, deploymentHost, machineSettings } from './deployment-host.ts'
import { sharedState } from './shared-state.ts'

const unit = 'sandglass.service'
const before = await sharedState()
const host = await deploymentHost()
cleanup.defer(() => host.dispose())
const service = new DeployedService(await host.door(4780), host.path(host.data))

const systemctl = (...args: readonly string[]) => host.run('systemctl', ...args)
const property = async (name: string) => (await systemctl('show', '--value', '--property', name, unit)).trim()
const node = join(checkout, 'node_modules/.bin/node')
const install = (...args: readonly string[]) =>
  host.run(node, join(checkout, 'packages/server/src/install-service.ts'), ...args)

/** The processes of the service, wherever their cgroups are. Those of machines run nothing of the checkout. */
const serviceProcesses = async () =>
  linesOf(await host.run('ps', '-e', '-o', 'pid=,args=')).filter(line => line.includes(`${checkout}/`))

const machineProcesses = async () =>
  linesOf(
    await host.run(
      'sh',
      '-c',
      `find /sys/fs/cgroup -path '*/sandglass-*/*/cgroup.procs' -exec cat {} + | sort --unique`,
    ),
  )

const linesOf = (text: string) => text.split('\n').filter(Boolean)

/** When the first process of a machine began, which changes when the machine is started again. */
const startOf = (id: string) => service.run(id, 'cut -d " " -f 22 /proc/1/stat')

const made = { id: '', start: '' }

async function goesOn(): Promise<void> {
  assert.equal(await service.status(made.id), 'RUNNING')
  assert.equal(await startOf(made.id), made.start)
  await service.watch(made.id)
}

test('systemd starts the unit that was installed, with the settings in its file, and a machine can be seen', async () => {
  assert.match(
    await install(),
    /Next:\n {2}systemctl daemon-reload\n {2}systemctl enable --now sandglass\.service/,
  )
  const lines = Object.entries(await machineSettings(host)).map(([name, value]) => `${name}=${value}\n`)
  await appendFile(host.path('/etc/sandglass/sandglass.env'), lines.join(''))
  const installed = await install('--now')
  assert.match(installed, /sandglass\.service is up to date[\s\S]*The service is started/)
  await service.ready()
  assert.equal((await systemctl('is-enabled', unit)).trim(), 'enabled')
  made.id = await service.create()
  made.start = await startOf(made.id)
  await goesOn()
})

test('what the unit takes away from the service is not missed in machines', async () => {
  const bounding = /^CapBnd:\t(.*)$/m.exec(
    await host.run('cat', `/proc/${await property('MainPID')}/status`),
  )?.[1]
  const has = (capability: number) => (BigInt(`0x${bounding}`) >> BigInt(capability)) & 1n
  const [sysAdmin, sysBoot, sysTime] = [21, 22, 25].map(has)
  assert.deepEqual([sysAdmin, sysBoot, sysTime], [1n, 0n, 0n])
  assert.equal(await service.run(made.id, 'sudo -n id -u'), '0')
})

test('systemd starts the service again after its main process is killed, and the machine goes on', async () => {
  const before = await serviceProcesses()
  await systemctl('kill', '--signal', 'KILL', '--kill-whom', 'main', unit)
  await waitFor(async () => (await property('NRestarts')) === '1')
  await service.ready()
  const after = await serviceProcesses()
  assert.deepEqual(
    after.filter(process => before.includes(process)),
    [],
    'nothing of the killed service is left',
  )
  await goesOn()
})

test('the machine goes on while systemd restarts the service, and while the service is stopped', async () => {
  await systemctl('restart', unit)
  await service.ready()
  await goesOn()
  const machine = await machineProcesses()
  assert.ok(machine.length > 0)
  await systemctl('stop', unit)
  assert.deepEqual(
    [await property('ActiveState'), await property('Result'), await property('ExecMainStatus')],
    ['inactive', 'success', '0'],
  )
  assert.deepEqual(await serviceProcesses(), [])
  assert.deepEqual(await machineProcesses(), machine)
  await systemctl('start', unit)
  await service.ready()
  await goesOn()
})

test('the journal has what the service says, and no secret', async () => {
  const journal = await host.run('journalctl', '--unit', unit, '--output', 'cat')
  assert.ok(journal.includes(`API key        in ${host.data}/credentials.json`), journal)
  assert.match(journal, /Started sandglass\.service[\s\S]*Main process exited[\s\S]*Scheduled restart job/)
  const { apiKey, operatorKey } = await service.credentials()
  for (const secret of [apiKey, operatorKey, '#code=']) assert.ok(!journal.includes(secret))
})

test('after the last machine is deleted and the service is stopped, none of their processes is left', async () => {
  await service.remove(made.id)
  await systemctl('stop', unit)
  assert.deepEqual([await serviceProcesses(), await machineProcesses()], [[], []])
})

test('systemd has changed nothing of the host of the test, and nothing of it is left there', async () => {
  assert.deepEqual(await sharedState(), before)
  await host.dispose()
  assert.deepEqual([await groupFolders(host.name), await host.loopDevices()], [[], ''])
})

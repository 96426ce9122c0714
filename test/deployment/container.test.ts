import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildImage, readRecipe } from '@sandglass/machines/images'
import { groupFolders } from '@sandglass/machines/test-cluster'
import { waitFor } from '@sandglass/machines/testing'
import { z } from 'zod'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { testImages } from '../../packages/server/src/testing/test-machines.ts'
import { call } from '../support/service-process.ts'
import { all, compose, installed, sandglass } from './container-files.ts'
import { DeployedService } from './deployed-service.ts'
import { checkout, deploymentHost, images, machineSettings } from './deployment-host.ts'
import { sharedState } from './shared-state.ts'

/** The root of the container: what the Dockerfile installs from Debian, and more. */
const image = join(testImages, await buildImage('deployment-host', { imagesDir: testImages }))
const root = '/srv/container'
const before = await sharedState()
const host = await deploymentHost([{ how: 'copy', from: image, to: root }])
cleanup.defer(() => host.dispose())

const storage = join(host.data, 'containers')
const volume = join(storage, 'volumes/data/_data')
const service = new DeployedService(await host.door(4780), host.path(volume))

/** podman puts its own processes beside those of the container, so it is started in a cgroup of that host. */
const podman = (...args: readonly string[]) => {
  const enter =
    'for file in /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/*/cgroup.procs; do [ ! -e $file ] || echo 0 > $file; done'
  const options = ['--root', storage, '--cgroup-manager', 'cgroupfs', '--network-backend', 'netavark']
  return host.run('sh', '-c', `${enter}; exec "$@"`, 'sh', 'podman', ...options, ...args)
}

/** What the compose file and the Dockerfile say, as options of podman. */
async function containerOptions(): Promise<string[]> {
  const settings = await machineSettings(host, volume, '/data')
  const inImage = (all('ENV')[0] ?? '').split(' ').filter(Boolean)
  const ofFile = Object.entries({ ...sandglass.environment, ...settings }).map(
    ([name, value]) => `${name}=${value}`,
  )
  const each = (option: string, values: readonly string[]) => values.flatMap(value => [option, value])
  return [
    ...(sandglass.privileged ? ['--privileged'] : []),
    ...(sandglass.init ? ['--init'] : []),
    ...['--cgroupns', sandglass.cgroup, '--restart', sandglass.restart],
    ...[
      '--stop-timeout',
      sandglass.stop_grace_period.replace('s', ''),
      '--stop-signal',
      all('STOPSIGNAL')[0] ?? '',
    ],
    ...['--workdir', all('WORKDIR').at(-1) ?? ''],
    ...each('--env', [...inImage, ...ofFile]),
    ...each('--publish', sandglass.ports),
    ...each('--network', sandglass.networks),
    ...each('--volume', sandglass.volumes),
    ...each('--tmpfs', sandglass.tmpfs),
  ]
}

const command = (instruction: string) =>
  z.array(z.string()).parse(JSON.parse(/\[.*\]/.exec(all(instruction)[0] ?? '')?.[0] ?? ''))

const processes = async () =>
  (await host.run('ps', '-e', '-o', 'args=')).split('\n').filter(line => line.includes(`${checkout}/`))

const made = { id: '', apiKey: '' }

test('a container with the privileges of the compose file makes a machine, which can be seen', async () => {
  const { packages } = await readRecipe('deployment-host')
  for (const name of installed) assert.ok([...packages, 'ca-certificates', 'coreutils'].includes(name), name)
  // What the Dockerfile does in the checkout after it has installed npm packages.
  const build = all('RUN')[0]?.replace(/^node scripts\/install\.mjs +&&/, '')
  await host.run('sh', '-c', `cd ${checkout} && ${build}`)
  for (const [name, { ipam }] of Object.entries(compose.networks))
    for (const { subnet, gateway } of ipam.config)
      await podman('network', 'create', '--subnet', subnet, '--gateway', gateway, name)
  for (const name of Object.keys(compose.volumes)) await podman('volume', 'create', name)
  const options = await containerOptions()
  const shared = [checkout, images].flatMap(folder => ['--volume', `${folder}:${folder}`])
  await podman(
    'run',
    '--detach',
    '--name',
    'sandglass',
    ...options,
    ...shared,
    '--rootfs',
    root,
    ...command('ENTRYPOINT'),
  )
  await service.ready()
  await podman('exec', 'sandglass', ...command('HEALTHCHECK'))
  made.id = await service.create()
  await service.watch(made.id)
  made.apiKey = (await service.credentials()).apiKey
  await service.run(made.id, 'echo kept > ~/note; sync')
  const log = await podman('logs', 'sandglass')
  assert.ok(log.includes('API key        in /data/credentials.json'), log)
  assert.ok(!log.includes(made.apiKey) && !log.includes('#code='), 'no secret is in the log')
})

test('it ends on SIGTERM within its time, with its machines', async () => {
  await podman('stop', 'sandglass')
  assert.equal((await podman('inspect', '--format', '{{.State.ExitCode}}', 'sandglass')).trim(), '0')
  assert.deepEqual(await processes(), [])
})

test('started again, it has its keys and records, and the machine can be restarted with its files', async () => {
  await podman('start', 'sandglass')
  await service.ready()
  assert.equal((await service.credentials()).apiKey, made.apiKey)
  await waitFor(async () => (await service.status(made.id)) === 'ERROR')
  const { status, body } = await call(await service.credentials(), 'POST', `~/sandboxes/${made.id}/restart`)
  assert.equal(status, 200, JSON.stringify(body))
  await waitFor(async () => (await service.status(made.id)) === 'RUNNING')
  assert.equal(await service.run(made.id, 'cat ~/note'), 'kept')
  await service.watch(made.id)
  await podman('rm', '--force', '--time', '45', 'sandglass')
  assert.deepEqual(await processes(), [])
})

test('the container has changed nothing of the host of the test, and nothing of it is left there', async () => {
  assert.deepEqual(await sharedState(), before)
  await host.dispose()
  assert.deepEqual([await groupFolders(host.name), await host.loopDevices()], [[], ''])
})

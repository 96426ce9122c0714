import { randomBytes } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildImage } from '@sandglass/machines/images'
import {
  cgroupTrees,
  enterGroups,
  HeldProcess,
  leaveGroup,
  makeClusterGroup,
  makeGroup,
  NamespaceDoor,
  removeGroups,
  sweep,
} from '@sandglass/machines/test-cluster'
import { waitFor } from '@sandglass/machines/testing'
import { runCommand } from '../../packages/machines/src/engines/local/host/run-command.ts'
import { testImages } from '../../packages/server/src/testing/test-machines.ts'

const prefix = 'sandglass-deployment-'

/** A folder of the host of the test, and where it is there. Changes of a copy are lost with the host. */
export interface SharedFolder {
  readonly how: 'ro' | 'rw' | 'copy'
  readonly from: string
  readonly to: string
}

export interface IsolatedHostOptions {
  /** The name of the recipe of its root file system. */
  readonly image: string
  readonly shared: readonly SharedFolder[]
  /** What its first process becomes. */
  readonly init: readonly string[]
}

/**
 * A host of its own on this one: namespaces for processes, mounts, the network with nothing but loopback, its name and its
 * cgroups. All of it ends with the test process, however that ends.
 */
export class IsolatedHost {
  /** The name of its cgroups, and of its folder for temporary files. */
  readonly name: string
  readonly folder: string
  readonly #held: HeldProcess
  readonly #doors: NamespaceDoor[] = []
  #pid = 0

  private constructor(name: string, folder: string, held: HeldProcess) {
    this.name = name
    this.folder = folder
    this.#held = held
  }

  static async start({ image, shared, init }: IsolatedHostOptions): Promise<IsolatedHost> {
    const root = join(testImages, await buildImage(image, { imagesDir: testImages }))
    await sweep(prefix)
    const name = `${prefix}${process.pid}-${randomBytes(4).toString('hex')}`
    const folder = join(tmpdir(), name)
    const mounts = join(folder, 'mounts')
    const data = join(folder, 'data')
    await mkdir(folder, { mode: 0o700 })
    for (const made of [mounts, data]) await mkdir(made)
    const group = `${name}/host`
    await makeClusterGroup(name)
    await makeGroup(group)
    const trees = await cgroupTrees()
    const folders = trees.map(({ path }) => join(path, group))
    const boot = ['bash', join(import.meta.dirname, 'boot-host.sh'), root, mounts, 'host']
    const args = [
      ...[...shared, { how: 'rw', from: data, to: join('/srv', name) }].map(
        ({ how, from, to }) => `${how}:${from}:${to}`,
      ),
      '--',
      ...trees.map(({ type, options, path }) => `${type}:${options}:${path}`),
      '--',
      ...init,
    ]
    // The kernel ends the first process with this one, because it does not look at its standard input.
    const command = ['--pdeathsig', 'KILL', 'bash', enterGroups, ...folders, '--', ...boot, ...args]
    const host = new IsolatedHost(name, folder, new HeldProcess('setpriv', command, join(folder, 'log')))
    try {
      await host.#boot()
      return host
    } catch (error) {
      await host.dispose()
      throw error
    }
  }

  async #boot(): Promise<void> {
    this.#pid = Number((await this.#held.line()).split(' ')[1])
    await leaveGroup(this.name, this.#held.pid)
    await this.#held.tell('go')
  }

  /** A folder that is on the disk of the host of the test, as processes of this host see it. */
  get data(): string {
    return join('/srv', this.name)
  }

  /** Where a file of this host is for processes of the host of the test. */
  path(inside: string): string {
    return join(`/proc/${this.#pid}/root`, inside)
  }

  /** Runs a command in it as root, and returns its standard output. */
  run(command: string, ...args: readonly string[]): Promise<string> {
    const env = {
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: '/root',
      LC_ALL: 'C.UTF-8',
      NODE_COMPILE_CACHE: '/tmp/compiled',
    }
    const entered = ['--target', String(this.#pid), '--all', '--wdns=/', command, ...args]
    return runCommand('nsenter', entered, { env })
  }

  /** Makes a port of its loopback reachable from the test, and returns the URL. */
  async door(port: number): Promise<string> {
    const door = await NamespaceDoor.open(`/proc/${this.#pid}/ns/net`, port, this.folder)
    this.#doors.push(door)
    return door.url
  }

  /** Ends it at once, and removes everything of it. */
  async dispose(): Promise<void> {
    for (const door of this.#doors.splice(0)) await door.close()
    await this.#held.kill(this.#pid || this.#held.pid)
    await removeGroups(this.name)
    // The kernel unmounts disks shortly after their last namespace has ended.
    await waitFor(async () => (await this.loopDevices()) === '')
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }

  /** The loop devices whose files are in its data. */
  async loopDevices(): Promise<string> {
    const listed = await runCommand('losetup', ['--list', '--noheadings', '--output', 'NAME,BACK-FILE'])
    return listed
      .split('\n')
      .filter(line => line.includes(this.name))
      .join('\n')
  }
}

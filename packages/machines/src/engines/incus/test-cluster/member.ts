import { existsSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { waitFor } from '../../../testing/index.ts'
import { type CommandOptions, runCommand } from '../../local/host/run-command.ts'
import { cgroupTrees, enterGroups, leaveGroup, makeGroup, removeGroups, thawGroups } from './cgroup-trees.ts'
import { HeldProcess } from './held-process.ts'
import { clusterAddresses, type TestNetwork } from './network.ts'
import { type Json, operate, request } from './request.ts'

export interface MemberOptions {
  readonly cluster: string
  readonly folder: string
  readonly image: string
  readonly network: TestNetwork
  readonly diskMiB: number
}

/** One box of the cluster: namespaces, a cgroup in every tree, a disk, and incusd in them. */
export class TestMember {
  readonly name: string
  readonly address: string
  /** The folders of its cgroups on the host are below this one, in every tree. */
  readonly group: string
  readonly disk: string
  readonly log: string
  readonly #options: MemberOptions
  #process: HeldProcess | undefined
  #pid = 0
  #hasDaemon = false

  constructor(number: number, o: MemberOptions) {
    this.#options = o
    this.name = `member${number}`
    this.address = clusterAddresses.member(number)
    this.group = `${o.cluster}/${this.name}`
    this.disk = join(o.folder, `${this.name}.disk`)
    this.log = join(o.folder, `${this.name}.log`)
  }

  /** The process on the host that is the first in the member's process namespace. It changes with every boot. */
  get pid(): number {
    return this.#pid
  }

  get isUp(): boolean {
    return this.#process !== undefined
  }

  /** Whether it is up and nobody has ended its incusd. */
  get hasDaemon(): boolean {
    return this.isUp && this.#hasDaemon
  }

  /** Where a folder or file of the member is for processes on the host. */
  path(inside: string): string {
    return join(`/proc/${this.#pid}/root`, inside)
  }

  /** The socket of incusd, which can be used from the host. Its path changes with every boot. */
  get socket(): string {
    return this.path('/var/lib/incus/unix.socket')
  }

  /** The address of the API for other members and for clients in the client namespace. */
  get url(): string {
    return `https://${this.address}:8443`
  }

  /** Starts the member, with the disk as it is, and incusd. */
  async boot(): Promise<void> {
    const { cluster, folder, image, network } = this.#options
    const mounts = join(folder, this.name)
    await mkdir(mounts, { recursive: true })
    if (!existsSync(this.disk)) {
      const file = await open(this.disk, 'wx')
      await file.truncate(this.#options.diskMiB * 1024 * 1024)
      await file.close()
    }
    const trees = await cgroupTrees()
    await makeGroup(this.group)
    const held = new HeldProcess(
      'bash',
      [
        enterGroups,
        ...trees.map(({ path }) => join(path, this.group)),
        '--',
        'bash',
        join(import.meta.dirname, 'member-init.sh'),
        ...[image, mounts, this.disk, this.name],
        ...trees.map(({ type, options, path }) => `${type}:${options}:${path}`),
      ],
      this.log,
    )
    this.#process = held
    this.#pid = Number((await held.line()).split(' ')[1])
    if (await leaveGroup(cluster, held.pid)) await held.tell('groups')
    await network.plug(this.name, this.#pid, this.address)
    await held.tell('files')
    await this.startDaemon()
  }

  /** Ends everything in the member at once, with its containers, as a power failure would. */
  async kill(): Promise<void> {
    const held = this.#process
    if (!held) return
    this.#process = undefined
    this.#hasDaemon = false
    const killed = held.kill(this.#pid || held.pid)
    await thawGroups(this.group)
    await killed
    await this.#options.network.unplug(this.name)
    await removeGroups(this.group)
    // Until the kernel has unmounted the disk, a second mount would damage it.
    await waitFor(async () => (await runCommand('losetup', ['--associated', this.disk])) === '')
  }

  /** Starts incusd after it was killed or stopped, and resolves when it answers. */
  async startDaemon(): Promise<void> {
    await this.#process?.tell('daemon')
    await this.#answers()
    this.#hasDaemon = true
  }

  async #answers(): Promise<void> {
    await waitFor(() =>
      this.request('GET', '/1.0', undefined, 5000).then(
        () => true,
        () => false,
      ),
    )
  }

  /** Kills incusd alone. Containers continue to run. */
  async killDaemon(): Promise<void> {
    await this.#endDaemon('KILL')
  }

  /** Asks incusd to end, as `systemctl stop incus` does. Containers continue to run. */
  async stopDaemon(): Promise<void> {
    await this.#endDaemon('TERM')
  }

  /** One that was asked to end serves what it has begun until it has ended, which may take a minute. */
  async #endDaemon(signal: 'KILL' | 'TERM'): Promise<void> {
    const script = `touch /run/incusd.stopped; supervisor=$(cat /run/supervisor.pid)
      while kill -0 $supervisor; do kill -${signal} $(cat /run/incusd.pid); sleep 0.05; done 2> /dev/null; true`
    await this.run('sh', ['-c', script])
    this.#hasDaemon = false
  }

  /** Runs a command in the member, as root, and returns its standard output. */
  async run(command: string, args: readonly string[], o: CommandOptions = {}): Promise<string> {
    const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', LC_ALL: 'C.UTF-8' }
    return await runCommand('nsenter', ['--target', String(this.#pid), '--all', command, ...args], {
      env,
      ...o,
    })
  }

  request(method: string, path: string, body?: Json, timeoutMs?: number): Promise<unknown> {
    return request(this.socket, method, path, body, timeoutMs)
  }

  /** Sends a request that starts an operation, and waits for its end. */
  operate(method: string, path: string, body?: Json, timeoutMs?: number): Promise<unknown> {
    return operate(this.socket, method, path, body, timeoutMs)
  }

  /** Fills the disk, which holds incusd's data and the storage pool, until not even a small file fits. */
  async fillDisk(): Promise<void> {
    const script = `cd /var/lib/incus; size=$((1 << 30)); number=0
      while [ $size -ge 4096 ]; do
        number=$((number + 1))
        fallocate --length $size filler-$number 2> /dev/null || { rm -f filler-$number; size=$((size / 2)); }
      done
      sync; dd if=/dev/zero of=filler-last bs=4k 2> /dev/null; sync`
    await this.run('sh', ['-c', `${script}; true`])
  }

  /** Makes room again. incusd may have failed in the meantime; it is started again as systemd would do it. */
  async freeDisk(): Promise<void> {
    await this.run('sh', ['-c', 'rm -f /var/lib/incus/filler-*; sync'])
    await this.#answers()
  }
}

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { waitFor } from '../../../testing/wait-for.ts'
import { runCommand } from '../../local/host/run-command.ts'
import { ip, netnsPath, runIn } from '../../local/network/namespaces.ts'
import { detachNetwork } from '../../local/network/network.ts'
import { leaveMounts } from '../../local/rootfs/leave-mounts.ts'
import { createVmNetwork, tapName } from '../machine/network.ts'
import { settleQemu } from '../options.ts'

export const guestMac = '525400000001'

const launcher = join(import.meta.dirname, '../machine/launch.pl')
const guestFolder = join(import.meta.dirname, '../../../../guest')
/** As in the container, the modules of the relay are beside those that it shares with the guest. */
const script = `mkdir -p /run/sandglass && mount -t tmpfs none /run/sandglass && mkdir /run/sandglass/sockets /run/sandglass/relay &&
cd /run/sandglass/relay && cp "$1"/*.py "$2"/*.py . &&
exec python3 -ISB relay.py console --lease "$4" -- python3 -ISB test_guest_card.py "$3"`

/** The relay of a machine in network namespaces of a test, with a network card in place of a guest. */
export class TestDhcp implements AsyncDisposable {
  readonly guest: string
  readonly machine: string
  readonly #relay: ChildProcess
  readonly #reporter: string
  readonly #remove: () => Promise<void>

  private constructor(
    places: { readonly guest: string; readonly machine: string; readonly reporter: string },
    relay: ChildProcess,
    remove: () => Promise<void>,
  ) {
    this.guest = places.guest
    this.machine = places.machine
    this.#reporter = places.reporter
    this.#relay = relay
    this.#remove = remove
  }

  static async start(lease: string): Promise<TestDhcp> {
    const folder = await mkdtemp(join(tmpdir(), 'sandglass-dhcp-'))
    const settings = settleQemu({
      dataDir: folder,
      imagesDir: folder,
      uplink: 'none',
      acceleration: 'emulation',
    })
    const guest = `sandglass-guest-${settings.instance}`
    const spec = { egress: 'none' } as const
    let relay: ChildProcess | undefined
    const remove = async () => {
      relay?.kill('SIGKILL')
      await runCommand('ip', ['netns', 'del', guest]).catch(() => {})
      await detachNetwork(settings, spec, 0)
      await rm(folder, { recursive: true, force: true })
    }
    try {
      const machine = await createVmNetwork(settings, spec, 0)
      await runCommand('ip', ['netns', 'add', guest])
      const places = [import.meta.dirname, guestFolder, netnsPath(guest)]
      // The kernel ends what the relay has started when its process 1 ends.
      const confined = ['unshare', '--mount', '--pid', '--fork', '--kill-child', ...leaveMounts]
      const inside = [...confined, 'sh', '-c', script, 'relay']
      relay = spawn('perl', [launcher, machine, tapName, 'dhcp', ...inside, ...places, lease], {
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      await waitFor(() =>
        ip({ netns: guest }, [
          `link set card address ${guestMac.replace(/..(?=.)/g, '$&:')}`,
          'link set card up',
        ]).then(
          () => true,
          () => false,
        ),
      )
      const reporter = join(folder, 'report')
      // The client passes what it was given in the environment.
      await writeFile(reporter, '#!/bin/sh\nenv\n', { mode: 0o700 })
      return new TestDhcp({ guest, machine, reporter }, relay, remove)
    } catch (error) {
      await remove()
      throw error
    }
  }

  get runs(): boolean {
    return this.#relay.exitCode === null && this.#relay.signalCode === null
  }

  /** What a common client was given, by the names that it has for it. */
  async ask(...args: readonly string[]): Promise<Map<string, string>> {
    const client = ['udhcpc', '-i', 'card', '-f', '-q', '-n', '-t', '30', '-T', '2', '-s', this.#reporter]
    const out = await runIn({ netns: this.guest }, 'busybox', [...client, ...args])
    return new Map(
      out.split('\n').flatMap(line => {
        const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? []
        return name && value !== undefined ? [[name, value] as const] : []
      }),
    )
  }

  /** A program that sends any frame, and collects what the server answers. */
  async frames(): Promise<TestFrames> {
    const args = [`--net=${netnsPath(this.guest)}`, 'python3', join(import.meta.dirname, 'test_frames.py')]
    const child = spawn('nsenter', args, { stdio: ['pipe', 'pipe', 'inherit'] })
    const frames = new TestFrames(child)
    await waitFor(() => frames.isReady)
    return frames
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#remove()
  }
}

export class TestFrames implements Disposable {
  readonly answers: Buffer[] = []
  isReady = false
  readonly #child: ChildProcess

  constructor(child: ChildProcess) {
    this.#child = child
    if (!child.stdout) throw new Error('The program was started without pipes.')
    createInterface({ input: child.stdout }).on('line', line => {
      if (line === 'ready') this.isReady = true
      else this.answers.push(Buffer.from(line, 'hex'))
    })
  }

  send(frame: Buffer): void {
    this.#child.stdin?.write(`${frame.toString('hex')}\n`)
  }

  [Symbol.dispose](): void {
    this.#child.kill('SIGKILL')
  }
}

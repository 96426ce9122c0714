import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitFor } from '../../../testing/wait-for.ts'
import { installMissing } from '../../local/host/debian-packages.ts'
import { leaveMounts } from '../../local/rootfs/leave-mounts.ts'
import type { ConsoleAccess } from './console-access.ts'
import { accepts, connected } from './test-console.ts'
import { LineRelay } from './test-line-relay.ts'

const program = '/usr/sbin/qemu-ga'

const packages = [{ name: 'qemu-guest-agent', file: program, why: 'is what these tests talk to' }]

/** Nothing but the programs of the host is visible, read-only, and no process or network of it. */
const isolated = `set -e
mount --bind /usr "$1/usr" && mount -o remount,bind,ro "$1/usr"
mount -t proc proc "$1/proc"
for device in null zero; do : > "$1/dev/$device"; mount --bind "/dev/$device" "$1/dev/$device"; done
exec chroot "$1" ${program} --method unix-listen --path /run/agent --statedir /run --logfile /run/log`

/** QEMU's real guest agent, in a root of its own instead of a machine. */
export class TestGuestAgent {
  readonly access: ConsoleAccess
  /** The root of the agent, as the host sees it. */
  readonly root: string
  readonly #process: ChildProcess
  readonly #relay: LineRelay

  private constructor(root: string, process: ChildProcess, relay: LineRelay) {
    this.root = root
    this.#process = process
    this.#relay = relay
    this.access = {
      connect: () => connected(join(root, 'run/relay')),
      dialPort: undefined,
      isAwake: async () => true,
      assertStorable: async () => {},
      ending: async () => ({ hasEnded: process.exitCode !== null, ranOutOfMemory: false }),
    }
  }

  static async start(): Promise<TestGuestAgent> {
    await installMissing(packages)
    const root = await mkdtemp(join(tmpdir(), 'sandglass-agent-'))
    for (const folder of ['usr', 'proc', 'dev', 'run', 'tmp', 'root', 'etc']) await mkdir(join(root, folder))
    for (const folder of ['bin', 'sbin', 'lib', 'lib64']) await symlink(`usr/${folder}`, join(root, folder))
    const namespaces = ['--mount', '--pid', '--net', '--ipc', '--fork', '--kill-child']
    const agent = spawn('unshare', [...namespaces, ...leaveMounts, 'sh', '-c', isolated, 'sh', root], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8' },
    })
    try {
      await waitFor(() => accepts(join(root, 'run/agent')))
      const relay = await LineRelay.listen(join(root, 'run/relay'), join(root, 'run/agent'))
      return new TestGuestAgent(root, agent, relay)
    } catch (error) {
      agent.kill('SIGKILL')
      await rm(root, { recursive: true, force: true })
      throw error
    }
  }

  async close(): Promise<void> {
    this.#relay.close()
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      this.#process.kill('SIGKILL')
      await once(this.#process, 'exit')
    }
    await rm(this.root, { recursive: true, force: true })
  }
}

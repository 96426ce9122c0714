import { Pause } from '@sandglass/supervision'
import { runCommand } from '../../local/host/run-command.ts'
import { IncusClient } from '../client/index.ts'
import { hasSystemd } from './packages.ts'
import { SetupError } from './setup-context.ts'

const startMs = 60_000

/** What is needed to have a server that answers. Tests replace how it gets there. */
export interface DaemonOptions {
  readonly socket: string
  readonly tell: (line: string) => void
  readonly install: (tell: (line: string) => void) => Promise<void>
  readonly start?: () => Promise<void>
}

/** Returns a client of the server on this box, which is installed and started if it does not answer. */
export async function openIncus({
  socket,
  tell,
  install,
  start = startIncus,
}: DaemonOptions): Promise<IncusClient> {
  const incus = new IncusClient({ socket })
  if (await answers(incus)) return incus
  await install(tell)
  if (!(await answers(incus))) {
    await start()
    await untilItAnswers(incus, socket)
  }
  tell('Incus runs.')
  return incus
}

async function answers(incus: IncusClient): Promise<boolean> {
  return incus.get('', { deadlineMs: 5_000 }).then(
    () => true,
    () => false,
  )
}

async function startIncus(): Promise<void> {
  if (!hasSystemd())
    throw new SetupError(
      'Incus is installed, but systemd does not run this box, so nothing starts it. Run lxcfs /var/lib/lxcfs and /usr/libexec/incus/incusd --group incus-admin as root with your own supervisor, and repeat this command.',
    )
  await runCommand('systemctl', ['enable', '--now', 'lxcfs.service', 'incus.socket', 'incus.service'])
}

async function untilItAnswers(incus: IncusClient, socket: string): Promise<void> {
  const end = performance.now() + startMs
  while (!(await answers(incus))) {
    if (performance.now() > end)
      throw new SetupError(
        `Incus does not answer at ${socket}. What it says is in journalctl -u incus, or in /var/log/incus/incusd.log.`,
      )
    await new Pause(200).over
  }
}

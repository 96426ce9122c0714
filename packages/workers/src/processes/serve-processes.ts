import { type Machine, MachineError, type MachineProcess } from '@sandglass/machines/contract'
import type { Channel, Handlers } from '@sandglass/rpc'
import { carry } from '../channels.ts'
import { machineErrors } from '../errors.ts'
import { Order, Report } from './messages.ts'
import type { processMethods } from './methods.ts'
import { processChannels } from './process-channels.ts'

/** Serves the programs of machines, in the worker that they were given to. */
export function serveProcesses(
  find: (machine: string) => Pick<Machine, 'exec'>,
): Handlers<typeof processMethods> {
  return {
    'processes.exec': async ({ machine, ...program }, { signal, channels }) => {
      const { stdin, stdout, stderr, control } = processChannels(channels)
      const process = await find(machine).exec({ ...program, signal })
      obey(process, control)
      feed(process, stdin)
      carry(process.stdout, stdout.resume())
      carry(process.stderr, stderr.resume())
      void report(process, control)
      return process.pid
    },
  }
}

function feed({ stdin }: MachineProcess, channel: Channel): void {
  channel.end()
  // An input that is closed because the program ended is no error.
  stdin.once('close', () => channel.destroy())
  carry(channel, stdin)
}

/** Releases the program when the front does not need it any more, or is gone. */
function obey(process: MachineProcess, control: Channel): void {
  control.on('data', (message: Buffer) => {
    const order = Order.parse(JSON.parse(message.toString()))
    if ('kill' in order) process.kill(order.kill)
    else if ('resize' in order) process.resize(order.resize)
    else process.release()
  })
  if (control.destroyed) process.release()
  else control.once('close', () => process.release())
}

async function report({ exited, gone }: MachineProcess, control: Channel): Promise<void> {
  const tell = (report: Report) => {
    if (!control.destroyed) control.write(JSON.stringify(report))
  }
  await Promise.all([
    exited.then(
      exit => tell(exitReport(exit)),
      error => tell({ failed: machineErrors.describe(error) }),
    ),
    gone.then(() => tell({ gone: true })),
  ])
  control.end()
}

/** The machine may have reported anything, and the front would not listen to this worker any more. */
function exitReport(exited: unknown): Report {
  const { data } = Report.safeParse({ exited })
  if (data) return data
  return {
    failed: machineErrors.describe(new MachineError('STATE', 'the machine sent a malformed exit status')),
  }
}

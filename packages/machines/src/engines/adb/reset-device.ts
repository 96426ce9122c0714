import { MachineError } from '../../contract/errors.ts'
import { runCommand } from '../local/host/run-command.ts'
import type { Reset } from './options.ts'

const usualSeconds = 300

/** Makes a device as new by the operator's command, which must end in time. */
export async function resetDevice(
  reset: Reset,
  pool: string,
  address: string,
  signal?: AbortSignal,
): Promise<void> {
  if (reset === 'none') return
  const [command = '', ...args] = reset.command
  const seconds = reset.timeoutSeconds ?? usualSeconds
  const late = AbortSignal.timeout(seconds * 1000)
  const either = AbortSignal.any([late, ...(signal ? [signal] : [])])
  const env = { ...process.env, SANDGLASS_DEVICE: address, SANDGLASS_POOL: pool }
  try {
    await runCommand(command, args, { env, signal: either })
  } catch (cause) {
    const why = late.aborted
      ? `it took longer than ${seconds} s`
      : cause instanceof Error
        ? cause.message
        : String(cause)
    throw new MachineError('MACHINE_FAILED', `The reset of ${address} failed: ${why}`, { cause })
  }
}

import { MachineError } from '../../contract/errors.ts'
import { runCommand } from '../local/host/run-command.ts'
import type { Reset } from './options.ts'

const defaultTimeoutSeconds = 300

/** Resets a device with the operator's command, which must finish before its timeout. */
export async function resetDevice(
  reset: Reset,
  pool: string,
  address: string,
  signal?: AbortSignal,
): Promise<void> {
  if (reset === 'none') return
  const [command = '', ...args] = reset.command
  const seconds = reset.timeoutSeconds ?? defaultTimeoutSeconds
  const timeout = AbortSignal.timeout(seconds * 1000)
  const either = AbortSignal.any([timeout, ...(signal ? [signal] : [])])
  const env = { ...process.env, SANDGLASS_DEVICE: address, SANDGLASS_POOL: pool }
  try {
    await runCommand(command, args, { env, signal: either })
  } catch (cause) {
    const why = timeout.aborted
      ? `it took longer than ${seconds} s`
      : cause instanceof Error
        ? cause.message
        : String(cause)
    throw new MachineError('MACHINE_FAILED', `The reset of ${address} failed: ${why}`, { cause })
  }
}

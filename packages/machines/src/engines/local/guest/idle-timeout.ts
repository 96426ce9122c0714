import { MachineError } from '../../../contract/errors.ts'
import type { Guest, GuestStream } from './guest.ts'

/**
 * Destroys a connection when the machine has neither sent nor read anything for too long. The time during which the
 * other side of a transfer is the slow one does not count, nor that during which the machine is paused.
 */
export function limitIdleTime(guest: Guest, socket: GuestStream, waitsFor: 'content' | 'reading'): void {
  const { idleMs } = guest.timeouts
  const isWaiting = () =>
    waitsFor === 'reading' ? socket.writableLength > 0 : !socket.isPaused() && socket.readableLength === 0
  const check = async () => {
    if (isWaiting() && (await guest.isAwake()) && isWaiting())
      socket.destroy(new MachineError('MACHINE_FAILED', `the machine transferred nothing for ${idleMs} ms`))
    else socket.setTimeout(idleMs)
  }
  // Whether the machine is awake cannot be asked any more once it was destroyed.
  socket.setTimeout(idleMs).on('timeout', () => void check().catch(error => void socket.destroy(error)))
}

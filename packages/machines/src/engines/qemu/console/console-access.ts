import type { Socket } from 'node:net'
import type { GuestAccess } from '../../local/guest/guest.ts'

/**
 * The sockets of a machine without our agent. `rfb` is QEMU's VNC server. `input` takes the QMP commands
 * `input-send-event`, `query-status` and `query-mice`, and `qga` those of QEMU's guest agent: a line of JSON per request,
 * and a line of JSON per answer with the `id` of its request.
 */
export type ConsoleSocket = 'rfb' | 'input' | 'qga'

/** The way into a machine without our agent: what only the host can do for whoever talks to it. */
export interface ConsoleAccess
  extends Pick<GuestAccess, 'dialPort' | 'isAwake' | 'assertStorable' | 'ending'> {
  /** Connects to a socket. STATE if the machine is paused, and REFUSED if it does not have the socket. */
  connect(socket: ConsoleSocket, signal?: AbortSignal): Promise<Socket>
}

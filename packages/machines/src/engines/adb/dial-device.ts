import type { Socket } from 'node:net'
import { MachineError } from '../../contract/errors.ts'
import { requireAddress } from './device-address.ts'
import { dialTcp } from './dial-tcp.ts'

/** Connects over TCP to the adbd of a device, or to the adb server that has it. */
export async function dialDevice(address: string): Promise<Socket> {
  const { serial, host, port } = requireAddress(address)
  if (serial === undefined) return await dialTcp({ host, port }, `The device ${address}`)
  return await dialTcp({ host, port }, `The adb server ${host}:${port}`).catch(cause => {
    // Nothing is known of its devices while it is away.
    throw new MachineError('UNREACHABLE', cause.message, { cause })
  })
}

import { MachineError } from '../../contract/errors.ts'

export interface DeviceAddress {
  readonly host: string
  readonly port: number
  /** The serial number of a device behind an adb server; host and port are those of the server then. */
  readonly serial?: string
}

/** The default address of an adb server. */
const defaultServer = '127.0.0.1:5037'

/**
 * Parses `host:port` of an adbd, or `adb:SERIAL` or `adb:SERIAL@host:port` of an adb server. Returns undefined if it
 * is neither.
 */
export function parseAddress(address: string): DeviceAddress | undefined {
  const [, serial, server = defaultServer] = /^adb:([^\s@/]{1,100})(?:@(.*))?$/.exec(address) ?? []
  const [, bracketed, plain, digits] =
    /^(?:\[([\da-fA-F:.]+)\]|([\w.-]+)):([1-9]\d{0,4})$/.exec(serial === undefined ? address : server) ?? []
  const [host, port] = [bracketed ?? plain, Number(digits)]
  if (host === undefined || port > 65535) return undefined
  return { host, port, ...(serial !== undefined && { serial }) }
}

export function requireAddress(address: string): DeviceAddress {
  const parsed = parseAddress(address)
  if (parsed) return parsed
  throw new MachineError(
    'INVALID',
    `${address} is not the address of a device. Write host:port or adb:SERIAL.`,
  )
}

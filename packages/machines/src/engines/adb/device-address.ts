import { MachineError } from '../../contract/errors.ts'

export interface DeviceAddress {
  readonly host: string
  readonly port: number
  /** Of a device that an adb server has; the host and the port are the server's then. */
  readonly serial?: string
}

/** Where an adb server listens unless it is told otherwise. */
const usualServer = '127.0.0.1:5037'

/** `host:port` of an adbd, or `adb:SERIAL` or `adb:SERIAL@host:port` of an adb server, in its parts; undefined where it is neither. */
export function parseAddress(address: string): DeviceAddress | undefined {
  const [, serial, server = usualServer] = /^adb:([^\s@/]{1,100})(?:@(.*))?$/.exec(address) ?? []
  const [, bracketed, plain, digits] =
    /^(?:\[([\da-fA-F:.]+)\]|([\w.-]+)):([1-9]\d{0,4})$/.exec(serial === undefined ? address : server) ?? []
  const [host, port] = [bracketed ?? plain, Number(digits)]
  if (host === undefined || port > 65535) return undefined
  return { host, port, ...(serial !== undefined && { serial }) }
}

export function requireAddress(address: string): DeviceAddress {
  const parsed = parseAddress(address)
  if (parsed) return parsed
  throw new MachineError('INVALID', `${address} is no address of a device: write host:port or adb:SERIAL`)
}

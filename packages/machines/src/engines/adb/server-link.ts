import {
  ADB_SERVER_DEFAULT_FEATURES,
  Adb,
  AdbBanner,
  AdbServerClient,
  type AdbTransport,
} from '@yume-chan/adb'
import { AdbLink, asMachineError, connectTimeoutMs, timedOut } from '../../adb/adb-link.ts'
import { MachineError } from '../../contract/errors.ts'
import type { DeviceRoute } from './device-route.ts'
import { ServerConnector } from './server-connector.ts'

/** The max payload of one packet; an adb server splits larger ones. */
const maxPayloadSize = 1024 * 1024

/** Connects to a device behind an adb server by the serial number that `adb devices` shows. */
export async function openServerLink(server: Pick<DeviceRoute, 'dial'>, serial: string): Promise<AdbLink> {
  const connector = new ServerConnector(server)
  const timeout = setTimeout(() => connector.close(), connectTimeoutMs)
  try {
    const transport = await transportTo(new AdbServerClient(connector), connector, serial)
    return new AdbLink(new Adb(transport), () => connector.close())
  } catch (error) {
    throw connector.isClosed ? timedOut() : refusal(error, serial)
  } finally {
    clearTimeout(timeout)
  }
}

/** Replaces the library's transport, which keeps a reference to every stream that was ever opened. */
async function transportTo(
  client: AdbServerClient,
  connector: ServerConnector,
  serial: string,
): Promise<AdbTransport> {
  const { transportId, features } = await client.getDeviceFeatures({ serial })
  return {
    serial,
    maxPayloadSize,
    banner: new AdbBanner('device', undefined, undefined, undefined, features),
    clientFeatures: ADB_SERVER_DEFAULT_FEATURES,
    disconnected: client.waitForDisconnect(transportId).catch(() => {}),
    connect: service => client.createDeviceConnection({ transportId }, service),
    addReverseTunnel: () => connector.addReverseTunnel(),
    removeReverseTunnel: () => connector.removeReverseTunnel(),
    clearReverseTunnels: () => connector.clearReverseTunnels(),
    close: () => connector.close(),
  }
}

function refusal(error: unknown, serial: string): MachineError {
  if (error instanceof MachineError) return error
  const { message } = error instanceof Error ? error : asMachineError(error)
  if (/unauthorized/.test(message))
    return new MachineError(
      'DENIED',
      `The device ${serial} does not know the key of the adb server. Accept the prompt on the screen of the device.`,
      { cause: error },
    )
  return new MachineError('MACHINE_FAILED', `The adb server cannot reach ${serial}: ${message.trim()}.`, {
    cause: error,
  })
}

import { asMachineError } from '../../adb/adb-link.ts'
import { MachineError } from '../../contract/errors.ts'
import type { MachineHandle } from '../../contract/handle.ts'
import { AdbMachine } from './adb-machine.ts'
import { Connection } from './connection.ts'
import type { DeviceRoute } from './device-route.ts'
import { ScrcpyVideo, type VideoOptions } from './video/scrcpy-video.ts'

/** A phone that a machine has claimed. */
export interface ClaimedPhone {
  readonly handle: MachineHandle
  /** The id of the machine. */
  readonly id: string
  readonly env: Readonly<Record<string, string>>
  readonly route: DeviceRoute
  readonly video?: VideoOptions | undefined
  /** Called with the reason why there is no video, once per reason. */
  onVideoFailure(reason: string): void
}

/** Connects to a phone, in whichever process has a route to it. */
export async function openPhone(phone: ClaimedPhone): Promise<AdbMachine> {
  const { handle, id, env, route, video, onVideoFailure } = phone
  const { address } = route
  const connection = await Connection.open(route).catch(cause => {
    if (isUnreachable(cause)) throw cause
    throw new MachineError('STATE', `The phone ${address} does not answer; restart it.`, { cause })
  })
  try {
    const screenVideo = video && new ScrcpyVideo(video, id, onVideoFailure)
    return await AdbMachine.open(handle, connection, id, env, screenVideo)
  } catch (cause) {
    connection.close()
    const { code, message } = asMachineError(cause)
    throw new MachineError(code, `The device ${address} is gone: ${message}`, { cause })
  }
}

/** The adb server that has the phone is away, so nothing is known of the phone. */
export const isUnreachable = (error: unknown) => error instanceof MachineError && error.code === 'UNREACHABLE'

import * as scrcpy from '@yume-chan/scrcpy'

/** Streams pictures only: no audio, no control, and nothing that remains on the device after the server has ended. */
const shared = {
  maxFps: 30,
  tunnelForward: true,
  control: false,
  cleanup: false,
  sendDeviceMeta: false,
  sendDummyByte: false,
}
const bitRate = 8_000_000

/** Before version 2.0, servers had no audio and used a fixed socket name. */
const withoutAudio = {
  '1.23': scrcpy.ScrcpyOptions1_23,
  '1.24': scrcpy.ScrcpyOptions1_24,
  '1.25': scrcpy.ScrcpyOptions1_25,
}

const withAudio = {
  '2.0': scrcpy.ScrcpyOptions2_0,
  '2.1': scrcpy.ScrcpyOptions2_1,
  '2.1.1': scrcpy.ScrcpyOptions2_1_1,
  '2.2': scrcpy.ScrcpyOptions2_2,
  '2.3': scrcpy.ScrcpyOptions2_3,
  '2.3.1': scrcpy.ScrcpyOptions2_3_1,
  '2.4': scrcpy.ScrcpyOptions2_4,
  '2.5': scrcpy.ScrcpyOptions2_5,
  '2.6': scrcpy.ScrcpyOptions2_6,
  '2.6.1': scrcpy.ScrcpyOptions2_6_1,
  '2.7': scrcpy.ScrcpyOptions2_7,
  '3.0': scrcpy.ScrcpyOptions3_0,
  '3.0.1': scrcpy.ScrcpyOptions3_0_1,
  '3.0.2': scrcpy.ScrcpyOptions3_0_2,
  '3.1': scrcpy.ScrcpyOptions3_1,
  '3.2': scrcpy.ScrcpyOptions3_2,
  '3.3': scrcpy.ScrcpyOptions3_3,
  '3.3.1': scrcpy.ScrcpyOptions3_3_1,
  '3.3.2': scrcpy.ScrcpyOptions3_3_2,
  '3.3.3': scrcpy.ScrcpyOptions3_3_3,
}

export interface ServerStart {
  /** The arguments of the server after its version. */
  readonly words: readonly string[]
  /** The service of the device on which the server then listens. */
  readonly service: string
}

/**
 * Returns how to start a server of this version. `name` is 8 hexadecimal digits and distinguishes servers. Undefined
 * if the version is not supported.
 */
export function serverStart(version: string, name: string): ServerStart | undefined {
  if (isKey(withoutAudio, version)) {
    const options = new withoutAudio[version]({ ...shared, bitRate })
    return { words: options.serialize(), service: 'localabstract:scrcpy' }
  }
  if (!isKey(withAudio, version)) return undefined
  const options = new withAudio[version]({
    ...shared,
    videoBitRate: bitRate,
    audio: false,
    sendCodecMeta: false,
    scid: name,
  })
  return { words: options.serialize(), service: `localabstract:scrcpy_${name}` }
}

function isKey<T extends object>(table: T, key: PropertyKey): key is keyof T {
  return Object.hasOwn(table, key)
}

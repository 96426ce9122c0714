import type { VideoOptions } from './video/scrcpy-video.ts'

/**
 * What makes a device as new between two tenants: a command on this host, which finds the device's address in
 * `SANDGLASS_DEVICE`, or nothing, which has to be said.
 */
export type Reset = 'none' | { readonly command: readonly string[]; readonly timeoutSeconds?: number }

export interface PhonePool {
  /** `host:port` of each device's adbd, or `adb:SERIAL` of one that an adb server has. */
  readonly devices: readonly string[]
  readonly reset: Reset
}

export interface AdbEngineOptions {
  /** The key, the claims and the quarantine. */
  readonly dataDir: string
  /** By their names, which shapes give as their image. */
  readonly pools: Readonly<Record<string, PhonePool>>
  /** How long a device may take to boot, after its reset too. */
  readonly bootTimeoutMs?: number
  /** How long after it failed a device is looked at again; each time twice as long, up to a quarter of an hour. */
  readonly recheckMs?: number
  /** What phones are watched by; without it, by captures alone. */
  readonly video?: VideoOptions
  /** Hears of devices that go into quarantine and come out of it, and of those whose video fails. */
  readonly tell?: (line: string) => void
}

export type Settings = Required<Omit<AdbEngineOptions, 'video'>> & Pick<AdbEngineOptions, 'video'>

export function settle(options: AdbEngineOptions): Settings {
  return { bootTimeoutMs: 180_000, recheckMs: 15_000, tell: () => {}, ...options }
}

import type { VideoOptions } from './video/scrcpy-video.ts'

/**
 * How a device is reset between two tenants: a command on this host, which finds the address of the device in
 * `SANDGLASS_DEVICE`, or explicitly 'none'.
 */
export type Reset = 'none' | { readonly command: readonly string[]; readonly timeoutSeconds?: number }

export interface PhonePool {
  /** `host:port` of each device's adbd, or `adb:SERIAL` for a device behind an adb server. */
  readonly devices: readonly string[]
  readonly reset: Reset
}

export interface AdbEngineOptions {
  /** Stores the key, the claims and the quarantine. */
  readonly dataDir: string
  /** Pools by name; shapes refer to a pool as their image. */
  readonly pools: Readonly<Record<string, PhonePool>>
  /** How long a device may take to boot, including after a reset. */
  readonly bootTimeoutMs?: number
  /** How long after a failure a device is checked again. It doubles each time, up to 15 minutes. */
  readonly recheckMs?: number
  /** The video server for watching phones; without it, phones are watched by screen captures only. */
  readonly video?: VideoOptions
  /** Receives a line when a device enters or leaves quarantine, or when its video fails. */
  readonly tell?: (line: string) => void
}

export type Settings = Required<Omit<AdbEngineOptions, 'video'>> & Pick<AdbEngineOptions, 'video'>

export function settle(options: AdbEngineOptions): Settings {
  return { bootTimeoutMs: 180_000, recheckMs: 15_000, tell: () => {}, ...options }
}

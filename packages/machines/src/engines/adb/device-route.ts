import type { Duplex } from 'node:stream'
import type { AdbCredentialStore } from '@yume-chan/adb'

/** A connection to an adbd or to an adb server, such as a socket. */
export interface DeviceStream extends Duplex {
  /** Closes the connection once everything that was written has been sent. */
  destroySoon(): void
}

/** The way to a device. Only a process with a network can dial by itself. */
export interface DeviceRoute {
  /** The address by which a pool names the device. */
  readonly address: string
  /** What is presented to a device that is reached directly. */
  readonly keys: AdbCredentialStore
  /** Connects to the adbd of the device, or to the adb server that has it. */
  dial(): Promise<DeviceStream>
}

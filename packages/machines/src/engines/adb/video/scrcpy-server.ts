import { readFile } from 'node:fs/promises'
import { newestVersion } from './scrcpy-versions.ts'

/** The server file that comes with scrcpy. */
export class ScrcpyServer {
  readonly content: Uint8Array
  /**
   * The version that last worked on a device, which is tried first on others. A server refuses a client of another
   * version and reports its own, so a device that lies costs other devices only one more start.
   */
  version: string = newestVersion

  constructor(content: Uint8Array) {
    this.content = content
  }

  static async read(path: string): Promise<ScrcpyServer> {
    return new ScrcpyServer(await readFile(path))
  }
}

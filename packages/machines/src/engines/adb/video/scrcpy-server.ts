import { readFile } from 'node:fs/promises'
import { newestVersion } from './scrcpy-options.ts'

/** The file of a scrcpy server, as it comes with scrcpy. */
export class ScrcpyServer {
  readonly content: Uint8Array
  /**
   * The version that a device last showed video by, which others are asked for first. A server refuses a client of another version
   * and says its own, so a device that lies costs others one more start.
   */
  version: string = newestVersion

  constructor(content: Uint8Array) {
    this.content = content
  }

  static async read(path: string): Promise<ScrcpyServer> {
    return new ScrcpyServer(await readFile(path))
  }
}

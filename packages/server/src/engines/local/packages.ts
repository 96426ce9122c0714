import { join } from 'node:path'
import { AptMirror } from '@sandglass/machines/apt'

/** The packages for applications. What a machine says about itself is read for them, so root must not do it. */
export function packagesIn(dataDirectory: string): AptMirror {
  return new AptMirror(join(dataDirectory, 'packages'))
}

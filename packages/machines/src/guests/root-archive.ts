import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommandLine, RootArchive } from '../contract/guest-profile.ts'

/** Archives the root of guests that have Python, which all images of this project have. */
export const rootArchive: RootArchive = { write: program('write-root.py'), read: program('read-root.py') }

/** Without the settings and modules of whoever runs it. */
function program(file: string): CommandLine {
  const text = readFileSync(join(import.meta.dirname, file), 'utf8')
  return { executable: 'python3', args: ['-ISB', '-c', text] }
}

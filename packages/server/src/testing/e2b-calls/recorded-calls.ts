import { globSync, readFileSync } from 'node:fs'
import { z } from 'zod'

/** Which methods of E2B's packages the tests of a file call. */
const Calls = z.strictObject({ worked: z.array(z.string()), refused: z.array(z.string()) })
export type Calls = z.infer<typeof Calls>

/** The file next to a file of tests that has its calls. */
export function callsFile(testFile: string): string {
  return testFile.replace(/\.test\.ts$/, '.calls.json')
}

/** The calls of all tests of the door. A file without tests does not count. */
export function recordedCalls(): Calls {
  const doors = new URL('../../doors/', import.meta.url).pathname
  const all = globSync('**/*.test.ts', { cwd: doors })
    .map(name => callsFile(doors + name))
    .flatMap(file => globSync(file))
    .map(file => Calls.parse(JSON.parse(readFileSync(file, 'utf8'))))
  return { worked: all.flatMap(({ worked }) => worked), refused: all.flatMap(({ refused }) => refused) }
}

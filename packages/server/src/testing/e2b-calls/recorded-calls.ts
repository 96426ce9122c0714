import { globSync, readFileSync } from 'node:fs'
import { z } from 'zod'

/** Which methods of E2B's packages the tests of a file call. */
const Calls = z.strictObject({ worked: z.array(z.string()), refused: z.array(z.string()) })
export type Calls = z.infer<typeof Calls>

/** The file next to a file of tests that has its calls. */
export function callsFile(testFile: string): string {
  return testFile.replace(/\.test\.ts$/, '.calls.json')
}

const folders = ['packages/server/src/doors', 'test/doors']

/** The calls of all tests of the door. A file without tests does not count. */
export function recordedCalls(): Calls {
  const root = new URL('../../../../../', import.meta.url).pathname
  const all = folders
    .flatMap(folder => globSync(`${folder}/**/*.test.ts`, { cwd: root }))
    .map(name => callsFile(root + name))
    .flatMap(file => globSync(file))
    .map(file => Calls.parse(JSON.parse(readFileSync(file, 'utf8'))))
  return { worked: all.flatMap(({ worked }) => worked), refused: all.flatMap(({ refused }) => refused) }
}

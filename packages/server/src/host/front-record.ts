import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { writePrivateFile } from '../private-file.ts'

const FrontUser = z.object({ uid: z.int(), gid: z.int() })
/** The ids that the front runs with. */
export type FrontUser = Readonly<z.infer<typeof FrontUser>>

/** The folder of the local engine, to which only root has access. */
const fileIn = (dataDirectory: string) => join(dataDirectory, 'local', 'front.json')

/** The user whose files are in this data directory, if a host has prepared it. Only root can ask. */
export async function frontOf(dataDirectory: string): Promise<FrontUser | undefined> {
  const text = await readFile(fileIn(dataDirectory), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : FrontUser.parse(JSON.parse(text))
}

export async function recordFront(dataDirectory: string, user: FrontUser): Promise<FrontUser> {
  await writePrivateFile(fileIn(dataDirectory), `${JSON.stringify(user)}\n`)
  return user
}

import { randomUUID } from 'node:crypto'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'

/** Makes a file that nobody finds half-written, and is the only one to make it: false where it is there already. */
export async function createWhole(path: string, content: string): Promise<boolean> {
  const draft = await draftOf(path, content)
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  } finally {
    await rm(draft, { force: true })
  }
}

/** The same in the place of what is there. */
export async function replaceWhole(path: string, content: string): Promise<void> {
  await rename(await draftOf(path, content), path)
}

/** Undefined where there is no such file, or no JSON in it. */
export async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch {
    return undefined
  }
}

async function draftOf(path: string, content: string): Promise<string> {
  const draft = `${path}.${randomUUID()}.new`
  await writeFile(draft, content, { mode: 0o600, flag: 'wx' })
  return draft
}

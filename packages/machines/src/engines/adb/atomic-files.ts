import { randomUUID } from 'node:crypto'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'

/**
 * Creates a file atomically: nobody sees it half-written, and only one process succeeds. Returns false if it exists
 * already.
 */
export async function createAtomically(path: string, content: string): Promise<boolean> {
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

/** Replaces a file atomically. */
export async function replaceAtomically(path: string, content: string): Promise<void> {
  await rename(await draftOf(path, content), path)
}

/** Returns undefined if the file does not exist or does not hold JSON. */
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

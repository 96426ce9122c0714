import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from './root.ts'

/** A block of a page, as a reader uses it. */
export interface Block {
  /** Commands are pasted, a file is saved under its name, and what is printed is compared. */
  readonly kind: 'commands' | 'file' | 'printed'
  readonly name: string
  readonly text: string
}

/** The blocks of a page that a reader pastes, in order. */
export async function blocksOf(page: string): Promise<readonly Block[]> {
  const text = await readFile(join(root, page), 'utf8')
  // Pages of the reference show all kinds of texts, not only what their commands print.
  const isReference = !/(how-to|tutorial)/.test(page)
  return [...text.matchAll(/^```(\S+)(?: (\S+))?\n(.*?)^```$/gms)].flatMap(
    ([, language = '', name = '', block = '']): Block[] => {
      if (name !== '') return [{ kind: 'file', name, text: block }]
      if (language === 'sh') return [{ kind: 'commands', name: '', text: block }]
      return language === 'text' && !isReference ? [{ kind: 'printed', name: '', text: block }] : []
    },
  )
}

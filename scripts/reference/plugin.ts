import type { Plugin } from 'vite'
import { makeReference, operationEntries } from './make-reference.ts'

const list = 'virtual:operation-list'
const reference = 'virtual:reference'

/**
 * Gives the page at /docs the operations as data, so that the schemas themselves are not in its bundle. What the list and the search need is
 * a module of its own, which is loaded first.
 */
export function referenceModules(): Plugin {
  return {
    name: 'reference',
    resolveId: id => (id === list || id === reference ? `\0${id}` : undefined),
    async load(id) {
      if (id === `\0${list}`) return `export const operations = ${JSON.stringify(operationEntries())}`
      if (id === `\0${reference}`) return `export const reference = ${JSON.stringify(await makeReference())}`
      return undefined
    },
  }
}

import type { Plugin } from 'vite'

/** An import of modules of Node, as the bundler writes it. */
const builtinImport = /^import (?:(.+) from )?['"](node:[\w/]+)['"];$/gm

/**
 * Requires the modules of Node instead of importing them. An import evaluates everything that the module has, and that loads many
 * others: all of them together take a short command more time than what it does. Only the command line imports them at its start.
 */
export function requireBuiltins(): Plugin {
  return {
    name: 'require-builtins',
    renderChunk: code => {
      let isUsed = false
      const changed = code.replaceAll(builtinImport, (whole, clause: string | undefined, module: string) => {
        if (module === 'node:module') return whole
        isUsed ||= clause !== undefined
        return clause === undefined ? '' : requirementOf(clause, module)
      })
      return isUsed ? `${helper}\n${changed}` : changed
    },
  }
}

const helper =
  'import { createRequire as createRequire$ } from "node:module";\nconst require$ = createRequire$(import.meta.url);'

/** The clause is `a`, `* as a`, `{ b, c as d }`, or `a, { b }`. */
function requirementOf(clause: string, module: string): string {
  const [, whole, parts] = /^(?:(?:\* as )?([\w$]+))?(?:, )?(\{.+\})?$/.exec(clause) ?? []
  return [whole, parts?.replaceAll(' as ', ': ')]
    .filter(target => target !== undefined)
    .map(target => `const ${target} = require$("${module}");`)
    .join('\n')
}

/** Commander would start other programs for commands that are files of their own. There are none. */
export function withoutPrograms(): Plugin {
  return {
    name: 'without-programs',
    transform: (code, id) =>
      id.endsWith('/commander/lib/command.js')
        ? code.replace("require('node:child_process')", 'undefined')
        : undefined,
  }
}

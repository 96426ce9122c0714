import type { Sandglass } from '@sandglass/client'
import { type CommandDefinition, type Completes, command, type Example } from './command-definition.ts'
import type { Context } from './context.ts'
import { findByName, type Kind, type Named } from './find-by-name.ts'
import { confirm } from './prompt.ts'

interface DeleteCommand<Item extends Named> {
  readonly verb?: 'delete' | 'revoke'
  readonly summary: string
  readonly examples: readonly Example[]
  readonly noun: string
  readonly completes: Completes
  readonly kind: (client: Sandglass, context: Context) => Kind<Item>
  readonly remove: (client: Sandglass, id: string, context: Context) => Promise<unknown>
}

/** The command that deletes things by name or id, after it has asked. All are found before the first is deleted. */
export function deleteCommand<Item extends Named>(deletion: DeleteCommand<Item>): CommandDefinition {
  const { verb = 'delete', summary, examples, noun, completes, kind, remove } = deletion
  return command({
    name: verb,
    ...(verb === 'delete' && { aliases: ['rm'] }),
    summary,
    arguments: [{ syntax: `<${noun}...>`, description: 'Names, ids or beginnings of ids.', completes }],
    examples,
    async run(context, { args }) {
      const client = await context.client()
      const found = new Map<string, Item>()
      for (const text of args) {
        const item = await findByName(text, kind(client, context))
        found.set(item.id, item)
      }
      const names = [...found.values()].map(({ id, name }) => (name ? `${name} (${id})` : id))
      await confirm(context, `${verb === 'delete' ? 'Delete' : 'Revoke'} ${names.join(', ')}?`)
      for (const id of found.keys()) {
        await remove(client, id, context)
        context.output.done({ id }, id, `${verb === 'delete' ? 'Deleted' : 'Revoked'} ${id}.`)
      }
    },
  })
}

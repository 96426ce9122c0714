import type { Sandglass } from '@sandglass/client'
import { type CommandDefinition, command, type Example, type OptionDefinition } from './command-definition.ts'
import type { Context } from './context.ts'
import type { ListView } from './output.ts'
import { watchList } from './watch-list.ts'

interface ListCommand<Item, Options> {
  readonly summary: string
  readonly details?: string
  readonly options?: readonly OptionDefinition[]
  readonly examples: readonly Example[]
  /** The events after which the list can be another one. Without them, it cannot be watched. */
  readonly changesWith?: string
  readonly fetch: (client: Sandglass, options: Options, context: Context) => Promise<readonly Item[]>
  readonly view: ListView<Item>
}

/** The command that lists something, once or with `--watch` whenever it changes. */
export function listCommand<Item, Options = Record<never, never>>(
  list: ListCommand<Item, Options>,
): CommandDefinition<Options & { watch?: boolean }> {
  const { summary, details, options = [], examples, changesWith, fetch, view } = list
  return command({
    name: 'list',
    aliases: ['ls'],
    summary,
    ...(details && { details }),
    options: changesWith ? [...options, watch] : options,
    examples,
    async run(context, { options }) {
      const client = await context.client()
      const fetchNow = () => fetch(client, options, context)
      if (options.watch && changesWith) await watchList(context, changesWith, fetchNow, view)
      else context.output.list(await fetchNow(), view)
    },
  })
}

const watch = {
  flags: '-w, --watch',
  description: 'Go on until Ctrl-C: show the list again whenever something changes.',
}

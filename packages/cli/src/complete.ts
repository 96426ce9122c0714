import type { CallOptions, Sandglass } from '@sandglass/client'
import type {
  ArgumentDefinition,
  CommandDefinition,
  Completes,
  OptionDefinition,
} from './command-definition.ts'
import type { Context } from './context.ts'
import { globalOptions } from './global-options.ts'
import { loadCommands } from './program.ts'

export interface Candidate {
  readonly text: string
  readonly about?: string
}

/** Somebody waits with a finger on the key. */
const patienceMs = 10_000

/** What the last word can become. */
export async function complete(context: Context, words: readonly string[]): Promise<Candidate[]> {
  const before = words.slice(0, -1)
  const typed = words.at(-1) ?? ''
  const place = walk({ name: 'sandglass', summary: '', commands: await loadCommands() }, before)
  const candidates = await candidatesAt(context, place, typed)
  return candidates.filter(({ text }) => text.startsWith(typed))
}

interface Place {
  readonly command: CommandDefinition
  /** How many arguments there are already. */
  readonly given: number
  /** The option whose value is being typed. */
  readonly option: OptionDefinition | undefined
}

function walk(root: CommandDefinition, words: readonly string[]): Place {
  let command = root
  let given = 0
  let option: OptionDefinition | undefined
  for (const word of words) {
    if (option) option = undefined
    else if (word.startsWith('-'))
      option = optionsOf(command).find(one => takesValue(one) && names(one).includes(word))
    else {
      const next: CommandDefinition | undefined = command.commands?.find(
        ({ name, aliases }) => name === word || aliases?.includes(word),
      )
      if (next) command = next
      else given++
    }
  }
  return { command, given, option }
}

async function candidatesAt(
  context: Context,
  { command, given, option }: Place,
  typed: string,
): Promise<Candidate[]> {
  if (option) return valuesOf(context, option)
  if (typed.startsWith('-')) return optionsOf(command).flatMap(optionCandidates)
  if (command.commands)
    return command.commands
      .filter(({ isHidden }) => !isHidden)
      .map(({ name, summary }) => ({ text: name, about: summary }))
  const list = command.arguments ?? []
  const argument = list[given] ?? (list.at(-1)?.syntax.includes('...') ? list.at(-1) : undefined)
  return argument ? valuesOf(context, argument) : []
}

function optionsOf(command: CommandDefinition): readonly OptionDefinition[] {
  return [...(command.options ?? []), ...globalOptions]
}

function names({ flags }: OptionDefinition): string[] {
  return flags.split(/[ ,]+/).filter(part => part.startsWith('-'))
}

function takesValue({ flags }: OptionDefinition): boolean {
  return flags.includes('<')
}

function optionCandidates(option: OptionDefinition): Candidate[] {
  return names(option)
    .filter(name => name.startsWith('--'))
    .map(text => ({ text, about: option.description }))
}

async function valuesOf(
  context: Context,
  { choices, completes }: ArgumentDefinition | OptionDefinition,
): Promise<Candidate[]> {
  if (choices) return choices.map(text => ({ text }))
  if (!completes || completes === 'files') return []
  try {
    const client = await context.client()
    return await lists[completes](client, { signal: context.signal, timeoutMs: patienceMs, retries: 0 })
  } catch {
    // Without a service there is nothing to complete, and this is not the moment for a message.
    return []
  }
}

type Fetch = (client: Sandglass, options: CallOptions) => Promise<Candidate[]>

const lists: Readonly<Record<Exclude<Completes, 'files'>, Fetch>> = {
  sandboxes: async (client, options) => named(await client.listSandboxes({}, options), 'sandbox'),
  shapes: async (client, options) =>
    (await client.listShapes({}, options)).map(({ name, description }) => ({
      text: name,
      about: description,
    })),
  images: async (client, options) =>
    named((await client.listMachineImages({ scope: 'all' }, options)).images),
  volumes: async (client, options) =>
    (await client.listVolumes({}, options)).map(({ name }) => ({ text: name })),
  keys: async (client, options) => named(await client.listApiKeys({}, options)),
  webhooks: async (client, options) =>
    (await client.listWebhooks({}, options)).map(({ id, url }) => ({ text: id, about: url })),
  parsers: async (client, options) =>
    (await client.listParserTypes({}, options)).map(({ type, about }) => ({ text: type, about })),
}

/** Ids, and names that stand for one thing only and need no quotes. */
function named(
  items: readonly { readonly id: string; readonly name: string }[],
  usual?: string,
): Candidate[] {
  const ids = items.map(({ id, name }) => ({ text: id, about: name }))
  const unique = items.filter(
    ({ name }) =>
      name !== usual && /^[\w.-]+$/.test(name) && items.filter(one => one.name === name).length === 1,
  )
  return [...ids, ...unique.map(({ id, name }) => ({ text: name, about: id }))]
}

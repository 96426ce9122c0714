import type { Context } from './context.ts'
import { CliError } from './failures.ts'

const wholeId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export interface Named {
  readonly id: string
  readonly name?: string
}

/** A kind of things that people name. */
export interface Kind<Item> {
  readonly noun: string
  readonly plural: string
  /** The command that lists them. */
  readonly listedBy: string
  readonly list: () => AsyncIterable<Item> | Promise<readonly Item[]>
}

/** Finds the one that a person means by its name or the beginning of its id. */
export async function findByName<Item extends Named>(text: string, kind: Kind<Item>): Promise<Item> {
  const items: Item[] = []
  for await (const item of await kind.list()) items.push(item)
  const exact = items.filter(({ id, name }) => id === text || name === text)
  const found = exact.length > 0 ? exact : items.filter(({ id }) => text !== '' && id.startsWith(text))
  const [only] = found
  if (only && found.length === 1) return only
  if (only)
    throw new CliError(
      `"${text}" can be one of ${found.length} ${kind.plural}: ${found.map(({ id }) => id).join(', ')}.`,
      'Give more of the id.',
    )
  throw new CliError(
    `There is no ${kind.noun} with the name or id "${text}".`,
    `\`${kind.listedBy}\` shows which there are.`,
  )
}

/** The id of a sandbox that is given by its id, the beginning of it, or its name. A whole id is not looked up. */
export async function findSandboxId({ client, signal }: Context, text: string): Promise<string> {
  if (wholeId.test(text)) return text
  const service = await client()
  const { id } = await findByName(text, {
    noun: 'sandbox',
    plural: 'sandboxes',
    listedBy: 'sandglass sandbox list',
    list: () => service.all('listSandboxes', {}, { signal }),
  })
  return id
}

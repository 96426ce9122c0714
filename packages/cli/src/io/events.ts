import type { Sandglass } from '@sandglass/client'
import type { Context } from '../context.ts'
import { printable } from './printable.ts'
import { writeAll } from './write-all.ts'

export type Event = Awaited<ReturnType<Sandglass['listEvents']>>['events'][number]

export interface EventChoice {
  /** Only what happened to this sandbox. */
  readonly sandboxId: string | undefined
  readonly types: string | undefined
  /** How many past events are printed at most. */
  readonly last: number
  readonly follow: boolean
  /** Ends after an event. */
  readonly isLast?: (event: Event) => boolean
}

/** A stream begins after this time if there is no event to begin after. */
const beginning = '1970-01-01T00:00:00Z'

/** Prints past events, the oldest first, and then those that happen, without a gap. */
export async function printEvents(context: Context, choice: EventChoice): Promise<void> {
  const { isLast = () => false } = choice
  const past = choice.last > 0 ? await pastEvents(context, choice) : []
  for (const event of past) await print(context, event)
  if (!choice.follow || past.some(isLast)) return
  const last = past.at(-1)
  const from = last ? { cursor: last.id } : choice.last > 0 ? { since: beginning } : {}
  for await (const event of await streamOf(context, choice, from)) {
    await print(context, event)
    if (isLast(event)) return
  }
}

async function pastEvents({ client, signal }: Context, { sandboxId, types, last }: EventChoice) {
  const service = await client()
  const query = { types, order: 'newest', limit: Math.min(last, 1000) } as const
  const all = sandboxId
    ? service.all('listSandboxEvents', { ...query, sandboxId }, { signal })
    : service.all('listEvents', query, { signal })
  const newest: Event[] = []
  for await (const event of all) {
    newest.push(event)
    if (newest.length === last) break
  }
  return newest.reverse()
}

async function streamOf({ client, signal }: Context, { sandboxId, types }: EventChoice, from: object) {
  const service = await client()
  return sandboxId
    ? service.stream('listSandboxEvents', { types, ...from, sandboxId }, { signal })
    : service.stream('listEvents', { types, ...from }, { signal })
}

/** One line per event: JSON, the id, or a sentence for a person. */
async function print({ output, stdout }: Context, event: Event): Promise<void> {
  const { format, style } = output
  const text = { json: () => JSON.stringify(event), name: () => event.id, table: sentence }[format]()
  await writeAll(stdout, Buffer.from(`${text}\n`))

  function sentence(): string {
    const { time, type, subject, reason } = event
    const said = [style.dim(time), style.bold(type), subject, detailsOf(event), printable(reason ?? '')]
    return said.filter(Boolean).join('  ')
  }
}

/** Names and messages are chosen by tenants, so they must not move the cursor. */
function detailsOf({ data }: Event): string {
  const fields = Object.entries(data).filter(([, value]) => value !== null && isSimple(value))
  return printable(fields.map(([name, value]) => `${name}=${value}`).join(' '))
}

const isSimple = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)

import { type Credential, requestOf } from './credential.tsx'
import { filledRequest, type Inputs } from './inputs.ts'
import type { Values } from './placeholders.ts'
import type { OperationDetails, OperationEntry } from './reference-data.ts'

/** What came back, as far as it has arrived. */
export interface Answer {
  readonly status: number
  readonly isOk: boolean
  readonly ms: number
  readonly requestId: string | null
  readonly contentType: string
  readonly text?: string
  /** The bytes of an answer that is not text. */
  readonly file?: Blob
  readonly isComplete: boolean
}

/** The rest of an answer that is longer is not shown. */
const maxShown = 200_000

interface Sending {
  readonly entry: OperationEntry
  readonly details: OperationDetails
  readonly inputs: Inputs
  readonly values: Values
  readonly credential: Credential
  readonly signal: AbortSignal
  readonly onAnswer: (answer: Answer) => void
}

/** Sends a request, and reports its answer as it arrives. */
export async function send(sending: Sending): Promise<void> {
  const { entry, details, inputs, values, credential, signal, onAnswer } = sending
  const { path, query, headers: given } = filledRequest(entry, details, inputs, values)
  const asked = requestOf(credential)
  const headers = new Headers(asked.headers)
  for (const [name, value] of Object.entries(given)) headers.set(name, value)
  if (inputs.isFollowed) headers.set('accept', 'text/event-stream')
  const body = bodyOf(sending)
  if (body !== undefined && details.body?.kind === 'json') headers.set('content-type', 'application/json')
  if (body !== undefined && details.body?.kind === 'bytes')
    headers.set('content-type', 'application/octet-stream')
  const started = performance.now()
  const response = await fetch(
    `${path}${Object.keys(query).length > 0 ? `?${new URLSearchParams(query)}` : ''}`,
    {
      ...asked,
      method: entry.method,
      headers,
      signal,
      ...(body !== undefined && { body }),
    },
  )
  const answer = {
    status: response.status,
    isOk: response.ok,
    ms: Math.round(performance.now() - started),
    requestId: response.headers.get('x-request-id'),
    contentType: response.headers.get('content-type') ?? '',
  }
  if (!isText(answer.contentType))
    return onAnswer({ ...answer, file: await response.blob(), isComplete: true })
  await readText(response, (text, isComplete) => onAnswer({ ...answer, text, isComplete }))
}

function bodyOf({ entry, details, inputs, values }: Sending): BodyInit | undefined {
  const [file] = inputs.files
  if (details.body?.kind === 'form') {
    const form = new FormData()
    for (const each of inputs.files) form.append('file', each, each.name)
    return form
  }
  if (file) return file
  return filledRequest(entry, details, inputs, values).body ?? undefined
}

function isText(contentType: string): boolean {
  return contentType === '' || /^(text\/|application\/json)/.test(contentType)
}

async function readText(
  response: Response,
  onText: (text: string, isComplete: boolean) => void,
): Promise<void> {
  let text = ''
  const decoder = new TextDecoder()
  if (response.body)
    for await (const chunk of chunksOf(response.body)) {
      if (text.length < maxShown) text = (text + decoder.decode(chunk, { stream: true })).slice(0, maxShown)
      onText(text, false)
    }
  onText(text, true)
}

/** Not every browser can iterate a stream. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value
}

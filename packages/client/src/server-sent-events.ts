/** What a stream has said: an event, or with empty data only how far it has come. */
export interface Message {
  readonly data: string
  readonly id: string | undefined
}

/** Splits a stream of server-sent events into its messages. Comments and other fields are skipped. */
export class MessageReader {
  readonly #decoder = new TextDecoder()
  #rest: string[] = []
  #data: string[] = []
  #id: string | undefined

  /** Returns the messages that end in this chunk. */
  read(chunk: Uint8Array): Message[] {
    const text = this.#decoder.decode(chunk, { stream: true })
    const end = text.lastIndexOf('\n')
    if (end < 0) {
      this.#rest.push(text)
      return []
    }
    const lines = [...this.#rest, text.slice(0, end)].join('').split('\n')
    this.#rest = [text.slice(end + 1)]
    return lines.flatMap(line => this.#line(line.endsWith('\r') ? line.slice(0, -1) : line) ?? [])
  }

  #line(line: string): Message | undefined {
    if (line === '') return this.#message()
    if (line.startsWith('data:')) this.#data.push(textOf(line, 'data:'))
    else if (line.startsWith('id:')) this.#id = textOf(line, 'id:')
    return undefined
  }

  #message(): Message | undefined {
    const message = { data: this.#data.join('\n'), id: this.#id }
    this.#data = []
    this.#id = undefined
    return message.data === '' && message.id === undefined ? undefined : message
  }
}

function textOf(line: string, field: string): string {
  return line.slice(line[field.length] === ' ' ? field.length + 1 : field.length)
}

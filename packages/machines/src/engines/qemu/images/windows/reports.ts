import { open } from 'node:fs/promises'

/** What the phases mean that a system reports while it is installed. */
const sentences: Readonly<Record<string, string>> = {
  setup: 'Windows Setup has started.',
  specialize: 'Windows has been copied, and adapts itself to the machine.',
  'first-logon': 'The user is signed in.',
  drivers: 'The drivers are installed.',
  agent: 'The guest agent is installed and runs.',
  ready: 'Windows is ready, and shuts down.',
}

/** Firmware writes for a terminal, with colors and positions. */
const terminalSequence = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?=]*[A-Za-z]`, 'g')

/** More than any installation reports. */
const maxReadBytes = 1024 * 1024

/** Reads what a system reports on its serial port: lines such as `sandglass: ready`, among others of the firmware. */
export class Reports {
  readonly #file: string
  readonly #phases: string[] = []
  #position = 0
  #line = ''

  constructor(file: string) {
    this.#file = file
  }

  /** What was reported last, as a sentence. */
  get last(): string {
    const phase = this.#phases.at(-1)
    return phase === undefined ? 'Nothing was reported from inside.' : sentenceOf(phase)
  }

  has(phase: string): boolean {
    return this.#phases.includes(phase)
  }

  /** Why the system could not be set up, if it says so. */
  get failure(): string | undefined {
    return this.#phases
      .find(phase => phase.startsWith('failed:'))
      ?.slice('failed:'.length)
      .trim()
  }

  /** Reads on, and returns sentences about what is new. */
  async read(): Promise<string[]> {
    const file = await open(this.#file).catch(() => undefined)
    if (!file) return []
    try {
      const buffer = Buffer.alloc(maxReadBytes)
      const { bytesRead } = await file.read(buffer, 0, maxReadBytes, this.#position)
      this.#position += bytesRead
      return this.#take(buffer.toString('latin1', 0, bytesRead))
    } finally {
      await file.close()
    }
  }

  #take(text: string): string[] {
    const lines = (this.#line + text).split(/[\r\n]+/)
    this.#line = (lines.pop() ?? '').slice(-1000)
    const found: string[] = []
    for (const colored of lines) {
      const line = colored.replaceAll(terminalSequence, '')
      const phase = /^sandglass: ([\x20-\x7e]{1,500})/.exec(line)?.[1]?.trim()
      if (phase === undefined || this.has(phase)) continue
      this.#phases.push(phase)
      found.push(sentenceOf(phase))
    }
    return found
  }
}

function sentenceOf(phase: string): string {
  if (phase.startsWith('failed:')) return `The set-up inside failed: ${phase.slice('failed:'.length).trim()}`
  return sentences[phase] ?? `Inside: ${phase}`
}

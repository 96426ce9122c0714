import type { Context } from './context.ts'
import { CliError, Interrupted } from './failures.ts'

/** Asks on the terminal. An empty answer is the fallback. */
export async function ask(
  { stdin, stderr, signal }: Context,
  question: string,
  fallback = '',
): Promise<string> {
  // Few commands ask anything.
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input: stdin, output: stderr })
  // The terminal is in raw mode, so that Ctrl-C is a character.
  const interrupted = new Promise<never>((_, reject) => {
    lines.on('SIGINT', () => reject(new Interrupted('SIGINT')))
    lines.on('close', () => reject(new CliError('There was no answer.')))
  })
  try {
    const shown = fallback ? `${question} [${fallback}] ` : `${question} `
    const answer = await Promise.race([lines.question(shown, { signal }), interrupted])
    return answer.trim() || fallback
  } catch (error) {
    stderr.write('\n')
    throw error
  } finally {
    lines.close()
  }
}

/** Asks for something that nobody should see. */
export async function askSecret({ stdin, stderr, signal }: Context, question: string): Promise<string> {
  // Whoever sees the question may answer at once.
  stdin.setRawMode(true)
  try {
    stderr.write(`${question} `)
    return await readHidden(stdin, signal)
  } finally {
    stdin.setRawMode(false)
    stdin.pause()
    stderr.write('\n')
  }
}

function readHidden(stdin: NodeJS.ReadStream, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const end = (settle: () => void) => {
      stdin.off('data', read)
      signal.removeEventListener('abort', abort)
      settle()
    }
    const abort = () => end(() => reject(signal.reason))
    const read = (bytes: Buffer | string) => {
      for (const character of String(bytes)) {
        if (character === '\r' || character === '\n') return end(() => resolve(text))
        if (character === '\u0003') return end(() => reject(new Interrupted('SIGINT')))
        if (character === '\u0004') return end(() => reject(new CliError('There was no answer.')))
        text = character === '\u007f' || character === '\b' ? text.slice(0, -1) : text + character
      }
    }
    signal.addEventListener('abort', abort, { once: true })
    stdin.on('data', read)
    stdin.resume()
  })
}

/** Asks before something is lost. Where nobody can be asked, `--yes` has to be given. */
export async function confirm(context: Context, question: string): Promise<void> {
  if (context.options.yes) return
  if (!context.isInteractive)
    throw new CliError('Nobody can be asked here whether this should be done.', 'Add --yes to do it.')
  const answer = await ask(context, `${question} [y/N]`)
  if (!/^y(es)?$/i.test(answer)) throw new CliError('Nothing was done.')
}

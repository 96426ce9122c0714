import { AuthenticationError, type Shell, type ShellExit } from '@sandglass/client'
import type { Terminal } from '@xterm/xterm'
import { messageOf } from '../../../ui/problems.ts'
import type { Box } from '../box.ts'
import { quietReplies } from './replies.ts'

interface SessionOptions {
  readonly box: Box
  readonly shellId: string | undefined
  readonly isReadOnly: boolean
  readonly onStarted: (shellId: string) => void
}

const retryMs = 1000

/**
 * Shows shells in a terminal, one after another: the next one is started when somebody presses Enter after the end of the last, or by
 * itself if the last one was lost, as with a restart of the service.
 */
export async function followShells(
  terminal: Terminal,
  { box, shellId, isReadOnly, onStarted }: SessionOptions,
  signal: AbortSignal,
): Promise<void> {
  for (let id = shellId; !signal.aborted; id = undefined) {
    const shell = id === undefined ? await start(terminal, box, signal) : box.attachShell(id)
    if (!shell) return
    if (id === undefined) onStarted(shell.id)
    const end = await follow(terminal, shell, { isReadOnly, isReplayed: id !== undefined, signal })
    if (signal.aborted) return
    if (end) say(terminal, `The command has ended with ${end.exitCode}.`)
    else say(terminal, 'The connection to the shell was lost.')
    if (isReadOnly) return
    if (end) {
      say(terminal, 'Press Enter for a new shell.')
      await enter(terminal, signal)
    }
  }
}

/** Tries again until the sandbox can start a shell. */
async function start(terminal: Terminal, box: Box, signal: AbortSignal): Promise<Shell | undefined> {
  let said = ''
  while (!signal.aborted) {
    try {
      const { rows, cols } = terminal
      return await box.shell(undefined, { rows, cols })
    } catch (error) {
      if (error instanceof AuthenticationError || signal.aborted) return undefined
      const message = messageOf(error)
      if (message !== said) say(terminal, message)
      said = message
      await new Promise(resolve => setTimeout(resolve, retryMs))
    }
  }
  return undefined
}

/** Connects a shell with the terminal until it ends. Returns undefined if it is not known how it ended. */
async function follow(
  terminal: Terminal,
  shell: Shell,
  { isReadOnly, isReplayed, signal }: { isReadOnly: boolean; isReplayed: boolean; signal: AbortSignal },
): Promise<ShellExit | undefined> {
  const write = (data: string | Uint8Array) => void shell.write(data).catch(() => {})
  const resize = ({ rows, cols }: { rows: number; cols: number }) =>
    void shell.resize(rows, cols).catch(() => {})
  const replies = isReplayed ? quietReplies(terminal) : undefined
  const parts = isReadOnly
    ? []
    : [
        terminal.onData(write),
        terminal.onBinary(data => write(Uint8Array.from(data, each => each.charCodeAt(0)))),
        terminal.onResize(resize),
      ]
  if (isReplayed && !isReadOnly) resize(terminal)
  const leave = () => shell.detach()
  signal.addEventListener('abort', leave, { once: true })
  try {
    for await (const { stdout, stderr } of shell) {
      const bytes = stdout ?? stderr
      if (bytes) await new Promise<void>(resolve => terminal.write(bytes, resolve))
      replies?.wroteSome()
    }
    return await shell.exit
  } catch {
    return undefined
  } finally {
    signal.removeEventListener('abort', leave)
    replies?.end()
    for (const part of parts) part.dispose()
  }
}

function say(terminal: Terminal, text: string): void {
  terminal.write(`\r\n\x1b[2m${text.replaceAll(/\p{Cc}+/gu, ' ')}\x1b[0m\r\n`)
}

function enter(terminal: Terminal, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const typing = terminal.onData(data => {
      if (!data.includes('\r')) return
      typing.dispose()
      resolve()
    })
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

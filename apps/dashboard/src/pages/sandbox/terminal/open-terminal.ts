import { FitAddon } from '@xterm/addon-fit'
import { Terminal } from '@xterm/xterm'
import '@xterm/xterm/css/xterm.css'
import type { Box } from '../box.ts'
import { terminalColours } from './colours.ts'
import { handleKeys } from './keys.ts'
import { followShells } from './shell-session.ts'

interface TerminalOptions {
  readonly element: HTMLElement
  readonly box: Box
  /** A shell that runs; a new one is started without it. */
  readonly shellId: string | undefined
  readonly isReadOnly: boolean
  readonly isForReaders: boolean
  readonly onStarted: (shellId: string) => void
  readonly onLeave: () => void
}

export interface OpenTerminal {
  focus(): void
  showTheme(theme: 'light' | 'dark'): void
  /** Leaves the shell running. */
  close(): void
}

/** Opens a terminal that fills its element, with a shell in it. */
export function openTerminal(options: TerminalOptions): OpenTerminal {
  const { element, isReadOnly, isForReaders, onLeave } = options
  const closing = new AbortController()
  const terminal = new Terminal({
    convertEol: isReadOnly,
    disableStdin: isReadOnly,
    cursorBlink: !isReadOnly,
    fontFamily: 'ui-monospace, "SFMono-Regular", Menlo, Consolas, monospace',
    fontSize: 13,
    minimumContrastRatio: 4.5,
    screenReaderMode: isForReaders,
    scrollback: 10_000,
  })
  const fit = new FitAddon()
  terminal.loadAddon(fit)
  terminal.open(element)
  fit.fit()
  const sizes = new ResizeObserver(() => fit.fit())
  sizes.observe(element)
  handleKeys(terminal, onLeave)
  terminal.focus()
  void followShells(terminal, options, closing.signal)
  return {
    focus: () => terminal.focus(),
    showTheme: () => {
      terminal.options.theme = terminalColours(element)
    },
    close: () => {
      closing.abort()
      sizes.disconnect()
      terminal.dispose()
    },
  }
}

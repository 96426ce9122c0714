import type { Terminal } from '@xterm/xterm'

const quietMs = 300

/**
 * What a shell wrote earlier may contain questions to its terminal, which were answered then. While that output is shown again, they
 * are not answered again, because the shell would take the answers for input. It is over when nothing more comes for a moment.
 */
export function quietReplies(terminal: Terminal): { wroteSome(): void; end(): void } {
  let isQuiet = true
  const isHandled = () => isQuiet
  const { parser } = terminal
  const parts = [
    parser.registerCsiHandler({ final: 'c' }, isHandled),
    parser.registerCsiHandler({ prefix: '>', final: 'c' }, isHandled),
    parser.registerCsiHandler({ final: 'n' }, isHandled),
    parser.registerCsiHandler({ prefix: '?', final: 'n' }, isHandled),
    parser.registerCsiHandler({ intermediates: '$', final: 'p' }, isHandled),
    parser.registerCsiHandler({ prefix: '?', intermediates: '$', final: 'p' }, isHandled),
    parser.registerDcsHandler({ intermediates: '$', final: 'q' }, isHandled),
    ...[4, 10, 11, 12].map(number =>
      parser.registerOscHandler(number, data => isQuiet && data.includes('?')),
    ),
  ]
  const end = () => {
    isQuiet = false
    clearTimeout(timer)
    for (const part of parts.splice(0)) part.dispose()
  }
  let timer = setTimeout(end, quietMs * 10)
  return {
    wroteSome: () => {
      if (!isQuiet) return
      clearTimeout(timer)
      timer = setTimeout(end, quietMs)
    },
    end,
  }
}

/** The ways in which terminals show pictures. */
export const pictureProtocols = ['kitty', 'iterm', 'sixel'] as const
export type PictureProtocol = (typeof pictureProtocols)[number]

type Env = Readonly<Record<string, string | undefined>>

/** How this terminal shows pictures, by what it says of itself in the environment. A multiplexer would swallow them. */
export function pictureProtocolOf(env: Env): PictureProtocol | undefined {
  const { TERM: term = '', TERM_PROGRAM: program = '', LC_TERMINAL: local = '' } = env
  if (env['TMUX'] || env['STY'] || /^(screen|tmux)/.test(term)) return undefined
  if (env['KITTY_WINDOW_ID'] || /kitty|ghostty/.test(term) || program === 'ghostty') return 'kitty'
  if (['iTerm.app', 'WezTerm', 'mintty'].includes(program) || local === 'iTerm2') return 'iterm'
  if (/sixel|^(foot|mlterm|contour|yaft)/.test(term)) return 'sixel'
  return undefined
}
